/** The page's connection to the program: live events and the session credential. */
import { type Client, createClient } from '../../src-contract/client.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import { type OpenStream, ownStream } from '../../src-contract/follow-events.ts'
import { followForPage, type LinkState } from '../api/events.ts'
import { askTabs, joinTabs, keepSession, type Tabs } from '../api/session.ts'
import { streamOfAllTabs } from '../api/shared-stream.ts'
import type { createService } from './service.ts'

/** The shared worker with the event stream of all tabs. Throws where the browser does not support it. */
const startStreamWorker = () =>
  new SharedWorker(new URL('../api/shared-stream.worker.ts', import.meta.url), { type: 'module', name: 'loudsmith' })

/**
 * Opens the live events: the page's own stream without a credential in the desktop's window, else that shared by all
 * tabs.
 */
function streamFor(client: Client): OpenStream {
  if (client.session() === null || typeof BroadcastChannel === 'undefined' || !navigator.locks) return ownStream(client)
  return streamOfAllTabs({
    session: client.session,
    startWorker: startStreamWorker,
    open: (session) => ownStream(createClient({ session, language: () => 'en' })),
    newId: () => crypto.randomUUID(),
  })
}

export interface ProgramLinkDeps {
  readonly client: Client
  readonly service: ReturnType<typeof createService>
  readonly onEvent: (event: LiveEvent) => void
  /** Reloads everything that events may have changed while disconnected. Throws ApiError. */
  readonly onCatchUp: () => Promise<void>
  /** Called when the page continues with the credential of a newer start. */
  readonly onRenewed: () => void
}

export class ProgramLink {
  readonly #deps: ProgramLinkDeps
  readonly #open: OpenStream
  /** The other tabs of this browser; null if the page is on its own. */
  readonly #tabs: Tabs | null
  /** Ends the connection for good; null before it has begun. */
  #end: AbortSignal | null = null
  /** Stops the current connection. */
  #stop = () => {}

  constructor(deps: ProgramLinkDeps) {
    this.#deps = deps
    this.#open = streamFor(deps.client)
    const { client, service } = deps
    const hasTabs = client.session() !== null && typeof BroadcastChannel !== 'undefined'
    this.#tabs = hasTabs
      ? joinTabs({ valid: () => this.#validSession(), onGiven: this.renew, onAsked: service.askedBy })
      : null
  }

  /** Follows the live events until `end` fires, or the program refuses the credential. Never throws. */
  async follow(end: AbortSignal): Promise<void> {
    const { service, onEvent, onCatchUp } = this.#deps
    this.#end = end
    this.#stop()
    const own = new AbortController()
    this.#stop = () => own.abort()
    const onLink = (link: LinkState) => {
      service.showLink(link)
      if (link === 'live') this.#tabs?.tell()
    }
    const signal = AbortSignal.any([end, own.signal])
    await followForPage({ open: this.#open, onEvent, onCatchUp, onLink, signal }).catch(() => {
      service.lockOut()
      if (this.#tabs) this.#tabs.ask()
      else this.askToBeLetIn()
    })
  }

  /** Asks the other tabs to let this one in, which never had a credential. */
  readonly askToBeLetIn = (): void => {
    if (typeof BroadcastChannel === 'undefined') return
    askTabs({ onShown: this.#deps.service.asks, onLetIn: this.renew })
  }

  /** Lets in the asking tab, or refuses it. */
  readonly answerTab = (isLetIn: boolean): void => this.#tabs?.answer(isLetIn)

  /**
   * Continues with the credential of a newer start of the program: reloads all data and resends files that did not
   * arrive. A page without data, and that of another version of the program, is reloaded.
   */
  readonly renew = (session: string): void => {
    const { client, service, onRenewed } = this.#deps
    if (session === client.session()) return
    client.renew(session)
    keepSession(session)
    const known = service.store.getState().system
    if (!known) {
      location.reload()
      return
    }
    service.letIn()
    void service.readMachine().then(
      () => {
        if (service.store.getState().system?.app_version !== known.app_version) location.reload()
      },
      () => undefined,
    )
    if (this.#end) void this.follow(this.#end)
    onRenewed()
  }

  #validSession(): string | null {
    const { client, service } = this.#deps
    return service.store.getState().link === 'live' ? client.session() : null
  }
}
