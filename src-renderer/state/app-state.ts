/** Composition of the page: the client, the stores and what keeps them up to date. */
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'
import { type Client, createClient } from '../../src-contract/client.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import { followEvents, type LinkState, type OpenStream, ownStream } from '../api/events.ts'
import { createSaver } from '../api/save.ts'
import { joinTabs, keepSession, type Opening } from '../api/session.ts'
import { streamOfAllTabs } from '../api/shared-stream.ts'
import { createHandOver, createUpload } from '../api/upload.ts'
import { createPlayer } from '../player/player.ts'
import { type BatchActions, createBatch } from './batch.ts'
import { inTurnOfPages } from './batch-analyses.ts'
import { followDesktop } from './desktop.ts'
import { Hearing } from './hearing.ts'
import { HistoryStore } from './history.ts'
import { JobsStore } from './jobs.ts'
import { createNotices } from './notices.ts'
import { createPreferences, shownLanguage } from './preferences.ts'
import { createService } from './service.ts'
import { createSlots } from './sound-slots.ts'
import { createWebhooks } from './webhooks.ts'

const SETTLE_MS = 120

/** Runs `action` once after a burst of calls. */
function settled(action: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    clearTimeout(timer)
    timer = setTimeout(() => void action().catch(() => undefined), SETTLE_MS)
  }
}

/**
 * Files that have not arrived are only in a browser's page: it asks before it goes, and what it goes away with waits to be given
 * again. The desktop reads them itself and goes on without the page.
 */
function guardUploads({ uploads }: BatchActions): void {
  if (window.loudsmith) return
  addEventListener('beforeunload', (event) => {
    if (uploads.hasPending()) event.preventDefault()
  })
  addEventListener('pagehide', () => uploads.leave())
}

/** The shared worker with the event stream of all tabs. Throws where a browser has none. */
const startStreamWorker = () =>
  new SharedWorker(new URL('../api/shared-stream.worker.ts', import.meta.url), { type: 'module', name: 'loudsmith' })

/** Returns the way to the live events: of one's own in the desktop's window and without a credential, else that of all tabs. */
function streamFor(client: Client): OpenStream {
  if (client.session() === null || typeof BroadcastChannel === 'undefined' || !navigator.locks) return ownStream(client)
  return streamOfAllTabs({
    session: client.session,
    startWorker: startStreamWorker,
    open: (session) => ownStream(createClient({ session, language: () => 'en' })),
    newId: () => crypto.randomUUID(),
  })
}

/** A song that is taken off the list is heard no longer. */
function leaveWithSong({ store }: BatchActions, hearing: Hearing): void {
  store.subscribe(({ order }) => {
    const { song } = hearing.store.getState()
    if (song && !order.includes(song.rowId)) hearing.leave()
  })
}

interface EventStores {
  readonly jobs: JobsStore
  readonly batch: BatchActions
  readonly service: ReturnType<typeof createService>
  readonly history: HistoryStore
}

/** Creates the handler of live events: it applies them, and reads again what they changed. */
function createEventHandler({ jobs, batch, service, history }: EventStores): (event: LiveEvent) => void {
  const readAccountSoon = settled(service.readAccount)
  const readSettingsSoon = settled(service.readSettings)
  const readBatchSoon = settled(batch.read)
  const refreshHistorySoon = settled(() => history.refresh())
  return (event) => {
    jobs.apply(event)
    batch.analyses.apply(event)
    if (event.event === 'desk.changed') readBatchSoon()
    if (event.event === 'account.changed') readAccountSoon()
    if (event.event === 'settings.changed') readSettingsSoon()
    if (event.event === 'job.progress') return
    if (event.job_id) refreshHistorySoon()
    if (event.event === 'job.created' || event.event === 'job.deleted') readBatchSoon()
    // A song is charged as its job is made, and refunded as it fails.
    if (event.event === 'job.created' || event.event === 'job.completed' || event.event === 'job.failed')
      readAccountSoon()
  }
}

