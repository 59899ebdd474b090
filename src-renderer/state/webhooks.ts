/** Webhooks and the log of their deliveries, and which of them are being removed. */
import { createStore } from 'zustand/vanilla'
import type { Delivery, Webhook } from '../../src-server/contract/webhooks.ts'
import type { Client } from '../api/client.ts'
import type { NoticesActions } from './notices.ts'
import { createTurns } from './turns.ts'

export interface WebhooksState {
  /** Null before the first reading. Without those whose time to undo is running. */
  readonly hooks: readonly Webhook[] | null
  readonly deliveries: readonly Delivery[]
}

const DELIVERIES = 20

/** Makes the store of webhooks with its actions. */
export function createWebhooks(client: Client, notices: NoticesActions) {
  const store = createStore<WebhooksState>(() => ({ hooks: null, deliveries: [] }))
  const inTurn = createTurns()
  /** Removed here and not yet on the server, by webhook_id. */
  const removing = new Set<string>()

  /** Reads both again. Throws ApiError. */
  const read = () =>
    inTurn(async () => {
      const [{ webhooks }, { deliveries }] = await Promise.all([
        client.call('listWebhooks', {}),
        client.call('listDeliveries', { query: { limit: DELIVERIES } }),
      ])
      store.setState({ hooks: webhooks.filter((one) => !removing.has(one.webhook_id)), deliveries })
    })
  const readAgain = () => void read().catch(() => undefined)

  return {
    store,
    read,
    /** Removes a webhook after the time to undo. */
    remove({ webhook_id }: Webhook, text: string) {
      removing.add(webhook_id)
      store.setState(({ hooks }) => ({ hooks: hooks?.filter((one) => one.webhook_id !== webhook_id) ?? null }))
      const end = () => {
        removing.delete(webhook_id)
        readAgain()
      }
      notices.show({
        text,
        undo: end,
        settle: (isLeaving) =>
          void client
            .call('deleteWebhook', { params: { webhook_id }, keepalive: isLeaving })
            .catch(() => undefined)
            .then(end),
      })
    },
  }
}

export type WebhooksActions = ReturnType<typeof createWebhooks>
