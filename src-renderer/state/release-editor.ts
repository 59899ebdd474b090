/** The open release: its stored state, unsaved changes, and saving. */
import { createStore } from 'zustand/vanilla'
import { atMost } from '../../src-contract/at-most.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Disclosure } from '../../src-contract/disclosure.ts'
import type { Release, Track, TrackChange } from '../../src-contract/releases.ts'
import { readStored } from './browser-storage.ts'
import { createEdits } from './edits.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import {
  type Draft,
  FACTS,
  fieldOf,
  isSame,
  nextPart,
  noStatements,
  type PartChange,
  sharing,
  withChange,
  withoutPart,
  withoutStored,
  written,
} from './release-drafts.ts'

export type Saving = 'saved' | 'saving' | 'waiting'

export interface EditorState {
  readonly releaseId: string | null
  /** The release as the program has it. */
  readonly stored: Release | null
  /** The release as edited here. */
  readonly shown: Release | null
  readonly draft: Draft
  /** The program's reasons for refusing a field, by `fieldOf`; the text typed there is kept. */
  readonly refused: Readonly<Record<string, string>>
  readonly order: readonly string[] | null
  /** Tracks being removed. */
  readonly hidden: readonly string[]
  readonly saving: Saving
  readonly failure: Refusal | null
}

export interface ReleaseEditorDeps {
  readonly client: Pick<Client, 'call' | 'open'>
  /** Keeps unsaved changes over a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
  /** Called after a change was saved. */
  readonly onStored: () => void
}

const DRAFTS_KEY = 'loudsmith.release-drafts'
/** Pause in typing before the text is saved, ms. */
const TYPING_MS = 400
/** Pause after the last move before the order is saved, ms. */
const MOVING_MS = 200
/** Interval between attempts while the program is away, ms. */
const AWAY_MS = 2000

const CLOSED: EditorState = {
  releaseId: null,
  stored: null,
  shown: null,
  draft: {},
  refused: {},
  order: null,
  hidden: [],
  saving: 'saved',
  failure: null,
}

type Drafts = Readonly<Record<string, Draft>>

/** Members of a track that are sent when it is restored. */
const bodyOf = ({
  track_id: _id,
  position: _place,
  state: _state,
  duration_seconds: _length,
  ...facts
}: Track): TrackChange => {
  const { master: _master, ...own } = facts as typeof facts & { master?: unknown }
  return own
}

export class ReleaseEditor {
  readonly store = createStore<EditorState>(() => CLOSED)
  readonly edits = createEdits(() => performance.now())
  readonly #deps: ReleaseEditorDeps
  readonly #inTurn = atMost(1)
  /** Current ids of tracks that were removed and restored. */
  readonly #putBackAs = new Map<string, string>()
  #saveTimer: ReturnType<typeof setTimeout> | undefined
  #orderTimer: ReturnType<typeof setTimeout> | undefined
  /** Order at the start of a drag. */
  #heldOrder: readonly string[] | null = null

  constructor(deps: ReleaseEditorDeps) {
    this.#deps = deps
  }

