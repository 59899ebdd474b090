/** The export of a release: its folder, its options, and the written files. */
import { type ReactNode, useEffect } from 'react'
import { type MasterName, RELEASE } from '../../../src-contract/delivery-target.ts'
import { FORMAT_NAMES, type Format, formatFacts } from '../../../src-contract/formats.ts'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { FILE_LABELS } from '../../../src-contract/release-exports.ts'
import type { Release } from '../../../src-contract/releases.ts'
import { NAMING_FORM, NAMING_TOKENS } from '../../../src-contract/settings.ts'
import { LANGUAGE_NAMES, LANGUAGES } from '../../../src-contract/text/language.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Fold } from '../../components/fold.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { FACTS } from '../../state/release-drafts.ts'
import { type ExportChoices, folderOf, isNaming, wishOf } from '../../state/release-exports.ts'
import { useWords } from '../../text/context.tsx'
import { releaseEn } from '../../text/release.en.ts'
import { releaseKo } from '../../text/release.ko.ts'
import { ChooseFolder, Problem } from '../settings/section.tsx'
import { CertificateView } from './certificate-view.tsx'
import { CheckBox } from './check-box.tsx'
import { WishedNames } from './export-names.tsx'

interface SectionProps {
  release: Release
  /** Format that the receiver asks for. */
  format: Format
}

export function ExportSection({ release, format }: SectionProps) {
  const { releases, service } = useApp()
  const { t, language } = useWords()
  const { choices, done, failure, runningId } = useSelect(releases.exports.store, (state) => state)
  const ofSettings = useSelect(service.store, (state) => state.settings?.output_folder)
  const texts = t.release.export
  const choose = (change: Partial<ExportChoices>) => releases.exports.choose(change)
  const written = done[release.release_id]
  const folder = folderOf(choices, ofSettings)
  return (
    <section className="receiver export" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className="me">{texts.text}</p>
      <div className="folder-field">
        <TextField
          label={texts.folder}
          placeholder={texts.folderHint}
          spellCheck={false}
          value={folder}
          onChange={(next) => choose({ folder: next })}
          problem={folder.trim() === '' && t.release.missing}
        />
        <ChooseFolder name={texts.folder} onChosen={(next) => choose({ folder: next })} />
      </div>
      <CheckBox label={texts.zip} isOn={choices.isZipped} onChange={(isZipped) => choose({ isZipped })} />
      <MissingNames release={release} />
      <WishedNames releaseId={release.release_id} wish={isNaming(choices.naming) ? wishOf(choices, language) : null} />
      <Further release={release} format={format} choices={choices} onChange={choose} />
      <Problem problem={runningId ? null : failure} />
      {written && <CertificateView exported={written} />}
    </section>
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

const AUTO = 'auto'

interface FurtherProps extends SectionProps {
  choices: ExportChoices
  onChange: (change: Partial<ExportChoices>) => void
}

/** Choices that default to the receiver's wishes: formats, tags, names, masters. */
function Further({ release, format, choices, onChange }: FurtherProps) {
  const { t, language } = useWords()
  const texts = t.release.export
  const common = useCommonMasters(release)
  const changed = Object.keys(wishOf({ ...choices, isZipped: false }, language)).length - 1
  const masterName = (name: MasterName) => (name === RELEASE ? texts.allServices : t.platforms[name])
  const toggle = (one: Format) => {
    const { formats } = choices
    onChange({ formats: FORMAT_NAMES.filter((each) => formats.includes(each) !== (each === one)) })
  }
  return (
    <div data-field={`${FACTS}.formats`}>
      <Fold title={texts.further} summary={changed === 0 ? texts.furtherSummary : t.release.changed(changed)}>
        <fieldset className="field">
          <legend className="label">{texts.formats}</legend>
          <div className="checks-of-two">
            {FORMAT_NAMES.map((one) => (
              <CheckBox
                key={one}
                label={formatFacts(one).name}
                isOn={choices.formats.includes(one)}
                onChange={() => toggle(one)}
              />
            ))}
          </div>
          {choices.formats.length === 0 && <p className="me">{texts.anyFormat(formatFacts(format).name)}</p>}
        </fieldset>
        <Labelled label={texts.tags}>
          <Segmented
            label={texts.tags}
            value={choices.labels}
            onChoose={(labels) => onChange({ labels })}
            options={FILE_LABELS.map((value) => ({ value, text: texts.labels[value] }))}
          />
        </Labelled>
        <Naming pattern={choices.naming} onChange={(naming) => onChange({ naming })} />
        <CheckBox
          label={texts.asciiNames}
          isOn={choices.hasAsciiNames}
          onChange={(hasAsciiNames) => onChange({ hasAsciiNames })}
        />
        <CheckBox
          label={texts.contentCredentials}
          isOn={choices.carriesManifests}
          onChange={(carriesManifests) => onChange({ carriesManifests })}
        />
        <p className="me">{texts.contentCredentialsText}</p>
        <Labelled label={texts.masters}>
          <Segmented<MasterName | typeof AUTO>
            label={texts.masters}
            columns={3}
            value={choices.platform ?? AUTO}
            onChoose={(platform) => onChange({ platform: platform === AUTO ? null : platform })}
            options={[
              { value: AUTO, text: texts.auto },
              ...common.map((value) => ({ value, text: masterName(value) })),
            ]}
          />
        </Labelled>
        {common.length > 1 && (
          <CheckBox
            label={texts.byPlatform}
            isOn={choices.isByPlatform}
            onChange={(isByPlatform) => onChange({ isByPlatform })}
          />
        )}
        <Labelled label={texts.language}>
          <Segmented
            label={texts.language}
            value={choices.language ?? language}
            onChoose={(chosen) => onChange({ language: chosen })}
            options={LANGUAGES.map((value) => ({ value, text: LANGUAGE_NAMES[value] }))}
          />
        </Labelled>
      </Fold>
    </div>
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
function Naming({ pattern, onChange }: { pattern: string; onChange: (pattern: string) => void }) {
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
        problem={!isNaming(pattern) && texts.notPattern}
        onChange={onChange}
      />
      <fieldset className="row tight wraps" aria-label={texts.namingText}>
        {NAMING_TOKENS.map((token) => (
          <Button key={token} small onClick={() => onChange(`${pattern}${pattern === '' ? '' : ' '}{${token}}`)}>
            {texts.tokens[token]}
          </Button>
        ))}
      </fieldset>
    </div>
  )
}
