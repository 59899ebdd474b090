/** Storage: the folders of the library and of the results, and the limits in days and bytes. */
import type { Settings, SystemState } from '../../../src-contract/app.ts'
import { Button } from '../../components/button.tsx'
import { useWords } from '../../text/context.tsx'
import {
  ChoiceLine,
  ChooseFolder,
  Line,
  Problem,
  Reading,
  SectionHead,
  type SectionProps,
  TextSetting,
} from './section.tsx'
import { type ChangeSettings, useSettings } from './use-settings.ts'

const RETENTION_DAYS = ['7', '30', '90', '365', 'keep'] as const
const QUOTAS_GB = ['20', '60', '200', 'none'] as const
const GB = 1e9

export function StorageSection({ titleId }: SectionProps) {
  const { t } = useWords()
  const { settings, system, problem, change, apply } = useSettings()
  const text = t.prefs.storage
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.storage} sub={text.sub} />
      {!settings || !system ? (
        <Reading />
      ) : (
        <>
          <DiskFacts system={system} />
          <DataFolder system={system} />
          <OutputFolder folder={settings.output_folder} onChange={change} onApply={apply} />
          <AllowedFolders folders={settings.allowed_folders} />
          <Retention days={settings.retention_days} onChange={change} />
          <Quota bytes={settings.disk_quota_bytes} onChange={change} />
          <Problem problem={problem} />
        </>
      )}
    </>
  )
}

/**
 * Folders where programs may name files by path. The owner changes them in a terminal, as any program with its
 * credential could pose as the page.
 */
function AllowedFolders({ folders }: { folders: readonly string[] }) {
  const { t } = useWords()
  const text = t.prefs.storage
  return (
    <Line name={text.allowedFolders} text={folders.length === 0 ? text.noAllowedFolders : folders.join(', ')}>
      <div className="me">{text.allowHow}</div>
      <code className="path">{text.allowCommand}</code>
    </Line>
  )
}

function DiskFacts({ system }: { system: SystemState }) {
  const { t, format } = useWords()
  const text = t.prefs.storage
  return (
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
  )
}

/** The folder of the library, and the content of its quarantine. */
function DataFolder({ system: { data_dir, is_private, quarantine } }: { system: SystemState }) {
  const { t, format } = useWords()
  const text = t.prefs.storage
  return (
    <>
      <Line name={text.folder}>
        <span className="row">
          <code className="clip path">{data_dir}</code>
          <Reveal folder="data" name={text.folder} />
        </span>
      </Line>
      {!is_private && <p className="hint">{text.notPrivate}</p>}
      {quarantine && (
        <Line
          name={text.quarantine}
          text={text.quarantineText(quarantine.items, format.bytes(quarantine.bytes), quarantine.folder)}
        >
          <Reveal folder="data" name={text.quarantine} />
        </Line>
      )}
    </>
  )
}

interface OutputFolderProps {
  folder: Settings['output_folder']
  onChange: ChangeSettings
  onApply: (change: Partial<Settings>) => Promise<unknown>
}

function OutputFolder({ folder, onChange, onApply }: OutputFolderProps) {
  const { t } = useWords()
  const text = t.prefs.storage
  return (
    <Line name={text.output} text={folder ? text.outputText : text.outputOff}>
      <TextSetting
        label={text.outputPath}
        placeholder={text.outputPath}
        value={folder ?? ''}
        onApply={(path) => onApply({ output_folder: path || null })}
      />
      <span className="row end">
        <ChooseFolder name={text.output} onChosen={(output_folder) => onChange({ output_folder })} />
        {folder && <Reveal folder="output" name={text.output} />}
      </span>
    </Line>
  )
}

/** The usual choices, preceded by a value set elsewhere. */
const withValue = (choices: readonly string[], value: string) =>
  choices.includes(value) ? choices : [value, ...choices]

function Retention({ days, onChange }: { days: Settings['retention_days']; onChange: ChangeSettings }) {
  const { t } = useWords()
  const text = t.prefs.storage
  const value = String(days ?? 'keep')
  return (
    <ChoiceLine
      name={text.retention}
      value={value}
      options={withValue(RETENTION_DAYS, value).map((one) => ({
        value: one,
        text: one === 'keep' ? text.forever : text.retentionDays(Number(one)),
      }))}
      onChoose={(one) => onChange({ retention_days: one === 'keep' ? null : Number(one) })}
    />
  )
}

function Quota({ bytes, onChange }: { bytes: Settings['disk_quota_bytes']; onChange: ChangeSettings }) {
  const { t, format } = useWords()
  const text = t.prefs.storage
  const value = bytes === null ? 'none' : String(bytes / GB)
  return (
    <ChoiceLine
      name={text.quota}
      text={text.quotaText}
      value={value}
      options={withValue(QUOTAS_GB, value).map((one) => ({
        value: one,
        text: one === 'none' ? text.noQuota : format.bytes(Number(one) * GB),
      }))}
      onChoose={(one) => onChange({ disk_quota_bytes: one === 'none' ? null : Math.round(Number(one) * GB) })}
    />
  )
}

/** Button that shows a folder in the file manager; renders nothing in a browser. */
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
