/** Webhooks: addresses, secrets, tests and the delivery log. */
import { Check, CircleX, Clock, Ellipsis, Plus, Send } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Delivery, Webhook } from '../../../src-contract/webhooks.ts'
import { Button } from '../../components/button.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { deliveryWords } from './delivery-words.ts'
import { Problem, Reading, SecretBox, SectionHead, type SectionProps, TextDialog, useAction } from './section.tsx'

/** Attempts of one delivery before it is given up (first try and seven more). */
const ATTEMPTS = 8
/** Polling interval while a delivery is on its way: its result is no live event. */
const READ_EVERY_MS = 2000

export function WebhooksSection({ titleId }: SectionProps) {
  const { client, service, webhooks } = useApp()
  const { t } = useWords()
  const limit = useSelect(service.store, (state) => state.account?.limits.webhooks ?? 0)
  const { hooks, deliveries, refusal } = useSelect(webhooks.store, (state) => state)
  const [secret, setSecret] = useState<{ title: string; value: string } | null>(null)
  /** The button with which the secret was asked for. */
  const asked = useRef<HTMLElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const [isAdding, setAdding] = useState(false)
  const { problem, run } = useAction()
  const text = t.prefs.webhooks
  const { read } = webhooks
  useEffect(() => void read().catch(() => undefined), [read])
  const isSending = deliveries.some((delivery) => delivery.state === 'pending')
  useEffect(() => {
    if (!isSending) return
    const timer = setInterval(() => void read().catch(() => undefined), READ_EVERY_MS)
    return () => clearInterval(timer)
  }, [read, isSending])
  const used = hooks?.length ?? 0
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.webhooks} sub={text.sub(used, limit)}>
        <Button
          ref={addButton}
          small
          icon={<Plus className="i s" aria-hidden="true" />}
          whyNot={used >= limit && text.limit}
          onClick={() => setAdding(true)}
        >
          {text.add}
        </Button>
      </SectionHead>
      {secret && (
        <SecretBox
          title={secret.title}
          value={secret.value}
          copyText={text.copySecret}
          returnTo={asked}
          onSaved={() => setSecret(null)}
        >
          <p className="me">{text.verify}</p>
        </SecretBox>
      )}
      <Problem problem={problem ?? refusal} />
      {!hooks && <Reading />}
      {hooks && hooks.length === 0 && <p className="note">{text.none}</p>}
      {hooks?.map((hook) => (
        <HookRow
          key={hook.webhook_id}
          hook={hook}
          onTest={() =>
            run(async () => {
              await client.call('testWebhook', { params: { webhook_id: hook.webhook_id } })
              await read()
            })
          }
          onNewSecret={(button) =>
            void run(async () => {
              const fresh = await client.call('replaceWebhookSecret', { params: { webhook_id: hook.webhook_id } })
              asked.current = button
              setSecret({ title: text.newSecret, value: fresh.secret })
            })
          }
          onRemove={() => webhooks.remove(hook, text.removed(hook.url))}
        />
      ))}
      {hooks && (hooks.length > 0 || deliveries.length > 0) && (
        <DeliveryLog
          deliveries={deliveries}
          onSend={(delivery) =>
            void run(async () => {
              await client.call('redeliver', { params: { delivery_id: delivery.delivery_id } })
              await read()
            })
          }
        />
      )}
      {isAdding && (
        <AddDialog
          onClose={() => setAdding(false)}
          onAdded={(value) => {
            asked.current = addButton.current
            setSecret({ title: text.ready, value })
            void read().catch(() => undefined)
            void service.readAccount().catch(() => undefined)
          }}
        />
      )}
    </>
  )
}

interface HookRowProps {
  hook: Webhook
  onTest: () => Promise<unknown>
  /** Gets the button of the menu in which it was chosen. */
  onNewSecret: (button: HTMLElement | null) => void
  onRemove: () => void
}

