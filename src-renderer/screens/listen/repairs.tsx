/** Repairs of damage, and further findings. */
import type { Repair, Warning } from '../../../src-contract/report.ts'
import { frequency } from '../../../src-contract/text/numbers.ts'
import { repairAmount, worksBelow } from '../../../src-contract/text/repairs.ts'
import { warningText } from '../../../src-contract/text/text.ts'
import { useListenWords } from './context.tsx'

/** Warnings already covered by the verdict or the list of repairs. */
const SAID_ELSEWHERE: readonly Warning['code'][] = ['TARGET_NOT_REACHED', 'INPUT_CLIPPED']

export function Repairs({ repairs, warnings }: { repairs: readonly Repair[]; warnings: readonly Warning[] }) {
  const { t, l, language } = useListenWords()
  const rest = warnings.filter(({ code }) => !SAID_ELSEWHERE.includes(code))
  return (
    <section className="repairs" aria-label={l.repairs.title}>
      <header>
        <h2>{l.repairs.title}</h2>
        <span className="faint">{l.repairs.only}</span>
      </header>
      {repairs.length === 0 && <p className="note">{l.repairs.none}</p>}
      <ul className="fixes">
        {repairs.map((repair, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two repairs of one kind differ in nothing but their place
          <RepairRow key={index} repair={repair} />
        ))}
      </ul>
      {rest.map(({ code, message, platform, values }) => (
        <p key={`${code} ${platform ?? ''}`} className="note">
          {platform && `${t.platforms[platform]}: `}
          {warningText(code, values, language) || message}
        </p>
      ))}
    </section>
  )
}

function RepairRow({ repair }: { repair: Repair }) {
  const { l, format } = useListenWords()
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
      <b>{l.repairs.kinds[kind]}</b>
      {amount}
      <span>{detail}</span>
    </li>
  )
}
