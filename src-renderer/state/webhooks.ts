/** Webhooks, their delivery log, and removals that can still be undone. */
import { createStore } from 'zustand/vanilla'
import { atMost } from '../../src-contract/at-most.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Delivery, Webhook } from '../../src-contract/webhooks.ts'
import type { NoticesActions } from './notices.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface WebhooksState {
  /** Null before the first reading. Excludes removals that can still be undone. */
  readonly hooks: readonly Webhook[] | null
  readonly deliveries: readonly Delivery[]
  /** Reason why a webhook could not be removed. */
  readonly refusal: Refusal | null
}

const DELIVERIES = 20

/** Makes the store of webhooks with its actions. */
export function createWebhooks(client: Client, notices: NoticesActions) {
  const store = createStore<WebhooksState>(() => ({ hooks: null, deliveries: [], refusal: null }))
  const inTurn = atMost(1)
  /** Removed here but not yet on the server, by webhook_id. */
  const removing = new Set<string>()

  /** Reloads both. Throws ApiError. */
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
    remove(hook: Webhook, text: string) {
      const { webhook_id } = hook
      const place = store.getState().hooks?.findIndex((one) => one.webhook_id === webhook_id) ?? 0
      removing.add(webhook_id)
      store.setState(({ hooks }) => ({
        hooks: hooks?.filter((one) => one.webhook_id !== webhook_id) ?? null,
        refusal: null,
      }))
      const end = () => {
        removing.delete(webhook_id)
        readAgain()
      }
      /** Puts it back without waiting for an answer, which may never come. */
      const putBack = () => store.setState(({ hooks }) => ({ hooks: hooks?.toSpliced(place, 0, hook) ?? null }))
      const sendRemoval = async (isLeaving: boolean) => {
        try {
          await client.call('deleteWebhook', { params: { webhook_id }, keepalive: isLeaving })
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') {
            putBack()
            store.setState({ refusal: refusalOf(error) })
          }
        }
        end()
      }
      notices.show({
        text,
        undo() {
          putBack()
          end()
        },
        settle: (isLeaving) => void sendRemoval(isLeaving),
      })
    },
  }
}