function HookRow({ hook, onTest, onNewSecret, onRemove }: HookRowProps) {
  const { t } = useWords()
  const [isTesting, setTesting] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const text = t.prefs.webhooks
  const test = async () => {
    setTesting(true)
    await onTest()
    setTesting(false)
  }
  const label = `${t.more}: ${hook.url}`
  return (
    <div className="file hook">
      <i className={`dot ${hook.state}`} title={text.states[hook.state]} />
      <div className="grow">
        <code className="clip">{hook.url}</code>
        {hook.state !== 'active' && <div className="me">{text.states[hook.state]}</div>}
      </div>
      <Button
        small
        icon={<Send className="i s" aria-hidden="true" />}
        busyText={isTesting && text.testing}
        onClick={() => void test()}
      >
        {text.test}
      </Button>
      <Menu
        label={label}
        items={[
          { text: text.replaceSecret, onChoose: () => onNewSecret(trigger.current) },
          { text: t.remove, isDanger: true, onChoose: onRemove },
        ]}
        trigger={
          <Button
            ref={trigger}
            look="quiet"
            small
            label={label}
            icon={<Ellipsis className="i s" aria-hidden="true" />}
          />
        }
      />
    </div>
  )
}

function DeliveryLog({
  deliveries,
  onSend,
}: {
  deliveries: readonly Delivery[]
  onSend: (delivery: Delivery) => void
}) {
  const { jobs } = useApp()
  const { t, format } = useWords()
  const byId = useSelect(jobs.store, (state) => state.byId)
  useEffect(() => void jobs.readMissing(deliveries.flatMap((one) => one.job_id ?? [])), [jobs, deliveries])
  const text = t.prefs.webhooks
  const now = new Date()
  if (deliveries.length === 0) return <p className="note">{text.noDeliveries}</p>
  return (
    <table className="deliveries" aria-label={text.log}>
      <thead>
        <tr>
          <th scope="col">{text.columns.time}</th>
          <th scope="col">{text.columns.event}</th>
          <th scope="col">{text.columns.song}</th>
          <th scope="col">{text.columns.answer}</th>
          <th scope="col">{text.columns.attempt}</th>
          <th scope="col">
            <span className="vh">{text.columns.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.delivery_id}>
            <td className="dim">{format.moment(delivery.created_at, now)}</td>
            <td>
              <code>{delivery.event}</code>
            </td>
            <td className="dim">
              <div className="clip for">
                <bdi>{(delivery.job_id && byId[delivery.job_id]?.title) || '–'}</bdi>
              </div>
            </td>
            <td>
              <Answer delivery={delivery} />
            </td>
            <td className="dim">
              {delivery.state === 'pending' ? t.automate.of(delivery.attempts, ATTEMPTS) : delivery.attempts}
            </td>
            <td className="r">
              {delivery.state !== 'delivered' && (
                <Button small onClick={() => onSend(delivery)}>
                  {delivery.state === 'pending' ? text.sendNow : text.sendAgain}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Answer({ delivery }: { delivery: Delivery }) {
  const { t } = useWords()
  const text = t.prefs.webhooks
  const small = { className: 'i s', 'aria-hidden': true } as const
  // The user's own deletion is no fault.
  const isUnwanted = delivery.stop_reason === 'job_deleted' || delivery.stop_reason === 'webhook_removed'
  const [tone, icon] = {
    delivered: ['c-ok', <Check key="i" {...small} />] as const,
    pending: ['c-warn', <Clock key="i" {...small} />] as const,
    failed: [isUnwanted ? 'dim' : 'c-bad', <CircleX key="i" {...small} />] as const,
  }[delivery.state]
  return (
    <span className={`row ${tone}`} title={delivery.last_error}>
      {icon}
      <span className="dim">{deliveryWords(delivery, text, Date.now())}</span>
    </span>
  )
}

function AddDialog({ onClose, onAdded }: { onClose: () => void; onAdded: (secret: string) => void }) {
  const { client } = useApp()
  const { t } = useWords()
  const text = t.prefs.webhooks
  return (
    <TextDialog
      title={text.add}
      verb={text.add}
      doing={text.adding}
      field={{ label: text.url, placeholder: text.placeholder, inputMode: 'url', spellCheck: false }}
      missing={text.urlless}
      act={async (url) => onAdded((await client.call('createWebhook', { body: { url } })).secret)}
      onClose={onClose}
    />
  )
}
