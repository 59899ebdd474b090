/** What failed on a screen and belongs to none of its rows. */
import { useApp, useSelect } from '../state/app-state.ts'
import { isNotReached } from '../state/refusal.ts'
import { useWords } from '../text/context.tsx'
import { Button } from './button.tsx'

interface FailureStripProps {
  message: string
  requestId?: string | undefined
  onClose: () => void
}

export function FailureStrip({ message, requestId, onClose }: FailureStripProps) {
  const { t } = useWords()
  return (
    <p className="strip inline" role="alert">
      <span className="grow">{message}</span>
      {requestId && <span className="faint">{t.requestId(requestId)}</span>}
      <Button look="quiet" small onClick={onClose}>
        {t.close}
      </Button>
    </p>
  )
}

/** What failed on the desk. While the program is away the window says so, and it is not said twice. */
export function DeskFailure() {
  const { desk, service } = useApp()
  const failure = useSelect(desk.store, (state) => state.failure)
  const isAway = useSelect(service.store, (state) => state.link === 'lost')
  if (!failure || (isAway && isNotReached(failure.code))) return null
  return <FailureStrip {...failure} onClose={desk.clearFailure} />
}
