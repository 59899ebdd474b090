/** Composition of the page: the client, the stores and the events that update them. */
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { createClient } from '../../src-contract/client.ts'
import { BATCH_CHANGED, type LiveEvent, type LiveEventName } from '../../src-contract/events.ts'
import { createSaver } from '../api/save.ts'
import type { Opening } from '../api/session.ts'
import { createHandOver, createUpload } from '../api/upload.ts'
import { openAudioGraph } from '../playback/audio-graph.ts'
import { Playback } from '../playback/playback.ts'
import type { PlaybackState } from '../playback/state.ts'
import { Auditions } from './auditions.ts'
import { type BatchActions, createBatch } from './batch.ts'
import { inTurnOfPages } from './batch-analyses.ts'
import { followDesktop } from './desktop.ts'
import { HistoryStore } from './history.ts'
import { JobsStore } from './jobs.ts'
import { createNotices } from './notices.ts'
import { createPreferences, shownLanguage } from './preferences.ts'
import { ProgramLink } from './program-link.ts'
import { Proposals } from './proposals.ts'
import { Releases } from './releases.ts'
import { createService } from './service.ts'
import { createSlots } from './sound-slots.ts'
import { Stems } from './stems.ts'
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
 * Asks before a browser page with unsent files closes, as only the page has them; then keeps their entries, for the files to be chosen
 * again. The desktop reads files itself and continues without the page.
 */
function guardUploads({ uploads }: BatchActions, releases: Releases): void {
  if (window.loudsmith) return
  addEventListener('beforeunload', (event) => {
    if (uploads.hasPending() || releases.uploads.hasPending()) event.preventDefault()
  })
  addEventListener('pagehide', () => uploads.leave())
}

/** The song whose audition the stage shows; null where it shows masters or the list. */
export interface StageState {
  readonly sourceId: string | null
}

interface AuditionSources {
  readonly batch: BatchActions
  readonly stage: StoreApi<StageState>
  readonly playback: Playback
  readonly auditions: Auditions
  readonly proposals: Proposals
}

/**
 * Auditions every change of the sound of the song on the stage, else of the loaded one, once it is analysed, and its proposals while they
 * are heard; the audition of a loaded song is played instead of the original.
 */
function auditionShown({ batch: { store }, stage, playback, auditions, proposals }: AuditionSources): void {
  let before: { readonly id: string; readonly key: string } | null = null
  let loadedBefore: string | undefined
  const follow = () => {
    const { batch } = store.getState()
    const { item, hasFailed } = playback.store.getState()
    const loadedId = item?.kind === 'song' && !hasFailed ? item.id : undefined
    const id = stage.getState().sourceId ?? loadedId
    const stored = batch?.songs.find(({ source }) => source.source_id === id)
    const own = stored?.settings ?? batch?.settings
    const platform = playback.songService()
    proposals.follow(id, own)
    if (!id || !stored?.analysis || !own) {
      before = null
      return auditions.want(null)
    }
    const settings = proposals.auditioned(id, own)
    const key = JSON.stringify([platform, settings])
    if (before?.id !== id || before.key !== key) {
      const isChange = before?.id === id
      before = { id, key }
      auditions.want({ sourceId: id, platform, settings })
      if (isChange && loadedId === id) playback.choose('audition')
    }
    if (loadedBefore !== loadedId && loadedId === id) auditions.hearAgain()
    loadedBefore = loadedId
  }
  store.subscribe(follow)
  stage.subscribe(follow)
  playback.store.subscribe(follow)
  proposals.store.subscribe(({ heard }, before) => heard !== before.heard && follow())
}

/** Stops playing a song that is removed from the list. */
function leaveWithSong({ store }: BatchActions, playback: Playback): void {
  store.subscribe(({ order }) => {
    const { item } = playback.store.getState()
    if (item?.kind === 'song' && !order.includes(item.id)) playback.leave()
  })
}

interface EventStores {
  readonly jobs: JobsStore
  readonly batch: BatchActions
  readonly service: ReturnType<typeof createService>
  readonly history: HistoryStore
  readonly auditions: Auditions
  readonly releases: Releases
}

type Reload = 'account' | 'batch' | 'history' | 'plan' | 'release' | 'settings'

/**
 * The data that each event makes out of date. A job is charged when it is created and refunded when it fails; a song added to a release, or
 * removed from its last, leaves or joins the batch.
 */
const RELOADS: Readonly<Record<LiveEventName, readonly Reload[]>> = {
  'job.created': ['account', 'batch', 'history', 'release'],
  'job.progress': [],
  'job.completed': ['account', 'history', 'release'],
  'job.failed': ['account', 'history', 'release'],
  'job.deleted': ['batch', 'history', 'release'],
  'job.expired': ['history', 'release'],
  'job.delivered': ['history', 'release'],
  'source.progress': [],
  'audition.changed': [],
  'release.changed': ['batch', 'release', 'plan'],
  'export.progress': [],
  'account.changed': ['account'],
  [BATCH_CHANGED]: ['batch'],
  'settings.changed': ['settings'],
}

