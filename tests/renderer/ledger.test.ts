import { describe, expect, it } from 'vitest'
import { createClient } from '../../src-contract/client.ts'
import { createLedger } from '../../src-renderer/state/ledger.ts'
import { settle } from '../support/fake-clock.ts'

/** A ledger over a server with `count` entries, numbered from 1. */
function setUp(count: number) {
  const server = { count, isAway: false }
  const asked: string[] = []
  const client = createClient({
    session: null,
    language: () => 'en',
    fetch: async (path) => {
      const { search, searchParams } = new URL(String(path), 'http://server')
      asked.push(search)
      if (server.isAway) throw new TypeError('no network')
      await settle()
      const before = Number(searchParams.get('before') ?? server.count + 1)
      const limit = Number(searchParams.get('limit'))
      const ids = Array.from({ length: server.count }, (_, i) => server.count - i).filter((id) => id < before)
      return Response.json({ entries: ids.slice(0, limit).map((entry_id) => ({ entry_id })) })
    },
  })
  const ledger = createLedger(client)
  const ids = () => ledger.store.getState().entries?.map((entry) => entry.entry_id)
  return { server, ledger, asked, ids, hasEarlier: () => ledger.store.getState().hasEarlier }
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)

describe('the ledger', () => {
  it('opens with its newest entries, and says whether there are earlier ones', async () => {
    for (const [count, hasEarlier] of [
      [0, false],
      [8, false],
      [9, true],
    ] as const) {
      const one = setUp(count)
      await one.ledger.read()
      expect([one.ids(), one.hasEarlier()]).toEqual([down(count, Math.max(1, count - 7)), hasEarlier])
    }
  })

  it('stays open as far as it was when credits change', async () => {
    const { server, ledger, ids, hasEarlier } = setUp(200)
    await ledger.read()
    await ledger.readEarlier()
    expect(ids()).toEqual(down(200, 143))
    server.count = 201
    await ledger.read()
    expect(ids()).toEqual(down(201, 143))
    expect(hasEarlier()).toBe(true)
  })

  it('leaves nothing out when many entries came at once', async () => {
    const { server, ledger, ids } = setUp(10)
    await ledger.read()
    server.count = 35
    await ledger.read()
    expect(ids()).toEqual(down(35, 3))
  })

  it('shows every entry once, however often it is pressed and whatever is read meanwhile', async () => {
    const { server, ledger, ids, hasEarlier } = setUp(40)
    await ledger.read()
    const readings = [ledger.readEarlier(), ledger.readEarlier()]
    server.count = 41
    await Promise.all([...readings, ledger.read()])
    expect(ids()).toEqual(down(41, 1))
    expect(hasEarlier()).toBe(false)
  })

  it('keeps what it shows while nobody answers', async () => {
    const { server, ledger, ids } = setUp(3)
    await ledger.read()
    server.isAway = true
    await ledger.read()
    await expect(ledger.readEarlier()).resolves.toBeUndefined()
    expect(ids()).toEqual([3, 2, 1])
  })
})
