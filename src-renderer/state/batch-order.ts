/** Order of the batch's rows, sent to the server. */
import type { StoreApi } from 'zustand/vanilla'
import type { Batch } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import { songIdsOf } from './batch-merge.ts'
import { type BatchState, type Sort, songOrderIn } from './batch-state.ts'
import type { NoticesActions } from './notices.ts'
import { asOrdered, movedOrder } from './song-rows.ts'

export interface BatchOrderDeps {
  readonly client: Pick<Client, 'call'>
  readonly store: StoreApi<BatchState>
  readonly notices: Pick<NoticesActions, 'edits'>
  /** Returns the current id of a row: a stored upload has become a song. */
  readonly currentId: (rowId: string) => string
  /** Sends the server a change. Never throws. */
  readonly command: (run: () => Promise<Batch>) => Promise<void>
}

/** The order of rows with the actions that change it. */
export class BatchOrder {
  readonly #deps: BatchOrderDeps
  /** The row being dragged. */
  #heldId: string | null = null

  constructor(deps: BatchOrderDeps) {
    this.#deps = deps
  }

  /** Sends the server the order of the stored songs, which is also the order of mastering. */
  tell(): void {
    const { client, store, command } = this.#deps
    const order = songOrderIn(store.getState())
    void command(() => client.call('changeDesk', { body: { order } }))
  }

  /** Returns the row being dragged. A row missing in `order` is not: the drag of a removed row has no end event. */
  heldIn(order: readonly string[]): string | null {
    if (this.#heldId && !order.includes(this.#heldId)) this.#heldId = null
    return this.#heldId
  }

  /** Moves one row by `step` places. */
  readonly move = (rowId: string, step: number): void => {
    const before = this.#deps.store.getState()
    const moved = movedOrder(before.order, rowId, step)
    if (moved === before.order) return
    this.#set(moved, null)
    this.#noteEdit(before, `move ${rowId}`)
  }

  /** Keeps a dragged row in its place while the batch is read; null ends the drag. */
  readonly hold = (rowId: string | null): void => {
    const state = this.#deps.store.getState()
    this.#heldId = rowId
    if (rowId === null && state.batch && songIdsOf(state.batch).join() !== songOrderIn(state).join()) this.tell()
  }

  /** Puts the rows into the given order, produced by `sort`. */
  readonly arrange = (order: readonly string[], sort: Sort): void => {
    const before = this.#deps.store.getState()
    this.#set(order, sort)
    this.#noteEdit(before)
  }

  #set(order: readonly string[], sort: Sort | null): void {
    this.#deps.store.setState({ order, sort, failure: null })
    this.tell()
  }

  /** Records a change of the order from that in `before`, for undo. */
  #noteEdit({ order, sort }: Pick<BatchState, 'order' | 'sort'>, mergeKey?: string): void {
    const { store, notices, currentId } = this.#deps
    const now = store.getState()
    const put = (to: readonly string[], by: Sort | null) =>
      this.#set(asOrdered(store.getState().order, to.map(currentId)), by)
    notices.edits.push({
      undo: () => put(order, sort),
      redo: () => put(now.order, now.sort),
      ...(mergeKey ? { mergeKey } : {}),
    })
  }
}
