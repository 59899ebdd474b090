/** Results about to be deleted, and the button that keeps them. */
import { Clock } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'

export function ExpiringStrip() {
  const { service, history, batch } = useApp()
  const { t, format } = useWords()
  const expiring = useSelect(service.store, (state) => state.account?.expiring ?? null)
  const days = useSelect(service.store, (state) => state.settings?.retention_days ?? null)
  const [isBusy, setBusy] = useState(false)
  if (!expiring || days === null) return null
  const { results, size_bytes, first_at } = expiring
  const keep = () => {
    setBusy(true)
    void service
      .keepResults()
      .then(() => history.read())
      .catch(batch.fail)
      .finally(() => setBusy(false))
  }
  return (
    <p className="strip inline is-warning" role="status">
      <Clock className="i s" aria-hidden="true" />
      <span className="grow">{t.history.expiring(results, format.shortDate(first_at), format.bytes(size_bytes))}</span>
      <Button small busyText={isBusy && t.loading} onClick={keep}>
        {t.history.keepOn(days)}
      </Button>
    </p>
  )
}