/** Creates the handler of live events: it applies them and reloads the data they affect. */
function createEventHandler({
  jobs,
  batch,
  service,
  history,
  auditions,
  releases,
}: EventStores): (event: LiveEvent) => void {
  const reloads: Readonly<Record<Reload, () => void>> = {
    account: settled(service.readAccount),
    batch: settled(batch.read),
    history: settled(() => history.refresh()),
    plan: () => releases.plan.again(),
    release: settled(() => releases.editor.refresh()),
    settings: settled(service.readSettings),
  }
  return (event) => {
    jobs.apply(event)
    batch.analyses.apply(event)
    releases.exports.apply(event)
    if (event.event === 'audition.changed') void auditions.hearOf(event.audition_id)
    for (const reload of RELOADS[event.event] ?? []) reloads[reload]()
  }
}

/** Creates the function that reloads everything events may have changed while disconnected. It throws ApiError. */
function createCatchUp({ jobs, batch, service, history, releases }: EventStores): () => Promise<void> {
  let hasReadPast = false
  return async () => {
    const readMachine = service.store.getState().system ? service.readSettings : service.readMachine
    await Promise.all([
      readMachine(),
      service.readAccount(),
      batch.read(),
      history.refresh(),
      releases.editor.refresh(),
    ])
    const { byId } = jobs.store.getState()
    await jobs.readMissing(Object.keys(byId), true)
    if (hasReadPast) return
    hasReadPast = true
    void jobs.readPast()
  }
}

const tossCoin = () => (crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) % 2 === 0

/** Creates every store around one client. */
function createStores({ session, isTicketSpent }: Opening) {
  const preferences = createPreferences()
  const client = createClient({ session, language: () => shownLanguage(preferences.getState()) })
  const notices = createNotices()
  const jobs = new JobsStore(client)
  const upload = createUpload(client)
  const send = window.loudsmith ? createHandOver(window.loudsmith, client, upload) : upload
  const batch = createBatch({
    client,
    upload: send,
    uploadsAtOnce: window.loudsmith ? Number.POSITIVE_INFINITY : 1,
    jobs,
    notices,
    newId: () => crypto.randomUUID(),
    alone: inTurnOfPages,
    storage: localStorage,
  })
  const playback = new Playback({ client, openGraph: openAudioGraph, tossCoin })
  leaveWithSong(batch, playback)
  const stage = createStore<StageState>(() => ({ sourceId: null }))
  const auditions = new Auditions({
    client,
    async hear(sourceId, version) {
      const { item } = playback.store.getState()
      if (item?.kind === 'song' && item.id === sourceId) await playback.late.setAudition(version)
    },
  })
  const proposals = new Proposals({ client, playback })
  auditionShown({ batch, stage, playback, auditions, proposals })
  return {
    client,
    preferences,
    notices,
    jobs,
    service: createService(client, { isTicketSpent }),
    upload,
    batch,
    playback,
    auditions,
    proposals,
    stage,
    slots: createSlots(localStorage),
    stems: new Stems({ client, addFiles: batch.addFiles, addStems: batch.addStems }),
    history: new HistoryStore({ client, jobs, notices }),
    releases: new Releases({ client, notices, send, storage: localStorage }),
    webhooks: createWebhooks(client, notices),
    saver: createSaver(client, window.loudsmith),
  }
}

/** Creates the stores, and the connection that keeps them up to date once it is started. */
export function createAppState(opening: Opening) {
  const stores = createStores(opening)
  const { client, preferences, notices, service, batch } = stores
  const link = new ProgramLink({
    client,
    service,
    onEvent: createEventHandler(stores),
    onCatchUp: createCatchUp(stores),
    onRenewed: () => batch.uploads.resendUnreached(),
  })
  return {
    ...stores,
    renew: link.renew,
    askToBeLetIn: link.askToBeLetIn,
    answerTab: link.answerTab,
    /** Applies the session and ticket of another link opened in this tab. */
    reopen({ session, isTicketSpent }: Opening) {
      service.ticketSpent(isTicketSpent)
      if (session) link.renew(session)
    },
    /** Loads the page's data and follows the program until `signal` fires. */
    async start(signal: AbortSignal) {
      guardUploads(batch, stores.releases)
      addEventListener('pagehide', notices.leave)
      // The second press of a double click continues with the first.
      addEventListener('mousedown', ({ detail }) => detail < 2 && notices.edits.seal(), true)
      addEventListener('pagehide', batch.leave)
      addEventListener('storage', batch.marks.hearOthers)
      if (window.loudsmith) followDesktop({ bridge: window.loudsmith, preferences, batch })
      service.store.subscribe(({ settings }, before) => {
        if (!settings || settings === before.settings) return
        preferences.setState({ language: settings.language, theme: settings.theme })
      })
      await link.follow(signal)
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

/** Returns the value that `select` picks from the playback state, as it changes. */
export function usePlayback<Picked>(select: (state: PlaybackState) => Picked): Picked {
  return useStore(useApp().playback.store, select)
}
