import { afterEach, describe, expect, it } from 'vitest'
import { ApiError, type MessageStream, type StreamMessage } from '../../src-contract/client.ts'
import type { OpenStream } from '../../src-contract/follow-events.ts'
import { sharedStream, startHub } from '../../src-renderer/api/shared-stream.ts'
import { settle } from '../support/fake-clock.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A server that counts the streams that are open, and the tabs and hubs of one browser. */
function browser() {
  const name = `test ${closers.length} ${Math.random()}`
  const channel = () => {
    const made = new BroadcastChannel(name)
    closers.push(() => made.close())
    return made
  }
  const opened: { session: string; lastId: string | undefined }[] = []
  let put: (batch: readonly StreamMessage[] | null) => void = () => {}
  let failure: ApiError | null = null
  async function* messages(): MessageStream {
    const batches: (readonly StreamMessage[] | null)[] = []
    let wake = () => {}
    put = (batch) => {
      batches.push(batch)
      wake()
    }
    for (;;) {
      const next = batches.shift()
      if (next === null) return
      if (next) yield next
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const open =
    (session: string): OpenStream =>
    async (lastId) => {
      opened.push({ session, lastId })
      // Others ask while the refusal is on its way.
      await settle(20)
      if (session === 'old') throw new ApiError({ code: 'INVALID_API_KEY', status: 401 })
      if (failure) throw failure
      return { messages: messages(), close: async () => undefined }
    }
  let ids = 0
  return {
    opened,
    hub: () => startHub({ open, channel: channel() }),
    /** A hub that goes without a word, as a closed tab does. */
    mortalHub() {
      const its = channel()
      startHub({ open, channel: its })
      return () => its.close()
    },
    tab: (session = 'good') =>
      sharedStream({ session: () => session, channel: channel(), newId: () => `tab ${ids++}` }),
    send: (...batch: StreamMessage[]) => put(batch),
    cut: () => put(null),
    fail: (error: ApiError | null) => {
      failure = error
    },
  }
}

const signal = () => new AbortController().signal
const message = (id: string) => ({ id, data: `{"seq":${id}}` })

/** Reads a stream into a list until it ends. */
async function collect(open: Promise<{ messages: MessageStream }>) {
  const seen: string[] = []
  const { messages } = await open
  const over = (async () => {
    for await (const batch of messages) seen.push(...batch.map(({ id }) => id ?? ''))
  })()
  return { seen, over }
}

describe('the stream of all tabs', () => {
  it('is opened once for ten tabs, and each of them gets every message', async () => {
    const { opened, hub, tab, send, cut } = browser()
    hub()
    const tabs = await Promise.all(Array.from({ length: 10 }, () => collect(tab()(undefined, signal()))))
    expect(opened).toEqual([{ session: 'good', lastId: undefined }])
    send(message('1'), message('2'))
    send(message('3'))
    cut()
    await Promise.all(tabs.map(({ over }) => over))
    expect(tabs.map(({ seen }) => seen)).toEqual(Array(10).fill(['1', '2', '3']))
  })

  it('waits for a hub that begins later', async () => {
    const { opened, hub, tab } = browser()
    const asked = tab()(undefined, signal())
    hub()
    await asked
    expect(opened).toHaveLength(1)
  })

  it('goes on from the last stored event in another hub when the first ends without a word', async () => {
    const { opened, mortalHub, hub, tab, send } = browser()
    const kill = mortalHub()
    const [one, other] = [tab(), tab()]
    const reading = await collect(one(undefined, signal()))
    await other(undefined, signal())
    send(message('7'), message('8'))
    await expect.poll(() => reading.seen).toEqual(['7', '8'])
    kill()
    hub()
    await reading.over
    await Promise.all([one('8', signal()), other('7', signal())])
    expect(opened.map(({ lastId }) => lastId)).toEqual([undefined, '8'])
  })

  it('comes back after a cut from where it was, also for a tab that knows nothing', async () => {
    const { opened, hub, tab, send, cut } = browser()
    hub()
    const reading = await collect(tab()(undefined, signal()))
    send(message('5'))
    cut()
    await reading.over
    await tab()(undefined, signal())
    expect(opened.map(({ lastId }) => lastId)).toEqual([undefined, '5'])
  })

  it('is refused to the tabs whose credential has ended, and opened with that of another', async () => {
    const { opened, hub, tab } = browser()
    hub()
    const old = [tab('old')(undefined, signal()), tab('old')(undefined, signal())]
    const good = tab('good')(undefined, signal())
    for (const one of old) await expect(one).rejects.toMatchObject({ code: 'INVALID_API_KEY' })
    await good
    expect(opened.at(-1)?.session).toBe('good')
  })

  it('fails while the program is away, and opens when it is back', async () => {
    const { hub, tab, fail } = browser()
    hub()
    fail(new ApiError({ code: 'UNREACHABLE' }))
    const one = tab()
    await expect(one(undefined, signal())).rejects.toMatchObject({ code: 'UNREACHABLE' })
    fail(null)
    await one(undefined, signal())
  })

  it('is left by a tab that stops following', async () => {
    const { hub, tab, send } = browser()
    const stop = new AbortController()
    hub()
    const left = await collect(tab()(undefined, stop.signal))
    const staying = await collect(tab()(undefined, signal()))
    stop.abort()
    send(message('1'))
    await left.over
    await expect.poll(() => staying.seen).toEqual(['1'])
    expect(left.seen).toEqual([])
  })
})
