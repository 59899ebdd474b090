/** What mastering changes in the playing song, the price of its loudness, and the setting that avoids that. */
import { TriangleAlert } from 'lucide-react'
import type { Audition } from '../../../../src-contract/auditions.ts'
import type { MasterSettings } from '../../../../src-contract/settings.ts'
import { changeSummary } from '../../../../src-contract/text/summary.ts'
import { Button } from '../../../components/button.tsx'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { findPrice } from '../../../state/price.ts'
import { useWords } from '../../../text/context.tsx'

interface PriceProps {
  readonly change: (change: Partial<MasterSettings>) => void
}

export function Plan({ change }: PriceProps) {
  const { auditions } = useApp()
  const { language } = useWords()
  const audition = useSelect(auditions.store, (state) => state.audition)
  if (!audition) return null
  const { decisions, platform, gain_db } = audition
  const summary = changeSummary(decisions, [{ platform, gain_db, max_gain_reduction_db: 0 }])
  return (
    <>
      <p className="plan-note">{summary[language]}</p>
      <Price audition={audition} change={change} />
    </>
  )
}

function Price({ audition, change }: PriceProps & { readonly audition: Audition }) {
  const { t, format } = useWords()
  const found = findPrice(audition.price, audition.target_lufs)
  if (!found) return null
  const { harm, better } = found
  const target = format.target(found.targetLufs)
  if (!harm) return <p className="tick">{t.sound.price.fine(target, format.level(found.lossDb))}</p>
  const amount = { loss: found.lossDb, peaks: found.peakLossDb, plr: found.plrDb }[harm]
  const sentence = t.sound.price[harm](target, format.level(amount))
  return (
    <div className="price-note" role="status">
      <TriangleAlert className="i s" aria-hidden="true" />
      <p>
        {sentence} {better && t.sound.price.better(format.target(better.targetLufs), format.level(better.lossDb))}
      </p>
      {better && (
        <Button small onClick={() => change({ target_lufs: better.targetLufs })}>
          {t.sound.price.use(format.target(better.targetLufs))}
        </Button>
      )}
    </div>
  )
}
