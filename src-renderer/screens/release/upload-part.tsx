/** The upload part: the facts that the receiver still needs, each with a link to its field; remarks; and the export. */
import { Check, Minus, TriangleAlert } from 'lucide-react'
import { DISTRIBUTORS, type Distributor, distributorProfile } from '../../../src-contract/distributors/index.ts'
import type { ReceiverCheck } from '../../../src-contract/release-exports.ts'
import type { ReleaseRemark } from '../../../src-contract/release-remarks.ts'
import type { Release, TrackChange } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { Fold } from '../../components/fold.tsx'
import { useApp } from '../../state/app-state.ts'
import { FACTS, type PartChange } from '../../state/release-drafts.ts'
import { type MendRow, mendRowsOf } from '../../state/release-readiness.ts'
import { useWords } from '../../text/context.tsx'
import type { Text } from '../../text/en.ts'
import { AnswerSheets } from './answer-sheets.tsx'
import { CheckBox } from './check-box.tsx'
import { NOTHING_BY_AI } from './disclosure-section.tsx'
import { ExportSection } from './export-section.tsx'
import { goToField } from './side.ts'
import { useChosenReceivers } from './verdicts.tsx'

const glyph = { 'aria-hidden': true } as const

export function UploadPart({ release }: { release: Release }) {
  const { t } = useWords()
  const texts = t.release.upload
  const { chosen, certificate, readiness } = useChosenReceivers(release)
  return (
    <>
      {chosen.length === 0 && <p className="me">{texts.unchosen}</p>}
      {chosen.map((receiver) => (
        <ReceiverRows
          key={receiver.receiver}
          release={release}
          receiver={receiver}
          rows={mendRowsOf(receiver, release, certificate)}
        />
      ))}
      <AnswerSheets release={release} />
      <Remarks remarks={readiness?.remarks ?? []} />
      <OtherReceivers release={release} />
      <ExportSection release={release} format={chosen[0]?.upload.format ?? 'wav24'} />
    </>
  )
}

interface ReceiverRowsProps {
  release: Release
  receiver: ReceiverCheck
  rows: readonly MendRow[]
}

function ReceiverRows({ release, receiver, rows }: ReceiverRowsProps) {
  const { t } = useWords()
  const texts = t.release.upload
  const of = (weight: MendRow['weight']) => rows.filter((row) => row.weight === weight)
  const [needed, advised, unknown] = [of('needed'), of('advised'), of('unknown')]
  return (
    <section className="receiver" aria-label={receiver.name}>
      <h2>{receiver.name}</h2>
      {needed.length === 0 && <p className="me">{texts.nothing}</p>}
      <Rows release={release} rows={[...needed, ...of('assigned')]} />
      {advised.length > 0 && (
        <Fold title={texts.advised} summary={texts.count(advised.length)}>
          <Rows release={release} rows={advised} />
        </Fold>
      )}
      {unknown.length > 0 && (
        <Fold title={texts.unknown} summary={texts.count(unknown.length)}>
          <p className="me">
            {texts.unknownText} {unknown.find((row) => row.verdict === 'files')?.messages[0]}
          </p>
          <p className="me">{unknown.map((row) => row.title).join(' · ')}</p>
        </Fold>
      )}
      <p className="me">{texts.promise}</p>
    </section>
  )
}

function Rows({ release, rows }: { release: Release; rows: readonly MendRow[] }) {
  return (
    <ul className="mend-rows">
      {rows.map((row) => (
        <Row key={`${row.name} ${row.title}`} release={release} row={row} />
      ))}
    </ul>
  )
}

function Row({ release, row }: { release: Release; row: MendRow }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const texts = t.release.upload
  const { weight, title, messages, source, url, read, dated, ageNote, field } = row
  const fill = weight === 'assigned' ? null : fillOf(row, release, t)
  const told = [read && texts.read(read), dated && texts.dated(dated), ageNote].filter(Boolean).join(' · ')
  return (
    <li className={`is-${weight}`}>
      {weight === 'assigned' ? (
        <Check className="i s c-ok" {...glyph} />
      ) : weight === 'needed' ? (
        <TriangleAlert className="i s c-warn" {...glyph} />
      ) : (
        <Minus className="i s" {...glyph} />
      )}
      <div className="grow">
        <b>{title}</b>
        {messages.map((message) => (
          <p key={message}>{message}</p>
        ))}
        {source && (
          <p className="tick">
            {url ? (
              <a href={url} target="_blank" rel="noreferrer">
                {source}
              </a>
            ) : (
              source
            )}
            {told && ` · ${told}`}
          </p>
        )}
        {weight !== 'assigned' && (
          <div className="row">
            {fill && (
              <Button small onClick={() => editor.changeAll(fill.changes)}>
                {fill.text}
              </Button>
            )}
            {field && (
              <Button small look="quiet" aria-label={`${texts.mend}: ${title}`} onClick={() => goToField(field)}>
                {texts.mend}
              </Button>
            )}
          </div>
        )}
      </div>
    </li>
  )
}

