/** `webhooks …`: the account's webhooks, their secrets and deliveries. */
import { type Command, Option } from 'commander'
import type { CallArguments } from '../src-contract/client.ts'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../src-contract/events.ts'
import { MAX_PAGE_SIZE } from '../src-contract/limits.ts'
import type { Delivery, Webhook } from '../src-contract/webhooks.ts'
import { type AddCommand, type ClientOptions, commandGroup, runClientCommand } from './client-command.ts'
import { FAILED } from './exit-codes.ts'
import type { Messages } from './messages.ts'
import { table } from './text-output.ts'
import { unusable } from './unusable-input.ts'
import { wholeNumberFrom } from './whole-number-option.ts'

/** Adds the group `webhooks`. */
export function registerWebhookCommands(program: Command, dataDir: string, messages: Messages): void {
  const command = commandGroup(program, { name: 'webhooks', about: messages.webhooks.about, dataDir, messages })
  registerKeeping(command, messages)
  registerSecret(command, messages)
  registerDeliveries(command, messages)
}

/** Adds `webhooks list`, `add` and `remove`. */
function registerKeeping(command: AddCommand, messages: Messages): void {
  const say = messages.webhooks
  command(
    'list',
    say.list,
    (client) => client.call('listWebhooks'),
    ({ webhooks }) => (webhooks.length === 0 ? say.none : table(webhooks.map((one) => webhookRow(one, messages)))),
  )
  command(
    'add',
    say.add,
    (client, url: string, options: ClientOptions & { readonly event?: WebhookEvent[] }) =>
      client.call('createWebhook', { body: { url, ...(options.event ? { events: options.event } : {}) } }),
    ({ webhook_id, secret }) => `${say.added(webhook_id)}\n${secret}`,
  )
    .argument('<url>', say.url)
    .addOption(new Option('--event <event...>', say.event).choices(WEBHOOK_EVENTS))
  command(
    'remove',
    say.remove,
    async (client, id: string) => {
      await client.call('deleteWebhook', { params: { webhook_id: id } })
      return { webhook_id: id, deleted: true }
    },
    () => say.removed,
  ).argument('<id>', say.id)
}

/** Adds `webhooks secret`. */
function registerSecret(command: AddCommand, messages: Messages): void {
  const say = messages.webhooks
  command('secret', say.secret)
    .argument('[id]', say.id)
    .option('--show', say.show)
    .action((id: string | undefined, options: ClientOptions & { readonly show?: true }) =>
      runClientCommand(
        options,
        messages,
        (client) => {
          if (id === undefined) return client.call(options.show ? 'readJobSigningSecret' : 'replaceJobSigningSecret')
          if (options.show) throw unusable(messages.webhooks.either)
          return client.call('replaceWebhookSecret', { params: { webhook_id: id } })
        },
        ({ secret }) => `${id === undefined ? say.ownSecret : say.added(id)}\n${secret}`,
      ),
    )
}

interface DeliveryOptions extends ClientOptions {
  readonly webhook?: string
  readonly job?: string
  readonly limit?: number
}

/** Adds `webhooks test`, `deliveries` and `redeliver`. */
function registerDeliveries(command: AddCommand, messages: Messages): void {
  const say = messages.webhooks
  const shown = (delivery: Delivery) => table([deliveryRow(delivery, messages)])
  command(
    'test',
    say.test,
    async (client, id: string) => {
      const delivery = await client.call('testWebhook', { params: { webhook_id: id } })
      if (delivery.state === 'failed') process.exitCode = FAILED
      return delivery
    },
    shown,
  ).argument('<id>', say.id)
  command(
    'deliveries',
    say.deliveries,
    (client, options: DeliveryOptions) => client.call('listDeliveries', { query: deliveryQuery(options) }),
    ({ deliveries }) =>
      deliveries.length === 0 ? say.noDeliveries : table(deliveries.map((one) => deliveryRow(one, messages))),
  )
    .option('--webhook <id>', say.ofWebhook)
    .option('--job <id>', say.ofJob)
    .option('--limit <n>', say.limit, wholeNumberFrom(1, messages.jobs.aLimit(MAX_PAGE_SIZE), MAX_PAGE_SIZE))
  command(
    'redeliver',
    say.redeliver,
    (client, id: string) => client.call('redeliver', { params: { delivery_id: id } }),
    shown,
  ).argument('<id>', say.deliveryId)
}

const deliveryQuery = ({
  webhook,
  job,
  limit,
}: DeliveryOptions): NonNullable<CallArguments<'listDeliveries'>['query']> => ({
  ...(webhook === undefined ? {} : { webhook_id: webhook }),
  ...(job === undefined ? {} : { job_id: job }),
  ...(limit === undefined ? {} : { limit }),
})

const webhookRow = ({ webhook_id, state, events, url }: Webhook, { webhooks: say }: Messages) => [
  ...[webhook_id, say.states[state], events.join(','), url],
]

function deliveryRow(delivery: Delivery, { webhooks: say }: Messages): string[] {
  const { last_status: status, last_error: error, stop_reason: stopped } = delivery
  const answer = status === undefined ? (error ?? '') : say.answered(status)
  return [
    ...[delivery.delivery_id, delivery.created_at, say.deliveryStates[delivery.state], delivery.event],
    ...[say.attempts(delivery.attempts), stopped === undefined ? answer : say.stops[stopped], delivery.url],
  ]
}
