/** Decisions of the engine by stage, with their reasons, in the sentences of the report. */
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import type { Report } from '../../../src-contract/report.ts'
import { decisionText, stageText } from '../../../src-contract/text/decisions.ts'
import { unbroken } from '../../../src-contract/text/numbers.ts'
import { useListenWords } from './context.tsx'

export function Decisions({ report }: { report: Pick<Report, 'decisions'> }) {
  const { decisions } = report
  const { t, l, language } = useListenWords()
  return (
    <section className="decisions" aria-label={l.decisions}>
      <header>
        <h2>{l.decisions}</h2>
      </header>
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
