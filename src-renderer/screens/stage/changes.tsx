/** Changes by mastering, planned or made: a sentence, the repairs and the findings. */
import { ChevronDown, Play } from 'lucide-react'
import { useState } from 'react'
import { REPAIR_KINDS, type RepairKind } from '../../../src-contract/repair-kinds.ts'
import type { Repair, Report, Warning } from '../../../src-contract/report.ts'
import { decisionText } from '../../../src-contract/text/decisions.ts'
import { frequency, unbroken } from '../../../src-contract/text/numbers.ts'
import { repairAmount, worksBelow } from '../../../src-contract/text/repairs.ts'
import { stemChanges } from '../../../src-contract/text/stem-changes.ts'
import { changeSummary } from '../../../src-contract/text/summary.ts'
import { warningText } from '../../../src-contract/text/text.ts'
import { Button } from '../../components/button.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { partWarnings, type SongRow } from '../../state/song-rows.ts'
import { itemOf } from '../master/song-item.ts'
import { useListenWords, useStage } from './context.tsx'

/** Warnings already covered by the verdict or the list of repairs. */
const SAID_ELSEWHERE: readonly Warning['code'][] = ['TARGET_NOT_REACHED', 'INPUT_CLIPPED']

/** Planned changes of a song, from its audition, and its findings. */
export function Changes({ row }: { row: SongRow }) {
  const { l, language, say } = useListenWords()
  const { auditions } = useApp()
  const shown = useSelect(auditions.store, (state) => state.audition)
  const failure = useSelect(auditions.store, (state) => state.failure)
  const audition = shown?.source_id === row.rowId ? shown : null
  const decisions = audition?.decisions ?? []
  const repairs = decisions.filter(({ stage, code }) => stage === 'repair' && code !== 'NOTHING_TO_REPAIR')
  const summary =
    audition &&
    changeSummary(decisions, [{ platform: audition.platform, gain_db: audition.gain_db, max_gain_reduction_db: 0 }])
  return (
    <section className="repairs" aria-label={l.changes.before}>
      <header>
        <h2>{l.changes.before}</h2>
      </header>
      <p className="says">{summary ? unbroken(summary[language]) : failure ? say(failure) : l.changes.planning}</p>
      <ul className="fixes">
        {repairs.map((decision, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two decisions of one kind differ in nothing but their place
          <li key={index}>
            {unbroken(decisionText(decision, language))}
            {decision.code === 'REPAIR_SKIPPED' && <HearWithout kind={decision.values.repair as RepairKind} />}
          </li>
        ))}
      </ul>
      <Notes warnings={row.song?.analysis?.warnings ?? []} />
    </section>
  )
}

/** Changes of a mastered song; without its report, only its findings. */
export function Changed({
  report,
  warnings,
}: {
  report: Pick<Report, 'decisions' | 'masters' | 'repairs' | 'stems'> | null
  warnings: readonly Warning[]
}) {
  const { l, language } = useListenWords()
  const repairs = report?.repairs ?? []
  const inStems = report?.stems && stemChanges(report.stems)
  const results = report?.masters.map(({ result }) => result) ?? []
  return (
    <section className="repairs" aria-label={l.changes.after}>
      <header>
        <h2>{l.changes.after}</h2>
      </header>
      {report && <p className="says">{unbroken(changeSummary(report.decisions, results)[language])}</p>}
      {inStems && <p className="says">{unbroken(inStems[language])}</p>}
      <ul className="fixes">
        {repairs.map((repair, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two repairs of one kind differ in nothing but their place
          <RepairRow key={index} repair={repair} />
        ))}
      </ul>
      <Notes warnings={warnings.filter(({ code }) => !SAID_ELSEWHERE.includes(code))} />
    </section>
  )
}

/** Findings about a song: damage, and folded below it the remarks, which the tags of its row repeat. */
function Notes({ warnings }: { warnings: readonly Warning[] }) {
  const { l } = useListenWords()
  const [isOpen, setOpen] = useState(false)
  const { damage, remarks } = partWarnings(warnings)
  return (
    <>
      {damage.map((warning) => (
        <Note key={`${warning.code} ${warning.platform ?? ''}`} {...warning} />
      ))}
      {remarks.length > 0 && (
        <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {l.changes.remarks(remarks.length)}
          <ChevronDown className="i s" aria-hidden="true" />
        </button>
      )}
      {isOpen && remarks.map((warning) => <Note key={`${warning.code} ${warning.platform ?? ''}`} {...warning} />)}
    </>
  )
}

function Note({ code, message, platform, values }: Warning) {
  const { t, language } = useListenWords()
  return (
    <p className="note">
      {platform && `${t.platforms[platform]}: `}
      {unbroken(warningText(code, values, language) || message)}
    </p>
  )
}

function RepairRow({ repair }: { repair: Repair }) {
  const { l, t, format } = useListenWords()
  const { kind, amount_db, frequency_hz, count, channel } = repair
  const place = frequency_hz === undefined ? null : frequency(frequency_hz)
  const detail =
    kind === 'clipping' && amount_db !== undefined
      ? l.repairs.rebuilt(format.level(Math.abs(amount_db)))
      : place && worksBelow(repair)
        ? l.repairs.below(place)
        : [place, channel && channel !== 'both' ? l.repairs.channel[channel] : null].filter(Boolean).join(', ')
  const amount =
    count !== undefined
      ? l.repairs.places(count)
      : kind === 'mono_bass'
        ? l.repairs.mono
        : (repairAmount(repair) ?? l.repairs.removed)
  return (
    <li>
      <b>{t.settings.repairs[kind]}</b>
      {amount}
      <span>{detail}</span>
      <HearWithout kind={kind} />
    </li>
  )
}

/** Plays the song of the stage without one of its repairs, and as it is set at the second press. */
function HearWithout({ kind }: { kind: RepairKind }) {
  const { l, t } = useListenWords()
  const { row } = useStage()
  const { batch, proposals } = useApp()
  const own = useSelect(batch.store, (state) => row?.song?.settings ?? state.batch?.settings)
  useSelect(proposals.store, (state) => state.heard)
  const item = row && itemOf(row)
  if (!item || !own || own.skip_repairs.includes(kind)) return null
  const settings = { skip_repairs: REPAIR_KINDS.filter((one) => one === kind || own.skip_repairs.includes(one)) }
  return (
    <Button
      look="quiet"
      small
      label={l.repairs.hearWithout(t.settings.repairs[kind])}
      icon={<Play className="i s" aria-hidden="true" />}
      aria-pressed={proposals.isHeard(item.id, settings)}
      onClick={() => proposals.toggle(item, own, settings)}
    />
  )
}