interface OfferedFill {
  readonly text: string
  readonly changes: readonly (readonly [part: string, change: PartChange])[]
}

/** Returns the suggested line of rights: year and artist. Pure. */
export function rightsLine({ release_date, artist }: Pick<Release, 'release_date' | 'artist'>, now: Date): string {
  return `${release_date?.slice(0, 4) || now.getFullYear()} ${artist}`
}

/** Returns the value that one press fills into a blank field; null if only the owner knows it. Pure. */
function fillOf({ name }: MendRow, release: Release, t: Text): OfferedFill | null {
  const { artist, tracks } = release
  if (name === 'p_line' || name === 'c_line') {
    const line = rightsLine(release, new Date())
    return { text: t.release.use(line), changes: [[FACTS, { [name]: line }]] }
  }
  if (name === 'label') return { text: t.release.use(artist), changes: [[FACTS, { label: artist }]] }
  if (name === 'disclosure')
    return {
      text: t.release.upload.noAi,
      changes: [[FACTS, { disclosure: { ...release.disclosure, ...NOTHING_BY_AI } }]],
    }
  if (name === 'composers' || name === 'lyricists') {
    const blank = tracks.filter((track) => track[name].length === 0)
    return {
      text: t.release.upload.ofAll(artist),
      changes: blank.map(({ track_id }) => [track_id, { [name]: [artist] } satisfies TrackChange] as const),
    }
  }
  return null
}

/** Remarks on names and codes, each with a one-press fix. */
function Remarks({ remarks }: { remarks: readonly ReleaseRemark[] }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const texts = t.release.upload
  if (remarks.length === 0) return null
  return (
    <section className="receiver" aria-label={texts.remarks}>
      <h2>{texts.remarks}</h2>
      <ul className="mend-rows">
        {remarks.map(({ code, field, track, track_id, message, mend }) => (
          <li key={`${code} ${field} ${track}`}>
            <TriangleAlert className="i s c-warn" {...glyph} />
            <div className="grow">
              {track !== undefined && <b>{t.release.parts.track(track)}</b>}
              <p>{message}</p>
              <div className="row">
                {mend && (
                  <Button
                    small
                    className="shrinks"
                    title={mend.shows}
                    onClick={() => editor.changeAll([[track_id ?? FACTS, { ...(mend.track ?? mend.release) }]])}
                  >
                    <span className="clip">{texts.becomes(mend.shows)}</span>
                  </Button>
                )}
                <Button
                  small
                  look="quiet"
                  aria-label={`${texts.mend}: ${message}`}
                  onClick={() => goToField({ part: track_id ?? FACTS, member: field })}
                >
                  {texts.mend}
                </Button>
              </div>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** All other receivers, folded: checking one adds it to the chosen. */
function OtherReceivers({ release }: { release: Release }) {
  const { editor } = useApp().releases
  const { t, language } = useWords()
  const texts = t.release.upload
  const { receivers: [first, ...others] = [] } = release
  if (!first) return null
  const toggle = (one: Distributor) =>
    editor.change(FACTS, {
      receivers: [first, ...(others.includes(one) ? others.filter((other) => other !== one) : [...others, one])],
    })
  return (
    <Fold title={texts.several} summary={texts.chosen(others.length)}>
      <p className="me">{texts.severalText}</p>
      <div className="checks-of-two">
        {DISTRIBUTORS.filter((one) => one !== first).map((one) => (
          <CheckBox
            key={one}
            label={distributorProfile(one).name[language]}
            isOn={others.includes(one)}
            onChange={() => toggle(one)}
          />
        ))}
      </div>
    </Fold>
  )
}
