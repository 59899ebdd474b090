/** Answers to receivers' questions about AI: one sheet per form, to read or to copy. */
import { disclosureAnswers, isArtworkTagged, trackDisclosure } from '../../../src-contract/disclosure-answers.ts'
import type { Release } from '../../../src-contract/releases.ts'
import { type FormAnswer, type FormSheet, formSheets } from '../../../src-contract/text/disclosure.ts'
import type { Language } from '../../../src-contract/text/language.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Fold } from '../../components/fold.tsx'
import { FACTS } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'
import { goToField } from './side.ts'

/**
 * Returns the sheets for the chosen receivers: their own forms, and the ones for Apple Music and Spotify, which all of them deliver to.
 * Pure.
 */
export function sheetsFor({ receivers = [], disclosure = {}, tracks }: Release, language: Language): FormSheet[] {
  if (receivers.length === 0) return []
  const { artwork } = disclosure
  const sheet = {
    tracks: tracks.map(({ position, title, disclosure: own }) => {
      const statements = trackDisclosure(disclosure, own)
      return { track: position, title, statements, answers: disclosureAnswers(statements) }
    }),
    artwork: { ...(artwork ?? { use: 'not_stated' as const }), apple: isArtworkTagged(artwork) },
  }
  return formSheets(sheet, language).filter(
    ({ receiver }) => receiver.endsWith('_delivery') || receivers.includes(receiver),
  )
}

/** Tracks of a sheet that have the same answers. */
interface AnsweredTracks {
  readonly tracks: FormSheet['tracks']
  readonly answers: readonly FormAnswer[]
}

/** Returns the tracks of a sheet in groups of the same answers. Pure. */
export function groupsOf({ tracks }: Pick<FormSheet, 'tracks'>): AnsweredTracks[] {
  const groups = Map.groupBy(tracks, ({ answers }) => JSON.stringify(answers))
  return [...groups.values()].map((of) => ({ tracks: of, answers: of[0]!.answers }))
}

/** Returns a question as written before its answer. Pure. */
const asked = (question: string) => (question.endsWith('?') ? question : `${question}:`)

/** Returns a sheet as a text, track by track. Pure. */
export function copiedSheet({ name, release, tracks }: FormSheet, ofRelease: string): string {
  const lines = (answers: readonly FormAnswer[]) =>
    answers.map(({ question, answer }) => `${asked(question)} ${answer}`)
  return [
    name,
    ...(release.length > 0 ? ['', ofRelease, ...lines(release)] : []),
    ...tracks.flatMap(({ track, title, answers }) => ['', `${track}. ${title}`, ...lines(answers)]),
  ].join('\n')
}

export function AnswerSheets({ release }: { release: Release }) {
  const { t, language } = useWords()
  const texts = t.release.upload.answers
  const sheets = sheetsFor(release, language)
  if (sheets.length === 0) return null
  const isOpen = sheets.some(({ release: own, tracks }) =>
    [own, ...tracks.map(({ answers }) => answers)].some((answers) => answers.some(({ isStated }) => !isStated)),
  )
  return (
    <Fold title={texts.title} summary={sheets.map(({ name }) => name).join(', ')}>
      {isOpen && (
        <div className="row">
          <p className="me grow">{texts.open}</p>
          <Button small onClick={() => goToField({ part: FACTS, member: 'disclosure' })}>
            {t.release.upload.mend}
          </Button>
        </div>
      )}
      {sheets.map((sheet) => (
        <section key={sheet.receiver} className="receiver" aria-label={sheet.name}>
          <div className="row">
            <b className="grow">{sheet.name}</b>
            <CopyButton small look="quiet" value={copiedSheet(sheet, texts.release)}>
              {texts.copy}
            </CopyButton>
          </div>
          <p className="me">{sheet.about}</p>
          <ul className="mend-rows">
            {sheet.release.length > 0 && <Answers head={texts.release} answers={sheet.release} />}
            {groupsOf(sheet).map(({ tracks, answers }) => (
              <Answers
                key={tracks[0]?.track}
                head={
                  tracks.length === sheet.tracks.length && tracks.length > 1
                    ? texts.all
                    : tracks.map(({ track, title }) => `${track}. ${title}`).join(', ')
                }
                answers={answers}
              />
            ))}
          </ul>
        </section>
      ))}
    </Fold>
  )
}

function Answers({ head, answers }: { head: string; answers: readonly FormAnswer[] }) {
  return (
    <li>
      <div className="grow">
        <b>{head}</b>
        {answers.map(({ question, answer, isStated }) => (
          <p key={question}>
            {asked(question)} {isStated ? <strong>{answer}</strong> : <span className="faint">{answer}</span>}
          </p>
        ))}
      </div>
    </li>
  )
}
