/** What failed on a screen and belongs to none of its rows. */
import { useApp, useSelect } from '../state/app-state.ts'
import { isNotReached, type Refusal } from '../state/refusal.ts'
import { useWords } from '../text/context.tsx'
import { Button } from './button.tsx'

interface FailureStripProps {
  refusal: Refusal
  /** What it is about, where the refusal does not say that. */
  head?: string
  onClose: () => void
}

export function FailureStrip({ refusal, head, onClose }: FailureStripProps) {
  const { t, say } = useWords()
  return (
    <p className="strip inline" role="alert">
      <span className="grow">{[head, say(refusal)].filter(Boolean).join(' ')}</span>
      {refusal.requestId && <span className="faint">{t.requestId(refusal.requestId)}</span>}
      <Button look="quiet" small onClick={onClose}>
        {t.close}
      </Button>
    </p>
  )
}

/** What failed in the batch. While the program is away the window says so, and it is not said twice. */
export function BatchFailure() {
  const { batch, service } = useApp()
  const failure = useSelect(batch.store, (state) => state.failure)
  const isAway = useSelect(service.store, (state) => state.link === 'lost')
  if (!failure || (isAway && isNotReached(failure.code))) return null
  return <FailureStrip refusal={failure} onClose={batch.clearFailure} />
}
