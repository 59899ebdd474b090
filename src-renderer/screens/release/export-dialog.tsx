/** The dialog that exports a release into a folder and shows its certificate. */
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { type MasterName, RELEASE } from '../../../src-contract/delivery-target.ts'
import { DISTRIBUTORS, type Distributor, distributorProfile } from '../../../src-contract/distributors/index.ts'
import { FORMAT_NAMES, type Format, formatFacts } from '../../../src-contract/formats.ts'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { FILE_LABELS } from '../../../src-contract/release-exports.ts'
import type { Release } from '../../../src-contract/releases.ts'
import { NAMING_FORM, NAMING_TOKENS } from '../../../src-contract/settings.ts'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../../src-contract/text/language.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Modal } from '../../components/dialogs.tsx'
import { Fold } from '../../components/fold.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import type { ExportWish } from '../../state/release-exports.ts'
import { useWords } from '../../text/context.tsx'
import { releaseEn } from '../../text/release.en.ts'
import { releaseKo } from '../../text/release.ko.ts'
import { ChooseFolder, Problem } from '../settings/section.tsx'
import { CertificateView } from './certificate-view.tsx'
import { WishedNames } from './export-names.tsx'

const AUTO = 'auto'

type FileLabel = (typeof FILE_LABELS)[number]

export function ExportDialog({ release, onClose }: { release: Release; onClose: () => void }) {
  const { releases } = useApp()
  const { t } = useWords()
  const done = useSelect(releases.exports.store, (state) => state.done[release.release_id])
  const [isAsking, ask] = useState(done === undefined)
  const texts = t.release.export
  return (
    <Modal
      title={texts.title(release.title)}
      {...(isAsking ? { description: texts.text } : {})}
      isOpen
      onClose={onClose}
      shape="wide"
    >
      {isAsking || !done ? (
        <ExportForm release={release} onDone={() => ask(false)} />
      ) : (
        <>
          <CertificateView exported={done} />
          <div className="row end">
            <Button onClick={() => ask(true)}>{texts.again}</Button>
          </div>
        </>
      )}
    </Modal>
  )
}

/** Choices of an export beside its folder, receivers and formats. */
interface FurtherChoices {
  readonly platform: MasterName | typeof AUTO
  readonly isByPlatform: boolean
  readonly labels: FileLabel
  readonly naming: string
  readonly hasAsciiNames: boolean
  readonly language: Language
  readonly isZipped: boolean
}

const NAMING = new RegExp(NAMING_FORM.pattern, 'u')

/** Returns the request for the choices, without those at their defaults. Pure. */
export function wishOf(further: FurtherChoices): Omit<ExportWish, 'folder'> {
  const { platform, isByPlatform, labels, naming, hasAsciiNames, language, isZipped } = further
  return {
    ...(platform === AUTO ? {} : { platform }),
    ...(isByPlatform ? { by_platform: true } : {}),
    ...(labels === 'release' ? {} : { file_tags: labels }),
    ...(naming.trim() === '' ? {} : { naming: naming.trim() }),
    ...(hasAsciiNames ? { ascii_names: true } : {}),
    ...(isZipped ? { zip: true } : {}),
    language,
  }
}

function ExportForm({ release, onDone }: { release: Release; onDone: () => void }) {
  const { releases, service } = useApp()
  const { t, language } = useWords()
  const texts = t.release.export
  const output = useSelect(service.store, (state) => state.settings?.output_folder ?? '')
  const [folder, setFolder] = useState(output)
  const [isAsked, setAsked] = useState(false)
  const [receivers, setReceivers] = useState<readonly Distributor[]>(DISTRIBUTORS)
  const [formats, setFormats] = useState<readonly Format[]>([])
  const [further, setFurther] = useState<FurtherChoices>({
    ...{ platform: AUTO, isByPlatform: false, labels: 'release', naming: '', language },
    ...{ hasAsciiNames: false, isZipped: false },
  })
  const isRunning = useSelect(releases.exports.store, (state) => state.runningId !== null)
  const failure = useSelect(releases.exports.store, (state) => state.failure)
  const isWhole = receivers.length > 0 && NAMING.test(further.naming.trim())
  const wish: Omit<ExportWish, 'folder'> = {
    ...(formats.length === 0 ? {} : { formats: [...formats] }),
    ...(receivers.length === DISTRIBUTORS.length ? {} : { receivers: [...receivers] }),
    ...wishOf(further),
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (folder.trim() === '' || !isWhole) return
    const asked = { folder: folder.trim(), ...wish }
    void releases.exports.run(release.release_id, asked).then((isDone) => isDone && onDone())
  }
  return (
    <form className="form export-form" onSubmit={submit}>
      <div className="folder-field">
        <TextField
          label={texts.folder}
          placeholder={texts.folderHint}
          spellCheck={false}
          value={folder}
          onChange={setFolder}
          problem={isAsked && folder.trim() === '' && t.release.missing}
        />
        <ChooseFolder name={texts.folder} onChosen={setFolder} />
      </div>
      <Receivers chosen={receivers} onChoose={setReceivers} isAsked={isAsked} />
      <Formats chosen={formats} onChoose={setFormats} />
      <Further release={release} chosen={further} onChange={(change) => setFurther({ ...further, ...change })} />
      <MissingNames release={release} />
      <WishedNames releaseId={release.release_id} wish={isWhole ? wish : null} />
      <Problem problem={isRunning ? null : failure} />
      <div className="row end">
        {isRunning && (
          <Button look="quiet" onClick={() => releases.exports.stop()}>
            {texts.stop}
          </Button>
        )}
        <Button type="submit" look="primary" busyText={isRunning && texts.running}>
          {texts.run}
        </Button>
      </div>
    </form>
  )
}

