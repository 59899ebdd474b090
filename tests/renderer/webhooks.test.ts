import { describe, expect, it } from 'vitest'
import { createClient } from '../../src-contract/client.ts'
import type { Delivery } from '../../src-contract/webhooks.ts'
import { deliveryWords } from '../../src-renderer/screens/settings/delivery-words.ts'
import { createNotices } from '../../src-renderer/state/notices.ts'
import { createWebhooks } from '../../src-renderer/state/webhooks.ts'
import { settingsEn } from '../../src-renderer/text/settings.en.ts'
import { settingsKo } from '../../src-renderer/text/settings.ko.ts'
import { settle } from '../support/fake-clock.ts'

/** Webhooks over a server that has `a` and `b`; readings are answered when `answer` is called once `hold` is. */
async function bench() {
  const server = { ids: ['a', 'b'], isAway: false }
  const deleted: (string | boolean | undefined)[][] = []
  const held: (() => void)[] = []
  let isHeld = false
  const client = createClient({
    session: null,
    language: () => 'en',
    fetch: async (path, init) => {
      if (server.isAway) throw new TypeError('no network')
      if (init?.method === 'DELETE') {
        const id = String(path).split('/').at(-1)
        deleted.push([id, init.keepalive])
        server.ids = server.ids.filter((one) => one !== id)
        return new Response(null, { status: 204 })
      }
      const webhooks = server.ids.map((webhook_id) => ({ webhook_id, url: webhook_id }))
      if (isHeld && String(path).endsWith('webhooks')) await new Promise<void>((resolve) => held.push(resolve))
      return Response.json({ webhooks, deliveries: [] })
    },
  })
  const notices = createNotices()
  const hooks = createWebhooks(client, notices)
  await hooks.read()
  const ids = () => hooks.store.getState().hooks?.map((one) => one.webhook_id)
  const remove = (id: string) => hooks.remove({ webhook_id: id, url: id } as never, 'removed')
  return {
    ...{ hooks, notices, server, deleted, held, ids, remove },
    hold: () => {
      isHeld = true
    },
    release: async () => {
      isHeld = false
      for (const answer of held.splice(0).reverse()) answer()
      await settle(20)
    },
  }
}

describe('webhooks', () => {
  it('stay away once removed, whatever is read before the time to undo is over', async () => {
    const { hooks, notices, ids, remove } = await bench()
    remove('a')
    await hooks.read()
    expect(ids()).toEqual(['b'])
    notices.settle()
    await settle(20)
    expect(ids()).toEqual(['b'])
  })

  it('come back when their removal is undone', async () => {
    const { notices, ids, remove, deleted } = await bench()
    remove('a')
    notices.undo()
    await expect.poll(ids).toEqual(['a', 'b'])
    expect(deleted).toEqual([])
  })

  it('come back in their place with the reason when they could not be removed, though nothing can be read', async () => {
    const { hooks, notices, ids, remove, server } = await bench()
    remove('a')
    server.isAway = true
    notices.settle()
    await expect.poll(ids).toEqual(['a', 'b'])
    expect(hooks.store.getState().refusal?.code).toBe('UNREACHABLE')
    server.isAway = false
    remove('b')
    expect(hooks.store.getState().refusal).toBeNull()
    expect(ids()).toEqual(['a'])
  })

  it('come back when their removal is undone while nothing can be read', async () => {
    const { notices, ids, remove, server } = await bench()
    remove('a')
    server.isAway = true
    notices.undo()
    expect(ids()).toEqual(['a', 'b'])
  })

  it('are removed with a page that goes before the time to undo is over', async () => {
    const { notices, remove, deleted } = await bench()
    remove('a')
    notices.leave()
    expect(deleted).toEqual([['a', true]])
  })

  it('are shown as they were read last, however late an older answer comes', async () => {
    const { hooks, server, ids, hold, release } = await bench()
    hold()
    const older = hooks.read()
    await settle()
    server.ids = ['a', 'b', 'c']
    const newer = hooks.read()
    await settle()
    await release()
    await Promise.all([older, newer])
    expect(ids()).toEqual(['a', 'b', 'c'])
  })
})

it('the delivery log says in both languages why a delivery was stopped, and what a waiting one waits for', () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z')
  const delivery = (facts: Partial<Delivery>): Delivery => ({
    delivery_id: 'd',
    event_id: 'msg_d',
    event: 'job.completed',
    url: 'http://127.0.0.1:9/',
    state: 'failed',
    attempts: 0,
    created_at: '2026-03-01T11:00:00.000Z',
    ...facts,
  })
  const both = (facts: Partial<Delivery>) =>
    [settingsEn, settingsKo].map(({ webhooks }) => deliveryWords(delivery(facts), webhooks, now))
  expect(both({ stop_reason: 'job_deleted' })).toEqual(['stopped: the song was deleted', '중단: 곡을 삭제함'])
  expect(both({ stop_reason: 'job_deleted', attempts: 2, last_status: 503 })).toEqual([
    '503, stopped: the song was deleted',
    '503, 중단: 곡을 삭제함',
  ])
  expect(both({ stop_reason: 'webhook_removed', attempts: 1 })).toEqual([
    'No answer, stopped: the address was removed',
    '응답 없음, 중단: 주소를 지움',
  ])
  expect(both({ attempts: 8 })).toEqual(['No answer, stopped', '응답 없음, 중단'])
  expect(both({ state: 'pending' })).toEqual(['Waiting', '대기'])
  expect(both({ state: 'pending', attempts: 1, next_attempt_at: '2026-03-01T12:08:00.000Z' })).toEqual([
    'No answer, again in 8 min',
    '응답 없음, 8분 뒤 다시 보냄',
  ])
})