  /** Opens a release with its unsaved changes from before. Never throws. */
  open(releaseId: string): void {
    if (this.store.getState().releaseId === releaseId) return void this.refresh()
    this.flush()
    for (const { editId } of this.edits.store.getState().past) this.edits.drop(editId)
    this.store.setState({ ...CLOSED, releaseId, draft: this.#readDrafts()[releaseId] ?? {} })
    void this.refresh().then(() => this.#save())
  }

  close(): void {
    this.flush()
    this.store.setState(CLOSED)
  }

  /** Reloads the release; unsaved changes stay. Never throws. */
  async refresh(): Promise<void> {
    const { releaseId } = this.store.getState()
    if (releaseId === null) return
    await this.#run(releaseId, () => this.#deps.client.call('readRelease', { params: { release_id: releaseId } }))
  }

  clearFailure(): void {
    this.#set({ failure: null })
  }

  /** Writes members of the release (`FACTS`) or of a track. */
  change(part: string, change: PartChange): void {
    this.changeAll([[part, change]], fieldOf(part, Object.keys(change).join()))
  }

  /** Writes into several parts in one step. */
  changeAll(changes: readonly (readonly [part: string, change: PartChange])[], mergeKey?: string): void {
    const { shown } = this.store.getState()
    if (!shown || changes.length === 0) return
    const before = changes.map(([part, change]) => [part, valuesOf(shown, this.#currentId(part), change)] as const)
    this.#write(changes)
    this.edits.push({
      undo: () => this.#write(before),
      redo: () => this.#write(changes),
      ...(mergeKey === undefined ? {} : { mergeKey }),
    })
  }

  /** Starts or ends a drag of tracks: the moves in between are one step. */
  hold(isHeld: boolean): void {
    const now = this.#trackIds()
    if (isHeld) this.#heldOrder = now
    else if (this.#heldOrder) {
      const before = this.#heldOrder
      this.#heldOrder = null
      if (before.join() !== now.join()) this.#noteOrder(before, now)
    }
  }

  /** Moves a track by a number of places. */
  move(trackId: string, by: number): void {
    const before = this.#trackIds()
    const from = before.indexOf(trackId)
    const to = Math.max(0, Math.min(before.length - 1, from + by))
    if (from < 0 || from === to) return
    const after = before.toSpliced(from, 1).toSpliced(to, 0, trackId)
    this.#arrange(after)
    if (!this.#heldOrder) this.#noteOrder(before, after)
  }

  /** Adds tracks and returns their ids; an empty list if refused. Never throws. */
  async add(tracks: readonly TrackChange[], position?: number): Promise<readonly string[]> {
    const added = await this.#add(tracks, position)
    if (added.length > 0) {
      const redo = () => void this.#putBack(added, tracks, position)
      this.edits.push({ undo: () => this.#takeOut(added.map((id) => this.#currentId(id))), redo })
    }
    return added
  }

  /** Removes tracks; returns the id of the undo step, 0 without any. */
  remove(trackIds: readonly string[]): number {
    const { shown } = this.store.getState()
    const gone = shown?.tracks.filter(({ track_id }) => trackIds.includes(track_id)) ?? []
    if (gone.length === 0) return 0
    this.#takeOut(trackIds)
    return this.edits.push({
      undo: () => {
        for (const track of gone) void this.#putBack([track.track_id], [bodyOf(track)], track.position)
      },
      redo: () => this.#takeOut(trackIds.map((id) => this.#currentId(id))),
    })
  }

  /** Sets the cover, null removes it; undoable. Never throws. */
  async setCover(picture: File | null): Promise<void> {
    const { stored } = this.store.getState()
    if (!stored) return
    const { client } = this.#deps
    const params = { release_id: stored.release_id }
    const before = stored.cover
      ? await client.open('readReleaseCover', { params }).then(
          (answer) => answer.blob(),
          () => null,
        )
      : null
    const isDone = await this.#putCover(params, picture)
    if (!isDone) return
    this.edits.push({
      undo: () => void this.#putCover(params, before),
      redo: () => void this.#putCover(params, picture),
    })
  }

  /** Changes the release by a table. Never throws. */
  async readTable(file: File): Promise<readonly string[]> {
    const { releaseId } = this.store.getState()
    if (releaseId === null) return []
    let ignored: readonly string[] = []
    await this.#run(releaseId, async () => {
      const files = { file: { content: file, name: file.name } }
      const answer = await this.#deps.client.call('changeReleaseByCsv', { params: { release_id: releaseId }, files })
      ignored = answer.ignored_columns
      return answer.releases[0]!
    })
    return ignored
  }

  /** Runs a call that returns the release, after all earlier ones. Returns whether it succeeded. Never throws. */
  async command(call: (releaseId: string) => Promise<Release>): Promise<boolean> {
    const { releaseId } = this.store.getState()
    if (releaseId === null) return false
    this.flush()
    return this.#run(releaseId, () => call(releaseId))
  }

  /** Saves unsaved changes at once. */
  flush(): void {
    void this.saved()
  }

  /** Saves unsaved changes at once; resolves when that has been tried. Never rejects. */
  saved(): Promise<void> {
    clearTimeout(this.#saveTimer)
    return this.#save()
  }

  async #putCover(params: { release_id: string }, picture: Blob | null): Promise<boolean> {
    const { client } = this.#deps
    const name = picture instanceof File ? picture.name : 'cover'
    return this.#run(params.release_id, () =>
      picture
        ? client.call('putReleaseCover', { params, files: { file: { content: picture, name } } })
        : client.call('removeReleaseCover', { params }),
    )
  }

  async #add(tracks: readonly TrackChange[], position?: number): Promise<readonly string[]> {
    const { releaseId } = this.store.getState()
    if (releaseId === null) return []
    let added: readonly string[] = []
    await this.#run(releaseId, async () => {
      const known = new Set(this.store.getState().stored?.tracks.map(({ track_id }) => track_id))
      const place = position === undefined ? {} : { position }
      const body = { tracks: [...tracks], ...place }
      const answer = await this.#deps.client.call('addTracks', { params: { release_id: releaseId }, body })
      added = answer.tracks.map(({ track_id }) => track_id).filter((id) => !known.has(id))
      return answer
    })
    return added
  }

  async #putBack(oldIds: readonly string[], tracks: readonly TrackChange[], position?: number): Promise<void> {
    const added = await this.#add(tracks, position)
    for (const [at, id] of added.entries()) {
      const old = this.#currentId(oldIds[at] ?? id)
      this.#putBackAs.set(old, id)
      const { draft } = this.store.getState()
      const change = draft[old]
      if (change) this.#set({ draft: withChange(withoutPart(draft, old), id, change) })
    }
  }

  #takeOut(trackIds: readonly string[]): void {
    const { releaseId, hidden, order } = this.store.getState()
    if (releaseId === null) return
    this.#set({ hidden: [...hidden, ...trackIds], order: order?.filter((id) => !trackIds.includes(id)) ?? null })
    for (const trackId of trackIds) {
      const params = { release_id: releaseId, track_id: trackId }
      void this.#run(releaseId, () => this.#deps.client.call('removeTrack', { params })).then(() =>
        this.#set({ hidden: this.store.getState().hidden.filter((id) => id !== trackId) }),
      )
    }
  }

