/** Decisions of the engine by stage, with their reasons, in the sentences of the report. */
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import type { Report } from '../../../src-contract/report.ts'
import { decisionText, stageText } from '../../../src-contract/text/decisions.ts'
import { unbroken } from '../../../src-contract/text/numbers.ts'
import { changeSummary } from '../../../src-contract/text/summary.ts'
import { useListenWords } from './context.tsx'

/** `report` is that of the loaded job; older ones have no summary of their own. */
export function Decisions({ report }: { report: Pick<Report, 'decisions' | 'masters'> }) {
  const { decisions, masters } = report
  const { t, l, language } = useListenWords()
  const results = masters.map(({ result }) => result)
  const summary = changeSummary(decisions, results)
  return (
    <section className="decisions" aria-label={l.decisions}>
      <header>
        <h2>{l.decisions}</h2>
      </header>
      <p>{summary[language]}</p>
      <ol>
        {decisions.map((decision, index) => {
          // Clipper and limiter are described for the master that drove them hardest.
          const platform = PLATFORMS.find((one) => one === decision.values.platform)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two decisions of one kind differ in nothing but their place
            <li key={index}>
              <b>{stageText(decision.stage, language)}</b>
              <span>
                {platform && `${t.platforms[platform]}: `}
                {unbroken(decisionText(decision, language))}
              </span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
