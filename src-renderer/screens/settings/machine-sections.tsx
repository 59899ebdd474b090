/** Settings of this machine: engine, language and appearance, and its properties. */
import { useEffect, useState } from 'react'
import { LANGUAGE_NAMES, LANGUAGES } from '../../../src-contract/text/language.ts'
import type { DesktopSettings } from '../../../src-main/bridge.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { FfmpegLine } from './ffmpeg-line.tsx'
import { ChoiceLine, Line, Problem, Reading, SectionHead, type SectionProps } from './section.tsx'
import { type ChangeSettings, useSettings } from './use-settings.ts'

export function EngineSection({ titleId }: SectionProps) {
  const { t } = useWords()
  const { settings, system, problem, change } = useSettings()
  const text = t.prefs.engine
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.engine} sub={text.sub} />
      {!settings || !system ? (
        <Reading />
      ) : (
        <>
          <Workers workers={settings.engine_workers} cores={system.cores} onChange={change} />
          <FfmpegLine settings={settings} system={system} />
          <ChoiceLine
            name={text.offline}
            text={text.offlineText}
            value={settings.is_offline ? 'offline' : 'online'}
            options={[
              { value: 'offline', text: t.bar.offline },
              { value: 'online', text: t.bar.online },
            ]}
            onChoose={(one) => change({ is_offline: one === 'offline' })}
          />
          <DesktopLines />
          <Line name={text.version}>
            <span className="dim">{system.engine_version}</span>
          </Line>
          <Line name={text.simd}>
            <span className="dim">{system.has_simd ? text.yes : text.no}</span>
          </Line>
          <Problem problem={problem} />
        </>
      )}
    </>
  )
}

const WORKER_COUNTS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]

function Workers(props: { workers: number; cores: number; onChange: ChangeSettings }) {
  const { workers, cores, onChange } = props
  const { t } = useWords()
  const text = t.prefs.engine
  const fitting = WORKER_COUNTS.filter((count) => count < cores)
  const counts = [...new Set([...fitting, cores, workers])].sort((one, other) => one - other)
  return (
    <ChoiceLine
      name={text.workers}
      text={text.workersText}
      className="fit numbers"
      value={String(workers)}
      options={counts.map((one) => ({ value: String(one), text: String(one) }))}
      onChoose={(one) => onChange({ engine_workers: Number(one) })}
    />
  )
}

/** Choices available only on the desktop; renders nothing in a browser. */
function DesktopLines() {
  const { t } = useWords()
  const [settings, setSettings] = useState<DesktopSettings | null>(null)
  useEffect(() => void window.loudsmith?.readDesktopSettings().then(setSettings), [])
  if (!window.loudsmith || !settings) return null
  const text = t.prefs.desktop
  return (['keepsRunning', 'openAtLogin', 'notifies'] as const).map((name) => (
    <ChoiceLine
      key={name}
      name={text[name]}
      text={name === 'keepsRunning' ? text.keepsRunningText : undefined}
      value={settings[name] ? 'on' : 'off'}
      options={[
        { value: 'on', text: text.on },
        { value: 'off', text: text.off },
      ]}
      onChoose={(one) =>
        void window.loudsmith?.changeDesktopSettings({ [name]: one === 'on' }).then(setSettings, () => undefined)
      }
    />
  ))
}

export function LanguageSection({ titleId }: SectionProps) {
  const { t } = useWords()
  const { preferences } = useApp()
  const { problem, change } = useSettings()
  const language = useSelect(preferences, (state) => state.language)
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.language} sub={t.prefs.language.sub} />
      <Segmented
        label={t.prefs.sections.language}
        className="fit narrow"
        value={language}
        options={[
          { value: 'system', text: t.prefs.language.system },
          ...LANGUAGES.map((value) => ({ value, text: <span lang={value}>{LANGUAGE_NAMES[value]}</span> })),
        ]}
        onChoose={(one) => {
          preferences.setState({ language: one })
          change({ language: one })
        }}
      />
      <Problem problem={problem} />
    </>
  )
}

export function AppearanceSection({ titleId }: SectionProps) {
  const { t } = useWords()
  const { preferences } = useApp()
  const { problem, change } = useSettings()
  const theme = useSelect(preferences, (state) => state.theme)
  const text = t.prefs.appearance
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.appearance} sub={text.sub} />
      <Segmented
        label={t.prefs.sections.appearance}
        className="fit narrow"
        value={theme}
        options={[
          { value: 'system', text: text.system },
          { value: 'dark', text: text.dark },
          { value: 'light', text: text.light },
        ]}
        onChoose={(one) => {
          preferences.setState({ theme: one })
          change({ theme: one })
        }}
      />
      <Problem problem={problem} />
    </>
  )
}

export function AboutSection({ titleId }: SectionProps) {
  const { t } = useWords()
  const { system } = useSettings()
  const text = t.prefs.about
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.about} sub={text.sub}>
        <a className="btn sm" href="/docs" target="_blank" rel="noreferrer">
          {text.docs}
        </a>
      </SectionHead>
      <Line name={text.version}>
        <span className="dim">{system ? `Loudsmith ${system.app_version}` : '–'}</span>
      </Line>
      <Line name={text.node}>
        <span className="dim">{system?.node_version ?? '–'}</span>
      </Line>
      {window.loudsmith && (
        <Line name={t.prefs.desktop.diagnostics} text={t.prefs.desktop.diagnosticsText}>
          <Button small onClick={() => void window.loudsmith?.exportDiagnostics()}>
            {t.save}
          </Button>
        </Line>
      )}
      <Line name={t.keysheet.title}>
        <kbd>?</kbd>
      </Line>
      <p className="note">{text.fonts}</p>
    </>
  )
}