  #noteOrder(before: readonly string[], after: readonly string[]): void {
    const now = (ids: readonly string[]) => ids.map((id) => this.#currentId(id))
    this.edits.push({ undo: () => this.#arrange(now(before)), redo: () => this.#arrange(now(after)) })
  }

  #arrange(trackIds: readonly string[]): void {
    this.#set({ order: trackIds })
    clearTimeout(this.#orderTimer)
    this.#orderTimer = setTimeout(() => this.#saveOrder(), MOVING_MS)
  }

  #saveOrder(): void {
    const { releaseId } = this.store.getState()
    if (releaseId === null) return
    void this.#run(releaseId, async () => {
      const { order } = this.store.getState()
      const track_ids = [...this.#trackIds()]
      const params = { release_id: releaseId }
      const answer = await this.#deps.client.call('orderTracks', { params, body: { track_ids } })
      if (this.store.getState().order === order) this.#set({ order: null, stored: answer })
      return answer
    })
  }

  #trackIds(): readonly string[] {
    return this.store.getState().shown?.tracks.map(({ track_id }) => track_id) ?? []
  }

  #currentId(part: string): string {
    const next = this.#putBackAs.get(part)
    return next === undefined ? part : this.#currentId(next)
  }

  #write(changes: readonly (readonly [part: string, change: PartChange])[]): void {
    let { draft, refused } = this.store.getState()
    for (const [given, change] of changes) {
      const part = this.#currentId(given)
      draft = withChange(draft, part, change)
      const fields = Object.keys(change).map((member) => fieldOf(part, member))
      refused = Object.fromEntries(Object.entries(refused).filter(([field]) => !fields.includes(field)))
    }
    this.#set({ draft, refused, saving: 'saving' })
    clearTimeout(this.#saveTimer)
    this.#saveTimer = setTimeout(() => void this.#save(), TYPING_MS)
  }

  /** Saves unsaved changes part by part; a refused field keeps the text typed. */
  async #save(): Promise<void> {
    const { releaseId } = this.store.getState()
    if (releaseId === null) return
    await this.#inTurn(async () => {
      for (;;) {
        const state = this.store.getState()
        if (state.releaseId !== releaseId) return
        const next = nextPart(state.draft, state.refused)
        if (!next) return this.#set({ saving: 'saved' })
        try {
          const answer = await this.#send(releaseId, next.part, next.change)
          this.#take(releaseId, answer)
          if (this.store.getState().releaseId !== releaseId) return
          this.#set({ draft: withoutStored(this.store.getState().draft, next.part, next.change) })
        } catch (error) {
          if (!this.#refuse(error, next.part, next.change)) return
        }
      }
    })
  }

  #send(release_id: string, part: string, body: PartChange): Promise<Release> {
    const { client } = this.#deps
    if (part === FACTS) return client.call('changeRelease', { params: { release_id }, body })
    return client.call('changeTrack', { params: { release_id, track_id: part }, body })
  }

  /** Records the reason for a refused change. Returns whether the others can be saved. */
  #refuse(error: unknown, part: string, change: PartChange): boolean {
    const failure = refusalOf(error)
    if (isNotReached(failure.code)) {
      this.#set({ saving: 'waiting' })
      clearTimeout(this.#saveTimer)
      this.#saveTimer = setTimeout(() => void this.#save(), AWAY_MS)
      return false
    }
    const member = error instanceof ApiError ? error.param?.split(/[./[]/)[0] : undefined
    const members = member !== undefined && member in change ? [member] : Object.keys(change)
    const message = error instanceof ApiError ? sentenceOf(error) : failure.code
    // Text typed meanwhile was not refused.
    const now = this.store.getState().draft[part]
    const refusedMembers = members.filter((one) => isSame(now?.[one], change[one]))
    const told = Object.fromEntries(refusedMembers.map((one) => [fieldOf(part, one), message]))
    this.#set({ refused: { ...this.store.getState().refused, ...told } })
    return true
  }

  /** Runs a call in turn and shows its answer or its failure. Returns whether it succeeded. Never throws. */
  async #run(releaseId: string, call: () => Promise<Release>): Promise<boolean> {
    try {
      this.#take(releaseId, await this.#inTurn(call))
      return true
    } catch (error) {
      if (this.store.getState().releaseId === releaseId) this.#set({ failure: refusalOf(error) })
      return false
    }
  }

  #take(releaseId: string, answer: Release): void {
    const state = this.store.getState()
    if (state.releaseId === releaseId) this.#set({ stored: sharing(answer, state.stored) })
    this.#deps.onStored()
  }

  #set(change: Partial<EditorState>): void {
    const before = this.store.getState()
    const state = { ...before, ...change }
    const { stored, draft, order, hidden } = state
    this.store.setState({ ...change, shown: stored && written(stored, draft, order, hidden) })
    if (draft !== before.draft && state.releaseId !== null) this.#keepDraft(state.releaseId, draft)
  }

  #readDrafts(): Drafts {
    return readStored<Drafts>(
      this.#deps.storage,
      DRAFTS_KEY,
      (stored) => typeof stored === 'object' && stored !== null,
      {},
    )
  }

  #keepDraft(releaseId: string, draft: Draft): void {
    const { [releaseId]: _before, ...others } = this.#readDrafts()
    const drafts = Object.keys(draft).length > 0 ? { ...others, [releaseId]: draft } : others
    this.#deps.storage.setItem(DRAFTS_KEY, JSON.stringify(drafts))
  }
}

/** Sentence about one field: the broken rule, without the field's name on the wire. */
const sentenceOf = ({ envelope, message }: ApiError): string => envelope?.error.details?.join(' ') || message

/** Current values of members; an absent optional member is empty. */
function valuesOf(shown: Release, part: string, change: PartChange): PartChange {
  const of = part === FACTS ? shown : shown.tracks.find(({ track_id }) => track_id === part)
  const values = of as Readonly<Record<string, unknown>> | undefined
  return Object.fromEntries(
    Object.keys(change).map((member) => {
      const value = values?.[member] ?? EMPTY_OF[member] ?? ''
      return [member, member === 'disclosure' ? { ...noStatements(part), ...(value as Disclosure) } : value]
    }),
  )
}

/** Values of absent members other than empty text. */
const EMPTY_OF: Readonly<Record<string, unknown>> = {
  source_id: null,
  job_id: null,
  settings: null,
  anchor_track_id: null,
  disclosure: {},
  receivers: [],
  featured_artists: [],
}
