/** Undo history in one order: settings, the list and removals. */
import { createStore } from 'zustand/vanilla'

/** A change with its undo and redo, which may run repeatedly; without `redo` it cannot be redone. */
export interface Edit {
  readonly undo: () => void
  readonly redo?: (() => void) | undefined
  /** Changes with the same key in quick succession are merged, such as a fader's movement. */
  readonly mergeKey?: string
}

interface Entry extends Edit {
  readonly editId: number
  readonly atMs: number
}

export interface EditsState {
  /** Oldest first. */
  readonly past: readonly Entry[]
  /** Undone; the next to redo is last. */
  readonly future: readonly Entry[]
}

/** Pause after which a change with the same key becomes a step of its own, ms. */
const MERGE_MS = 800
/** Number of changes kept. */
const MOST_EDITS = 200

/** Returns the history with a change on top; the redo steps are discarded. Pure. */
function withEdit({ past, future }: EditsState, entry: Entry): EditsState {
  const last = past.at(-1)
  const isSame =
    future.length === 0 &&
    last?.mergeKey !== undefined &&
    last.mergeKey === entry.mergeKey &&
    entry.atMs - last.atMs < MERGE_MS
  const merged = isSame ? [...past.slice(0, -1), { ...entry, editId: last.editId, undo: last.undo }] : [...past, entry]
  return { past: merged.slice(-MOST_EDITS), future: [] }
}

/** Returns the history after an undo of the last change, or of another. Pure. */
function takenBack({ past, future }: EditsState, editId = past.at(-1)?.editId): EditsState {
  const entry = past.find((one) => one.editId === editId)
  if (!entry) return { past, future }
  return { past: past.filter((one) => one !== entry), future: entry.redo ? [...future, entry] : future }
}

/** Returns the history after a redo of the change undone last. Pure. */
function madeAgain({ past, future }: EditsState): EditsState {
  const entry = future.at(-1)
  // Later changes must not merge with it.
  return entry
    ? { past: [...past, { ...entry, atMs: Number.NEGATIVE_INFINITY }], future: future.slice(0, -1) }
    : { past, future }
}

/** Creates an empty history of changes. `nowMs` is any steady clock. */
export function createEdits(nowMs: () => number) {
  const store = createStore<EditsState>(() => ({ past: [], future: [] }))
  const { getState, setState } = store
  let nextId = 1
  /** True during an undo or redo, whose own changes are not recorded. */
  let isReplaying = false
  const replay = (run: (() => void) | undefined) => {
    isReplaying = true
    try {
      run?.()
    } finally {
      isReplaying = false
    }
  }
  const undoOne = (editId: number | undefined): boolean => {
    const entry = getState().past.find((one) => one.editId === editId)
    if (!entry) return false
    setState(takenBack(getState(), editId))
    replay(entry.undo)
    return true
  }
  return {
    store,
    /** Records a change and returns its id; 0 during an undo or redo. */
    push(edit: Edit): number {
      if (isReplaying) return 0
      setState(withEdit(getState(), { ...edit, editId: nextId++, atMs: nowMs() }))
      return getState().past.at(-1)?.editId ?? 0
    },
    /** Undoes the last change; false without one. */
    undo: (): boolean => undoOne(getState().past.at(-1)?.editId),
    /** Undoes one change, regardless of later ones. */
    undoOne,
    /** Redoes the last undone change; false without one. */
    redo(): boolean {
      const entry = getState().future.at(-1)
      if (!entry) return false
      setState(madeAgain(getState()))
      replay(entry.redo)
      return true
    },
    /** Ends the merging of changes: a new gesture has begun. */
    seal: () =>
      setState(({ past }) => ({
        past: past.map((one, i) => (i === past.length - 1 ? { ...one, atMs: Number.NEGATIVE_INFINITY } : one)),
      })),
    /** Discards a change that has become final. */
    drop: (editId: number) =>
      setState(({ past, future }) => {
        const others = (list: readonly Entry[]) => list.filter((one) => one.editId !== editId)
        return { past: others(past), future: others(future) }
      }),
  }
}

export type Edits = ReturnType<typeof createEdits>
