/** Failure on a screen that concerns none of its rows. */
import { useApp, useSelect } from '../state/app-state.ts'
import { isNotReached, type Refusal } from '../state/refusal.ts'
import { useWords } from '../text/context.tsx'
import { Button } from './button.tsx'

interface FailureStripProps {
  refusal: Refusal
  /** Subject of the failure, for a refusal that does not name it. */
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

/** Failure of the batch. While the program is away, the window reports that, and this strip stays empty. */
export function BatchFailure() {
  const { batch, service } = useApp()
  const failure = useSelect(batch.store, (state) => state.failure)
  const isAway = useSelect(service.store, (state) => state.link === 'lost')
  if (!failure || (isAway && isNotReached(failure.code))) return null
  return <FailureStrip refusal={failure} onClose={batch.clearFailure} />
}
