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
import { Table } from './table.tsx'

/** Attempts of a delivery before it is given up (the first and seven more). */
const ATTEMPTS = 8
/** Polling interval while a delivery is under way, ms: its result has no live event. */
const READ_EVERY_MS = 2000

/** A secret that can be read only now. */
interface FreshSecret {
  readonly title: string
  readonly value: string
  /** Button that requested it, which gets the focus back. */
  readonly askedWith: HTMLElement | null
}

export function WebhooksSection({ titleId }: SectionProps) {
  const { service, webhooks } = useApp()
  const { t } = useWords()
  const limit = useSelect(service.store, (state) => state.account?.limits.webhooks ?? 0)
  const { hooks, deliveries, refusal } = useSelect(webhooks.store, (state) => state)
  const [secret, setSecret] = useState<FreshSecret | null>(null)
  const { problem, test, replaceSecret, resend } = useWebhookActions(setSecret)
  const addButton = useRef<HTMLButtonElement>(null)
  const [isAdding, setAdding] = useState(false)
  const text = t.prefs.webhooks
  useFreshDeliveries(deliveries)
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
      {secret && <SigningSecret secret={secret} onSaved={() => setSecret(null)} />}
      <Problem problem={problem ?? refusal} />
      {!hooks && <Reading />}
      {hooks && hooks.length === 0 && <p className="note">{text.none}</p>}
      {hooks?.map((hook) => (
        <HookRow
          key={hook.webhook_id}
          hook={hook}
          onTest={() => test(hook)}
          onNewSecret={(button) => void replaceSecret(hook, button)}
          onRemove={() => webhooks.remove(hook, text.removed(hook.url))}
        />
      ))}
      {hooks && (hooks.length > 0 || deliveries.length > 0) && <DeliveryLog deliveries={deliveries} onSend={resend} />}
      {isAdding && (
        <AddDialog
          onClose={() => setAdding(false)}
          onAdded={(value) => {
            setSecret({ title: text.ready, value, askedWith: addButton.current })
            void webhooks.read().catch(() => undefined)
            void service.readAccount().catch(() => undefined)
          }}
        />
      )}
    </>
  )
}

/** Reads webhooks and deliveries once, and repeatedly while a delivery is on its way. */
function useFreshDeliveries(deliveries: readonly Delivery[]): void {
  const { read } = useApp().webhooks
  useEffect(() => void read().catch(() => undefined), [read])
  const isSending = deliveries.some((delivery) => delivery.state === 'pending')
  useEffect(() => {
    if (!isSending) return
    const timer = setInterval(() => void read().catch(() => undefined), READ_EVERY_MS)
    return () => clearInterval(timer)
  }, [read, isSending])
}

/** Calls about a webhook or delivery, and the last failure. A new secret goes to `onSecret`. */
function useWebhookActions(onSecret: (secret: FreshSecret) => void) {
  const { client, webhooks } = useApp()
  const { t } = useWords()
  const { problem, run } = useAction()
  return {
    problem,
    test: ({ webhook_id }: Webhook) =>
      run(() => client.call('testWebhook', { params: { webhook_id } }).then(webhooks.read)),
    replaceSecret: ({ webhook_id }: Webhook, askedWith: HTMLElement | null) =>
      run(async () => {
        const { secret } = await client.call('replaceWebhookSecret', { params: { webhook_id } })
        onSecret({ title: t.prefs.webhooks.newSecret, value: secret, askedWith })
      }),
    resend: ({ delivery_id }: Delivery) =>
      run(() => client.call('redeliver', { params: { delivery_id } }).then(webhooks.read)),
  }
}

function SigningSecret({ secret, onSaved }: { secret: FreshSecret; onSaved: () => void }) {
  const { t } = useWords()
  const text = t.prefs.webhooks
  const returnTo = { current: secret.askedWith }
  return (
    <SecretBox
      title={secret.title}
      value={secret.value}
      copyText={text.copySecret}
      returnTo={returnTo}
      onSaved={onSaved}
    >
      <p className="me">{text.verify}</p>
    </SecretBox>
  )
}

interface HookRowProps {
  hook: Webhook
  onTest: () => Promise<unknown>
  /** Receives the button of the menu that chose it. */
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

interface DeliveryLogProps {
  deliveries: readonly Delivery[]
  onSend: (delivery: Delivery) => void
}

function DeliveryLog({ deliveries, onSend }: DeliveryLogProps) {
  const { jobs } = useApp()
  const { t, format } = useWords()
  const byId = useSelect(jobs.store, (state) => state.byId)
  useEffect(() => void jobs.readMissing(deliveries.flatMap((one) => one.job_id ?? [])), [jobs, deliveries])
  const text = t.prefs.webhooks
  const now = new Date()
  if (deliveries.length === 0) return <p className="note">{text.noDeliveries}</p>
  return (
    <Table
      className="deliveries"
      aria-label={text.log}
      rows={deliveries}
      idOf={(delivery) => delivery.delivery_id}
      columns={[
        { name: text.columns.time, cellClass: 'dim', cell: ({ created_at }) => format.moment(created_at, now) },
        { name: text.columns.event, cell: ({ event }) => <code>{event}</code> },
        {
          name: text.columns.song,
          cellClass: 'dim',
          cell: ({ job_id }) => (
            <div className="clip for">
              <bdi>{(job_id && byId[job_id]?.title) || '–'}</bdi>
            </div>
          ),
        },
        { name: text.columns.answer, cell: (delivery) => <Answer delivery={delivery} /> },
        {
          name: text.columns.attempt,
          cellClass: 'dim',
          cell: ({ state, attempts }) => (state === 'pending' ? t.automate.of(attempts, ATTEMPTS) : attempts),
        },
        {
          name: text.columns.actions,
          isNameHidden: true,
          cellClass: 'r',
          cell: (delivery) =>
            delivery.state !== 'delivered' && (
              <Button small onClick={() => onSend(delivery)}>
                {delivery.state === 'pending' ? text.sendNow : text.sendAgain}
              </Button>
            ),
        },
      ]}
    />
  )
}

function Answer({ delivery }: { delivery: Delivery }) {
  const { t } = useWords()
  const text = t.prefs.webhooks
  const small = { className: 'i s', 'aria-hidden': true } as const
  // A deletion by the user is not a failure of the receiver.
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
