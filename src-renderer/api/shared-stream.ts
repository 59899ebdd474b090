/**
 * One event stream for all tabs of a browser, as a browser opens only six connections to a server. A hub holds it, in a
 * shared worker or, without those, in one of the tabs; the others follow on a channel of their origin. When the hub
 * ends, each tab treats that as the end of the stream, reopens it and reloads its data: no event is lost with the tab
 * that held it.
 */
import { ApiError, type MessageStream, type StreamMessage } from '../../src-contract/client.ts'
import type { OpenStream } from '../../src-contract/follow-events.ts'

const NAME = 'loudsmith.events'

/** Messages of the channel, which only pages of this origin in the same browser profile receive. */
type Said =
  /** A tab requests the stream; `session` is the credential to open it with. */
  | { readonly type: 'open'; readonly tabId: string; readonly session: string; readonly lastId?: string | undefined }
  /** A hub has started; the streams of the previous one have ended. */
  | { readonly type: 'begun' }
  | { readonly type: 'opened'; readonly tabId: string }
  | { readonly type: 'failed'; readonly tabId: string; readonly code: ApiError['code'] }
  | { readonly type: 'messages'; readonly messages: readonly StreamMessage[] }
  | { readonly type: 'ended' }

type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'>
/** The subset of the browser's locks used here: `run` holds the lock until its promise settles. */
type Locks = { request: (name: string, run: () => Promise<unknown>) => Promise<unknown> }

export interface HubOptions {
  /** Opens the stream with a credential. */
  readonly open: (session: string) => OpenStream
  readonly channel: Channel
}

/** Holds the stream for the tabs on the channel. */
export function startHub({ open, channel }: HubOptions): void {
  const say = (said: Said) => channel.postMessage(said)
  const waiting = new Map<string, Extract<Said, { type: 'open' }>>()
  /** The last stored event forwarded. */
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
      // A broken stream has ended.
    }
    isLive = false
    say({ type: 'ended' })
  }

  /** Opens the stream with the credential of a waiting tab; a refusal applies to every tab with the same credential. */
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

/** The newest stored event seen by any waiting tab: ids are row numbers. */
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

/** Returns a function that opens the hub's stream, waiting for a hub if there is none yet. */
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

/** Creates a queue of batches, read until its end. */
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

/** Starts a hub once no other holds the stream, and keeps it until this tab or worker ends. Never throws. */
export function standForHub(locks: Locks, open: HubOptions['open']): void {
  void locks.request(NAME, () => {
    startHub({ open, channel: new BroadcastChannel(NAME) })
    return new Promise(() => undefined)
  })
}

/**
 * Returns the function that opens the stream shared by this browser's tabs, held by the shared worker that
 * `startWorker` starts or, if that fails, by the first tab to get the lock, through `open`.
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
    // Queues behind the current hub, in case it ends.
    stand()
    return stream
  }
}
