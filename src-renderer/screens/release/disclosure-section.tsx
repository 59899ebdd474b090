/**
 * The AI disclosure of a release or of one track: five categories with the facts known from the songs and this program, stated by the
 * artist.
 */
import { useEffect, useState } from 'react'
import {
  AI_USES,
  type AiUse,
  DISCLOSURE_CATEGORIES,
  type Disclosure,
  type DisclosureCategory,
  type DisclosureSheet,
  type DisclosureStatement,
  RELEASE_SUBJECTS,
  type ReleaseDisclosure,
  type ReleaseDisclosureChange,
} from '../../../src-contract/disclosure.ts'
import { ASKED_CATEGORIES, trackDisclosure } from '../../../src-contract/disclosure-answers.ts'
import { MAX_LINE_LENGTH } from '../../../src-contract/limits.ts'
import type { Release, Track } from '../../../src-contract/releases.ts'
import { CATEGORY_WORDS, SHEET_WORDS } from '../../../src-contract/text/disclosure.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Fold } from '../../components/fold.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp } from '../../state/app-state.ts'
import { FACTS, fieldOf, noStatements } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'

/**
 * Returns the statement that the sheet proposes for a release, or for the track with this number; undefined without any. Mastering is that
 * of the release. Pure.
 */
export function proposedStatement(
  category: DisclosureCategory,
  sheet: DisclosureSheet | null,
  masteredWith: (program: string) => string,
  track?: number,
): DisclosureStatement | undefined {
  if (!sheet) return undefined
  if (category === 'post_production')
    return track === undefined ? { use: 'none', note: masteredWith(sheet.mastering.program) } : undefined
  const of = (sheet.tracks ?? []).filter((one) => track === undefined || one.track === track)
  const proposals = of.flatMap((one) => one.proposals?.[category] ?? [])
  const [first] = proposals
  if (!first) return undefined
  const all = (member: 'tools' | 'model') => [...new Set(proposals.flatMap((one) => one[member] ?? []))]
  const [tools, models] = [all('tools'), all('model')]
  return {
    use: first.use,
    ...(tools.length > 0 ? { tools: tools.join(', ') } : {}),
    ...(tools.length === 1 && models.length === 1 ? { model: models[0]! } : {}),
  }
}

