/** The price of the loudness of the song on the stage, and the setting that avoids it. */
import { TriangleAlert } from 'lucide-react'
import type { MasterSettings } from '../../../../src-contract/settings.ts'
import { Button } from '../../../components/button.tsx'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { findPrice } from '../../../state/price.ts'
import { useWords } from '../../../text/context.tsx'

interface PriceProps {
  readonly change: (change: Partial<MasterSettings>) => void
}

export function Price({ change }: PriceProps) {
  const { auditions } = useApp()
  const { t, format } = useWords()
  const audition = useSelect(auditions.store, (state) => state.audition)
  if (!audition) return <p className="tick">{'\u00a0'}</p>
  const found = findPrice(audition.price, audition.target_lufs)
  if (!found) return <p className="tick">{'\u00a0'}</p>
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