/** Warns that names of the release are still the initial ones. */
function MissingNames({ release: { title, artist } }: { release: Release }) {
  const { t } = useWords()
  const isNameless = Object.values(UNNAMED).some((words) => words.untitled === title || words.unknownArtist === artist)
  return isNameless && <p className="c-warn">{t.release.export.nameless}</p>
}

/** Initial names of a release whose songs name none, in every language: the page's language may have changed. */
const UNNAMED = { en: releaseEn, ko: releaseKo }

/** Returns the kinds of masters that every track has; all kinds while the jobs are unknown. */
function useCommonMasters({ tracks }: Release): readonly MasterName[] {
  const { jobs } = useApp()
  const byId = useSelect(jobs.store, (state) => state.byId)
  const ids = tracks.flatMap(({ master, job_id }) => master?.job_id ?? job_id ?? [])
  const key = ids.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same jobs are read once
  useEffect(() => void jobs.readMissing(ids).catch(() => undefined), [jobs, key])
  const known = ids.flatMap((id) => byId[id] ?? [])
  const hasAll = (name: MasterName) =>
    known.every(({ platforms, release }) => (name === RELEASE ? release !== undefined : platforms.includes(name)))
  return [RELEASE, ...PLATFORMS].filter(hasAll)
}

interface FurtherProps {
  release: Release
  chosen: FurtherChoices
  onChange: (change: Partial<FurtherChoices>) => void
}

/** Choices that most exports leave at their defaults: masters, folders, tags and names. */
function Further({ release, chosen, onChange }: FurtherProps) {
  const { t } = useWords()
  const texts = t.release.export
  const common = useCommonMasters(release)
  const isBroken = !NAMING.test(chosen.naming.trim())
  const changed = Object.keys(wishOf(chosen)).length - 1
  return (
    <Fold title={texts.further} summary={changed === 0 ? texts.furtherSummary : t.release.changed(changed)}>
      <Masters common={common} chosen={chosen.platform} onChoose={(platform) => onChange({ platform })} />
      {common.length > 1 && (
        <Check
          label={texts.byPlatform}
          isOn={chosen.isByPlatform}
          onChange={(isByPlatform) => onChange({ isByPlatform })}
        />
      )}
      <div className="pair">
        <Labelled label={texts.tags}>
          <Segmented
            label={texts.tags}
            value={chosen.labels}
            onChoose={(labels) => onChange({ labels })}
            options={FILE_LABELS.map((value) => ({ value, text: texts.labels[value] }))}
          />
        </Labelled>
        <Labelled label={texts.language}>
          <Segmented
            label={texts.language}
            value={chosen.language}
            onChoose={(language) => onChange({ language })}
            options={LANGUAGES.map((value) => ({ value, text: LANGUAGE_NAMES[value] }))}
          />
        </Labelled>
      </div>
      <Naming pattern={chosen.naming} isBroken={isBroken} onChange={(naming) => onChange({ naming })} />
      <Check
        label={texts.asciiNames}
        isOn={chosen.hasAsciiNames}
        onChange={(hasAsciiNames) => onChange({ hasAsciiNames })}
      />
      <Check label={texts.zip} isOn={chosen.isZipped} onChange={(isZipped) => onChange({ isZipped })} />
    </Fold>
  )
}