/** Creates every store around one client. */
export function createAppState({ session, isTicketSpent }: Opening) {
  const preferences = createPreferences()
  const language = () => shownLanguage(preferences.getState())
  const client = createClient({ session, language })
  const notices = createNotices()
  const jobs = new JobsStore(client)
  const service = createService(client, { isTicketSpent })
  const upload = createUpload(client)
  const newId = () => crypto.randomUUID()
  const batch = createBatch({
    client,
    upload: window.loudsmith ? createHandOver(window.loudsmith, client, upload) : upload,
    uploadsAtOnce: window.loudsmith ? Number.POSITIVE_INFINITY : 1,
    jobs,
    notices,
    newId,
    alone: inTurnOfPages,
    storage: localStorage,
  })
  const hearing = new Hearing({ client, createPlayer })
  leaveWithSong(batch, hearing)
  const history = new HistoryStore({ client, jobs, notices })
  const webhooks = createWebhooks(client, notices)
  const saver = createSaver(client, window.loudsmith)

  const onEvent = createEventHandler({ jobs, batch, service, history })

  let hasReadPast = false
  /** Reads everything that events may have changed while nobody listened. Throws ApiError. */
  const catchUp = async () => {
    const readMachine = service.store.getState().system ? service.readSettings : service.readMachine
    await Promise.all([readMachine(), service.readAccount(), batch.read(), history.refresh()])
    const { byId } = jobs.store.getState()
    await jobs.readMissing(Object.keys(byId), true)
    if (hasReadPast) return
    hasReadPast = true
    void jobs.readPast()
  }

  /** Ends the following that is under way. */
  let stopFollowing = () => {}
  const open = streamFor(client)
  const follow = async (signal: AbortSignal) => {
    stopFollowing()
    const own = new AbortController()
    stopFollowing = () => own.abort()
    const onLink = (link: LinkState) => {
      service.showLink(link)
      if (link === 'live') tabs?.tell()
    }
    const until = AbortSignal.any([signal, own.signal])
    await followEvents({ open, onEvent, onCatchUp: catchUp, onLink, signal: until }).catch(() => {
      service.lockOut()
      tabs?.ask()
    })
  }
  let followAnew = () => {}

  /**
   * Goes on with the credential of a newer start of the program: everything is read again, and files that did not get there are sent.
   * A page that had read nothing, and that of another version of the program, is loaded again.
   */
  const renew = (fresh: string) => {
    if (fresh === client.session()) return
    client.renew(fresh)
    keepSession(fresh)
    const known = service.store.getState().system
    if (!known) return location.reload()
    service.letIn()
    void service.readMachine().then(
      () => {
        if (service.store.getState().system?.app_version !== known.app_version) location.reload()
      },
      () => undefined,
    )
    followAnew()
    batch.uploads.resendUnreached()
  }
  // A page that never had its link is not let in by others: it has to be opened with it.
  const tabs =
    session !== null && typeof BroadcastChannel !== 'undefined'
      ? joinTabs({
          valid: () => (service.store.getState().link === 'live' ? client.session() : null),
          onGiven: renew,
        })
      : null

  return {
    client,
    renew,
    /** Takes what another link, opened in this tab, has brought. */
    reopen({ session: fresh, isTicketSpent: isSpent }: Opening) {
      service.ticketSpent(isSpent)
      if (fresh) renew(fresh)
    },
    preferences,
    notices,
    jobs,
    service,
    upload,
    batch,
    hearing,
    slots: createSlots(localStorage),
    history,
    webhooks,
    saver,
    /** Reads what the page needs and follows the server until `signal` fires. */
    async start(signal: AbortSignal) {
      guardUploads(batch)
      addEventListener('pagehide', notices.leave)
      addEventListener('pagehide', batch.leave)
      addEventListener('storage', batch.marks.hearOthers)
      if (window.loudsmith) followDesktop({ bridge: window.loudsmith, preferences, batch })
      service.store.subscribe(({ settings }, before) => {
        if (!settings || settings === before.settings) return
        preferences.setState({ language: settings.language, theme: settings.theme })
      })
      followAnew = () => void follow(signal)
      await follow(signal)
    },
  }
}

export type AppState = ReturnType<typeof createAppState>

export const AppContext = createContext<AppState | null>(null)

/** The stores and actions of the page. */
export function useApp(): AppState {
  const app = useContext(AppContext)
  if (!app) throw new Error('no AppContext above this component')
  return app
}

/** Returns the value that `select` picks from a store, as it changes. `select` must return the same value for the same state. */
export function useSelect<State, Picked>(store: StoreApi<State>, select: (state: State) => Picked): Picked {
  return useStore(store, select)
}
