/** The ffmpeg in use, and how its owner chooses another: in dialogs of the desktop, or by a command in a terminal. */
import { useEffect } from 'react'
import type { Settings, SystemState } from '../../../src-contract/app.ts'
import type { FfmpegChange } from '../../../src-main/bridge.ts'
import { Button } from '../../components/button.tsx'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { Line, Problem, useAction } from './section.tsx'

interface FfmpegLineProps {
  readonly settings: Settings
  readonly system: SystemState
}

export function FfmpegLine({ settings, system }: FfmpegLineProps) {
  const { service } = useApp()
  const { t } = useWords()
  const text = t.prefs.engine
  const { ffmpeg, ffmpeg_lack: lack } = system
  // A choice in a terminal arrives as changed settings; its effect on the machine is read then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again whenever the settings are told anew
  useEffect(() => void service.readSystem().catch(() => undefined), [service, settings])
  const isToConfirm = lack === 'ffmpeg_unconfirmed' || lack === 'ffmpeg_changed'
  const state = ffmpeg
    ? `${ffmpeg.version}, ${ffmpeg.path}`
    : isToConfirm
      ? `${text.ffmpegToConfirm[lack]} ${settings.ffmpeg_path ?? ''}`
      : text.ffmpegMissing
  return (
    <Line name={text.ffmpeg} text={state}>
      {window.loudsmith ? (
        <DesktopChoice settings={settings} isToConfirm={isToConfirm} change={window.loudsmith.changeFfmpeg} />
      ) : (
        <Commands settings={settings} isToConfirm={isToConfirm} />
      )}
    </Line>
  )
}

interface ChoiceProps {
  readonly settings: Settings
  readonly isToConfirm: boolean
}

function DesktopChoice({
  settings: { ffmpeg_path },
  isToConfirm,
  change,
}: ChoiceProps & { readonly change: (change: FfmpegChange) => Promise<boolean> }) {
  const { service } = useApp()
  const { t } = useWords()
  const text = t.prefs.engine
  const { isBusy, problem, run } = useAction()
  const ask = (what: FfmpegChange) => {
    if (!isBusy) void run(async () => (await change(what)) && service.readMachine())
  }
  const button = (what: FfmpegChange, label: string) => (
    <Button look="quiet" small onClick={() => ask(what)}>
      {label}
    </Button>
  )
  return (
    <>
      <span className="row end">
        {isToConfirm && button('confirm', text.ffmpegConfirm)}
        {button('choose', text.ffmpegChoose)}
        {ffmpeg_path !== null && button('search', text.ffmpegSearch)}
      </span>
      <Problem problem={problem} />
    </>
  )
}

/** Commands for a terminal: a page in a browser could be any program that has its credential, so it may not choose a program. */
function Commands({ settings: { ffmpeg_path }, isToConfirm }: ChoiceProps) {
  const { t } = useWords()
  const text = t.prefs.engine
  const command = 'loudsmith settings ffmpeg'
  const present = isToConfirm && ffmpeg_path ? quoted(ffmpeg_path) : text.ffmpegPath
  const commands: [string, string][] = [
    [isToConfirm ? text.ffmpegConfirmHow : text.ffmpegChooseHow, `${command} ${present}`],
    ...(ffmpeg_path === null ? [] : [[text.ffmpegSearchHow, `${command} --clear`] satisfies [string, string]]),
  ]
  return (
    <div>
      {commands.map(([how, line]) => (
        <div key={line}>
          <div className="me">{how}</div>
          <code className="path">{line}</code>
        </div>
      ))}
    </div>
  )
}

/** Quotes a path for a shell. A Windows path contains no quote. */
const quoted = (path: string) => (path.includes('\\') ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`)