function Check({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="receiver-choice">
      <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
      <span>{label}</span>
    </label>
  )
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="field">
      <span className="label">{label}</span>
      {children}
    </div>
  )
}

/** Pattern of the file names, with buttons for its tokens. */
function Naming(props: { pattern: string; isBroken: boolean; onChange: (pattern: string) => void }) {
  const { pattern, isBroken, onChange } = props
  const { t } = useWords()
  const texts = t.release.export
  return (
    <div className="field">
      <TextField
        label={texts.naming}
        isOptional
        spellCheck={false}
        maxLength={NAMING_FORM.maxLength}
        placeholder="{track} {title}"
        value={pattern}
        problem={isBroken && texts.notPattern}
        onChange={onChange}
      />
      <fieldset className="tokens" aria-label={texts.namingText}>
        {NAMING_TOKENS.map((token) => (
          <Button key={token} small onClick={() => onChange(`${pattern}${pattern === '' ? '' : ' '}{${token}}`)}>
            {texts.tokens[token]}
          </Button>
        ))}
      </fieldset>
    </div>
  )
}

interface MastersProps {
  common: readonly MasterName[]
  chosen: MasterName | typeof AUTO
  onChoose: (platform: MasterName | typeof AUTO) => void
}

/** Masters to export: those for all services if available, or those of one platform. */
function Masters({ common, chosen, onChoose }: MastersProps) {
  const { t } = useWords()
  const texts = t.release.export
  const nameOf = (name: MasterName) => (name === RELEASE ? texts.allServices : t.platforms[name])
  return (
    <Labelled label={texts.masters}>
      <Segmented
        label={texts.masters}
        columns={3}
        value={chosen}
        onChoose={onChoose}
        options={[{ value: AUTO, text: texts.auto }, ...common.map((value) => ({ value, text: nameOf(value) }))]}
      />
    </Labelled>
  )
}

interface FormatsProps {
  chosen: readonly Format[]
  onChoose: (formats: readonly Format[]) => void
}

interface CheckListProps<Name extends string> {
  all: readonly Name[]
  chosen: readonly Name[]
  nameOf: (one: Name) => string
  onChoose: (chosen: readonly Name[]) => void
}

/** A list of checkboxes; the choice keeps their order. */
function CheckList<Name extends string>({ all, chosen, nameOf, onChoose }: CheckListProps<Name>) {
  const toggle = (one: Name) =>
    onChoose(all.filter((each) => (each === one ? !chosen.includes(one) : chosen.includes(each))))
  return (
    <div className="receivers">
      {all.map((one) => (
        <label key={one} className="receiver-choice">
          <input type="checkbox" checked={chosen.includes(one)} onChange={() => toggle(one)} />
          <span className="clip">{nameOf(one)}</span>
        </label>
      ))}
    </div>
  )
}

/** Formats of the files; empty for the receivers' own. */
function Formats({ chosen, onChoose }: FormatsProps) {
  const { t } = useWords()
  const texts = t.release.export
  return (
    <fieldset className="field">
      <legend className="label">{texts.formats}</legend>
      <CheckList all={FORMAT_NAMES} chosen={chosen} nameOf={(one) => formatFacts(one).name} onChoose={onChoose} />
      {chosen.length === 0 && <p className="me">{texts.anyFormat}</p>}
    </fieldset>
  )
}

interface ReceiversProps {
  chosen: readonly Distributor[]
  onChoose: (receivers: readonly Distributor[]) => void
  isAsked: boolean
}

function Receivers({ chosen, onChoose, isAsked }: ReceiversProps) {
  const { t, language } = useWords()
  const texts = t.release.export
  const nameOf = (one: Distributor) => distributorProfile(one).name[language]
  return (
    <fieldset className="field">
      <legend className="label">{texts.receivers}</legend>
      <CheckList all={DISTRIBUTORS} chosen={chosen} nameOf={nameOf} onChoose={onChoose} />
      {chosen.length === DISTRIBUTORS.length && <p className="me">{texts.onlyChecked}</p>}
      <div className="row">
        <Button look="quiet" small onClick={() => onChoose(DISTRIBUTORS)}>
          {texts.all}
        </Button>
        <Button look="quiet" small onClick={() => onChoose([])}>
          {texts.noReceivers}
        </Button>
        {isAsked && chosen.length === 0 && (
          <p className="c-bad" role="alert">
            {texts.oneReceiver}
          </p>
        )}
      </div>
    </fieldset>
  )
}
