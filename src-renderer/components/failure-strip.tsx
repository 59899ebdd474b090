/** What failed on a screen and belongs to none of its rows. */
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