/** Reads the sheet again whenever the songs change; null until it is there. */
function useSheet(release: Release): DisclosureSheet | null {
  const { client } = useApp()
  const [sheet, setSheet] = useState<DisclosureSheet | null>(null)
  const { release_id } = release
  const songs = release.tracks.map(({ source_id, job_id, state }) => `${source_id} ${job_id} ${state}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other songs have other facts
  useEffect(() => {
    const leaving = new AbortController()
    client.call('readDisclosure', { params: { release_id }, signal: leaving.signal }).then(setSheet, () => undefined)
    return () => leaving.abort()
  }, [client, release_id, songs])
  return sheet
}

type Subject = (typeof RELEASE_SUBJECTS)[number]

/** Statements that forms ask for: no part by AI. */
export const NOTHING_BY_AI: Disclosure = Object.fromEntries(
  ASKED_CATEGORIES.map((category) => [category, { use: 'none' }]),
)

/** Statements on the whole release, or on one track where it differs. */
export function DisclosureSection({ release, track }: { release: Release; track?: Track }) {
  const { releases, notices } = useApp()
  const { editor } = releases
  const { t, language } = useWords()
  const texts = t.release.disclosure
  const sheet = useSheet(release)
  const part = track?.track_id ?? FACTS
  const own: ReleaseDisclosureChange = (track ?? release).disclosure ?? {}
  const subjects: readonly Subject[] = track ? DISCLOSURE_CATEGORIES : RELEASE_SUBJECTS
  const given = stated(own)
  const counting: ReleaseDisclosure = track ? trackDisclosure(stated(release.disclosure), given) : given
  const count = subjects.filter((subject) => counting[subject]).length
  const proposed = (subject: Subject) =>
    subject === 'artwork' ? undefined : proposedStatement(subject, sheet, texts.masteredWith, track?.position)
  const signed = (sheet?.sources ?? []).filter(
    (source) => source.has_c2pa_manifest && (!track || source.track === track.position),
  )
  const change = (subject: Subject, statement: DisclosureStatement | null) =>
    editor.changeAll(
      [[part, { disclosure: { ...noStatements(part), ...own, [subject]: statement } }]],
      fieldOf(part, subject),
    )
  const copyToAll = () => {
    editor.changeAll(
      release.tracks.map(
        ({ track_id }) => [track_id, { disclosure: { ...noStatements(track_id), ...counting } }] as const,
      ),
    )
    notices.announce(texts.copied)
  }
  return (
    <div data-field={fieldOf(part, 'disclosure')}>
      <Fold title={track ? texts.ofTrack : texts.title} summary={texts.stated(count, subjects.length)}>
        <p className="me">{texts.text}</p>
        {signed.map((source) => (
          <p key={source.track} className="me">
            <b>{`${source.track}. ${source.title}`}</b>{' '}
            {SHEET_WORDS[language].manifest(source.c2pa_claim_generator, source.c2pa_carried_on)}
          </p>
        ))}
        {subjects.map((subject) => (
          <Statement
            key={subject}
            subject={subject}
            statement={counting[subject]}
            isOwn={given[subject] !== undefined}
            proposed={proposed(subject)}
            onChange={(statement) => change(subject, statement)}
          />
        ))}
        {track && release.tracks.length > 1 && count > 0 && (
          <Button small onClick={copyToAll}>
            {texts.copyToAll}
          </Button>
        )}
      </Fold>
    </div>
  )
}

/** Returns the statements without those being withdrawn. Pure. */
function stated(change: ReleaseDisclosureChange = {}): ReleaseDisclosure {
  return Object.fromEntries(Object.entries(change).filter(([, statement]) => statement)) as ReleaseDisclosure
}

interface StatementProps {
  subject: Subject
  statement: DisclosureStatement | undefined
  /** It can be withdrawn here: it is not inherited from the release. */
  isOwn: boolean
  proposed: DisclosureStatement | undefined
  onChange: (statement: DisclosureStatement | null) => void
}

function Statement({ subject, statement, isOwn, proposed, onChange }: StatementProps) {
  const { editor } = useApp().releases
  const { t, language } = useWords()
  const texts = t.release.disclosure
  const { name, about } =
    subject === 'artwork'
      ? texts.artwork
      : { name: CATEGORY_WORDS[subject].name[language], about: CATEGORY_WORDS[subject].about[language] }
  const field = (member: 'tools' | 'model' | 'note', given: DisclosureStatement) => (
    <TextField
      label={texts[member]}
      isOptional
      maxLength={MAX_LINE_LENGTH}
      placeholder={texts[`${member}Hint`]}
      value={given[member] ?? ''}
      problem={false}
      onChange={(text) => onChange({ ...given, [member]: text })}
      onBlur={() => editor.flush()}
    />
  )
  return (
    <section className="field disclosed" aria-label={name}>
      <span className="label">
        <b>{name}</b>
        <span className="faint">{about}</span>
      </span>
      <Segmented<AiUse>
        label={name}
        value={statement?.use ?? null}
        options={AI_USES.map((value) => ({ value, text: texts.uses[value] }))}
        onChoose={(use) => onChange({ ...statement, use })}
      />
      {!statement && proposed && (
        <div className="row">
          <p className="me grow">{proposed.tools ? texts.found(proposed.tools) : texts.masteredHere}</p>
          <Button small onClick={() => onChange(proposed)}>
            {texts.take}
          </Button>
        </div>
      )}
      {statement && statement.use !== 'none' && (
        <div className="pair">
          {field('tools', statement)}
          {field('model', statement)}
        </div>
      )}
      {statement && field('note', statement)}
      {statement && isOwn && (
        <Button look="quiet" small onClick={() => onChange(null)}>
          {texts.takeBack}
        </Button>
      )}
    </section>
  )
}
