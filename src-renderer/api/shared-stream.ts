/**
 * One event stream for all tabs of a browser, which opens six connections to one server and no more. A hub holds it, in a shared worker
 * or, where there is none, in one of the tabs; the others read along over a channel of their origin. Each tab takes the end of the hub
 * for the end of the stream, opens it again and reads the truth: so no event is lost with the tab that held it.
 */
import { ApiError, type MessageStream, type StreamMessage } from '../../src-contract/client.ts'
import type { OpenStream } from '../../src-contract/follow-events.ts'

const NAME = 'loudsmith.events'

/** Messages of the channel. Only pages of this origin, of the same browser profile, hear it. */
type Said =
  /** A tab wants the stream; `session` is the credential with which it may be opened. */
  | { readonly type: 'open'; readonly tabId: string; readonly session: string; readonly lastId?: string | undefined }
  /** A hub has begun; what another one had opened has ended. */
  | { readonly type: 'begun' }
  | { readonly type: 'opened'; readonly tabId: string }
  | { readonly type: 'failed'; readonly tabId: string; readonly code: ApiError['code'] }
  | { readonly type: 'messages'; readonly messages: readonly StreamMessage[] }
  | { readonly type: 'ended' }

type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'>
/** The part of the browser's locks that is used: `run` holds the lock until what it returns is over. */
type Locks = { request: (name: string, run: () => Promise<unknown>) => Promise<unknown> }

export interface HubOptions {
  /** Opens the stream with a credential. */
  readonly open: (session: string) => OpenStream
  readonly channel: Channel
}

/** Holds the stream for those who ask on the channel. */
export function startHub({ open, channel }: HubOptions): void {
  const say = (said: Said) => channel.postMessage(said)
  const waiting = new Map<string, Extract<Said, { type: 'open' }>>()
  /** The last stored event that went through here. */
  let lastId: string | undefined
  let isLive = false
  let isConnecting = false

  async function forward(messages: MessageStream): Promise<void> {
    isLive = true
    for (const tabId of waiting.keys()) say({ type: 'opened', tabId })
    waiting.clear()
    try {
      for await (const batch of messages) {
        lastId = batch.findLast(({ id }) => id !== undefined)?.id ?? lastId
        say({ type: 'messages', messages: batch })
      }
    } catch {
      // A stream that broke off has ended.
    }
    isLive = false
    say({ type: 'ended' })
  }

  /** Opens the stream with the credential of one who waits; one that the server does not take is of those who hold it too. */
  async function connect(): Promise<void> {
    if (isConnecting) return
    isConnecting = true
    for (let [first] = waiting.values(); first; [first] = waiting.values()) {
      const { session } = first
      try {
        const { messages } = await open(session)(lastId ?? newestOf(waiting.values()), new AbortController().signal)
        await forward(messages)
      } catch (error) {
        const code = error instanceof ApiError ? error.code : 'UNREACHABLE'
        for (const [tabId, one] of waiting) {
          if (one.session !== session) continue
          waiting.delete(tabId)
          say({ type: 'failed', tabId, code })
        }
      }
    }
    isConnecting = false
  }

  channel.addEventListener('message', ({ data }: MessageEvent<Said>) => {
    if (data.type !== 'open') return
    if (isLive) return say({ type: 'opened', tabId: data.tabId })
    waiting.set(data.tabId, data)
    void connect()
  })
  say({ type: 'begun' })
}

/** The newest stored event that one of those who wait has seen: ids are row numbers. */
function newestOf(opens: Iterable<{ readonly lastId?: string | undefined }>): string | undefined {
  const ids = [...opens].flatMap(({ lastId }) => (lastId === undefined ? [] : [lastId]))
  return ids.sort((a, b) => Number(b) - Number(a))[0]
}

export interface JoinOptions {
  /** The credential of this tab. */
  readonly session: () => string | null
  readonly channel: Channel
  readonly newId: () => string
}

/** Returns the way to the stream that a hub holds. It waits for a hub where there is none yet. */
export function sharedStream({ session, channel, newId }: JoinOptions): OpenStream {
  const listeners = new Set<(said: Said) => void>()
  channel.addEventListener('message', ({ data }: MessageEvent<Said>) => {
    for (const listener of listeners) listener(data)
  })
  return (lastId, signal) =>
    new Promise((resolve, reject) => {
      const tabId = newId()
      const queue = createQueue()
      let isOpen = false
      const ask = () => {
        const said: Said = { type: 'open', tabId, session: session() ?? '', lastId }
        channel.postMessage(said)
      }
      const end = () => {
        listeners.delete(hear)
        signal.removeEventListener('abort', stop)
        queue.end()
      }
      const stop = () => {
        end()
        reject(signal.reason)
      }
      const hear = (said: Said) => {
        if (isOpen) {
          if (said.type === 'messages') queue.put(said.messages)
          if (said.type === 'ended' || said.type === 'begun') end()
        } else if (said.type === 'begun') ask()
        else if (said.type === 'opened' && said.tabId === tabId) {
          isOpen = true
          resolve({ messages: queue.batches(), close: async () => end() })
        } else if (said.type === 'failed' && said.tabId === tabId) {
          end()
          reject(new ApiError({ code: said.code }))
        }
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      listeners.add(hear)
      ask()
    })
}

/** Makes a queue of batches that is read until its end. */
function createQueue() {
  const batches: (readonly StreamMessage[])[] = []
  let isOver = false
  let wake = () => {}
  return {
    put(batch: readonly StreamMessage[]) {
      batches.push(batch)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
    async *batches(): MessageStream {
      for (;;) {
        const next = batches.shift()
        if (next) yield next
        else if (isOver) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

/** Starts a hub once no other one holds the stream, and keeps it until this tab or worker ends. Never throws. */
export function standForHub(locks: Locks, open: HubOptions['open']): void {
  void locks.request(NAME, () => {
    startHub({ open, channel: new BroadcastChannel(NAME) })
    return new Promise(() => undefined)
  })
}

/**
 * Returns the way to the one stream of this browser's tabs, held by the shared worker that `startWorker` starts; where that does not
 * work, by the first tab that stands for it, through `open`.
 */
export function streamOfAllTabs(options: {
  readonly session: () => string | null
  readonly startWorker: () => SharedWorker
  readonly open: HubOptions['open']
  readonly newId: () => string
}): OpenStream {
  const { session, newId, open, startWorker } = options
  const join = sharedStream({ session, channel: new BroadcastChannel(NAME), newId })
  let stands = false
  const stand = () => {
    if (!stands) standForHub(navigator.locks, open)
    stands = true
  }
  try {
    startWorker().addEventListener('error', stand)
  } catch {
    stand()
  }
  return async (lastId, signal) => {
    const stream = await join(lastId, signal)
    // Behind the hub that was first, in case it ends.
    stand()
    return stream
  }
}
