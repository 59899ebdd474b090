/** Settings of this machine: storage, engine, language, appearance, and what it is. */
import { useEffect, useState } from 'react'
import type { Settings } from '../../../src-contract/app.ts'
import type { DesktopSettings } from '../../../src-main/bridge.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { FfmpegLine } from './ffmpeg-line.tsx'
import {
  ChooseFolder,
  Line,
  Problem,
  Reading,
  SectionHead,
  type SectionProps,
  TextSetting,
  useAction,
} from './section.tsx'

const RETENTION_DAYS = ['7', '30', '90', '365', 'keep'] as const
const QUOTAS_GB = ['20', '60', '200', 'none'] as const
const GB = 1e9

function useSettings() {
  const { service } = useApp()
  const settings = useSelect(service.store, (state) => state.settings)
  const system = useSelect(service.store, (state) => state.system)
  const { problem, run } = useAction()
  return {
    settings,
    system,
    problem,
    change: (change: Partial<Settings>) => void run(() => service.changeSettings(change)),
    apply: (change: Partial<Settings>) => service.changeSettings(change),
  }
}

export function StorageSection({ titleId }: SectionProps) {
  const { t, format } = useWords()
  const { settings, system, problem, change, apply } = useSettings()
  const text = t.prefs.storage
  if (!settings || !system)
    return (
      <>
        <SectionHead titleId={titleId} title={t.prefs.sections.storage} sub={text.sub} />
        <Reading />
      </>
    )
  const retention = String(settings.retention_days ?? 'keep')
  const retentions = RETENTION_DAYS.some((one) => one === retention) ? RETENTION_DAYS : [retention, ...RETENTION_DAYS]
  const quota = settings.disk_quota_bytes === null ? 'none' : String(settings.disk_quota_bytes / GB)
  const quotas = QUOTAS_GB.some((one) => one === quota) ? QUOTAS_GB : [quota, ...QUOTAS_GB]
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.storage} sub={text.sub} />
      <dl className="facts two">
        <div>
          <dt>{text.used}</dt>
          <dd>{format.bytes(system.used_bytes)}</dd>
        </div>
        <div>
          <dt>{text.free}</dt>
          <dd>{format.bytes(system.free_bytes)}</dd>
        </div>
      </dl>
      <Line name={text.folder}>
        <span className="row">
          <code className="clip path">{system.data_dir}</code>
          <Reveal folder="data" name={text.folder} />
        </span>
      </Line>
      {!system.is_private && <p className="hint">{text.notPrivate}</p>}
      {system.quarantine && (
        <Line
          name={text.quarantine}
          text={text.quarantineText(
            system.quarantine.items,
            format.bytes(system.quarantine.bytes),
            system.quarantine.folder,
          )}
        >
          <Reveal folder="data" name={text.quarantine} />
        </Line>
      )}
      <Line name={text.output} text={settings.output_folder ? text.outputText : text.outputOff}>
        <TextSetting
          label={text.outputPath}
          placeholder={text.outputPath}
          value={settings.output_folder ?? ''}
          onApply={(folder) => apply({ output_folder: folder || null })}
        />
        <span className="row end">
          <ChooseFolder name={text.output} onChosen={(output_folder) => change({ output_folder })} />
          {settings.output_folder && <Reveal folder="output" name={text.output} />}
        </span>
      </Line>
      <Line name={text.retention}>
        <Segmented
          label={text.retention}
          className="fit"
          value={retention}
          options={retentions.map((one) => ({
            value: one,
            text: one === 'keep' ? text.forever : text.retentionDays(Number(one)),
          }))}
          onChoose={(one) => change({ retention_days: one === 'keep' ? null : Number(one) })}
        />
      </Line>
      <Line name={text.quota} text={text.quotaText}>
        <Segmented
          label={text.quota}
          className="fit"
          value={quota}
          options={quotas.map((one) => ({
            value: one,
            text: one === 'none' ? text.noQuota : format.bytes(Number(one) * GB),
          }))}
          onChoose={(one) => change({ disk_quota_bytes: one === 'none' ? null : Math.round(Number(one) * GB) })}
        />
      </Line>
      <Problem problem={problem} />
    </>
  )
}

export function EngineSection({ titleId }: SectionProps) {
  const { t } = useWords()
  const { settings, system, problem, change } = useSettings()
  const text = t.prefs.engine
  if (!settings || !system)
    return (
      <>
        <SectionHead titleId={titleId} title={t.prefs.sections.engine} sub={text.sub} />
        <Reading />
      </>
    )
  const workers = String(settings.engine_workers)
  const counts = ['1', '2', '3', '4', '6', '8']
  const options = counts.includes(workers) ? counts : [...counts, workers].sort()
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.engine} sub={text.sub} />
      <Line name={text.workers} text={text.workersText}>
        <Segmented
          label={text.workers}
          className="fit numbers"
          value={workers}
          options={options.slice(0, 6).map((one) => ({ value: one, text: one }))}
          onChoose={(one) => change({ engine_workers: Number(one) })}
        />
      </Line>
      <FfmpegLine settings={settings} system={system} />
      <Line name={text.offline} text={text.offlineText}>
        <Segmented
          label={text.offline}
          className="fit"
          value={settings.is_offline ? 'offline' : 'online'}
          options={[
            { value: 'offline', text: t.bar.offline },
            { value: 'online', text: t.bar.online },
          ]}
          onChoose={(one) => change({ is_offline: one === 'offline' })}
        />
      </Line>
      <DesktopLines />
      <Line name={text.version}>
        <span className="dim">{system.engine_version}</span>
      </Line>
      <Line name={text.simd}>
        <span className="dim">{system.has_simd ? text.yes : text.no}</span>
      </Line>
      <Problem problem={problem} />
    </>
  )
}

/** Shows a folder in the file manager; only the desktop can. */
function Reveal({ folder, name }: { folder: 'output' | 'data'; name: string }) {
  const { t } = useWords()
  if (!window.loudsmith) return null
  return (
    <Button
      look="quiet"
      small
      aria-label={`${t.prefs.desktop.reveal}: ${name}`}
      onClick={() => void window.loudsmith?.revealFolder(folder)}
    >
      {t.prefs.desktop.reveal}
    </Button>
  )
}

/** Choices that belong to the desktop alone; nothing in a browser. */
function DesktopLines() {
  const { t } = useWords()
  const [settings, setSettings] = useState<DesktopSettings | null>(null)
  useEffect(() => void window.loudsmith?.readDesktopSettings().then(setSettings), [])
  if (!window.loudsmith || !settings) return null
  const text = t.prefs.desktop
  return (['keepsRunning', 'openAtLogin', 'notifies'] as const).map((name) => (
    <Line key={name} name={text[name]} text={name === 'keepsRunning' ? text.keepsRunningText : undefined}>
      <Segmented
        label={text[name]}
        className="fit"
        value={settings[name] ? 'on' : 'off'}
        options={[
          { value: 'on', text: text.on },
          { value: 'off', text: text.off },
        ]}
        onChoose={(one) =>
          void window.loudsmith?.changeDesktopSettings({ [name]: one === 'on' }).then(setSettings, () => undefined)
        }
      />
    </Line>
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
          { value: 'ko', text: <span lang="ko">한국어</span> },
          { value: 'en', text: <span lang="en">English</span> },
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
