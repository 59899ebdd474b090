/** Notices of the window: one toast with an undo, and one polite announcement for screen readers. */
import { createStore } from 'zustand/vanilla'
import { createEdits, type Edits } from './edits.ts'

export const UNDO_SECONDS = 10

export interface Toast {
  readonly toastId: number
  readonly text: string
  readonly undo?: () => void
  /** Redoes the change after an undo; with it the change stays in the undo history when the toast is gone. */
  readonly redo?: (() => void) | undefined
  /**
   * Makes the undoable change final. Called once: when its time is over, another toast replaces it or the page closes.
   * A request sent then must outlive the page.
   */
  readonly settle?: (isLeaving: boolean) => void
}

interface ShownToast extends Toast {
  /** Id of its change in the undo history; absent without `undo`. */
  readonly editId?: number
}

export interface Notices {
  readonly toast: ShownToast | null
  /** The last announcements. Numbered, so that a repeated sentence is announced again. */
  readonly announcements: readonly { readonly announcementId: number; readonly text: string }[]
}

/** Creates the store of notices with its actions. A toast's undo is a step of `edits`. */
export function createNotices(edits: Edits = createEdits(() => performance.now())) {
  const store = createStore<Notices>(() => ({ toast: null, announcements: [] }))
  let nextId = 1

  const end = (isLeaving: boolean) => {
    const { toast } = store.getState()
    if (!toast) return
    store.setState({ toast: null })
    if (toast.editId && !toast.redo) edits.drop(toast.editId)
    toast.settle?.(isLeaving)
  }
  const settle = () => end(false)
  // A change undone elsewhere needs no toast any more.
  edits.store.subscribe(({ past }) => {
    const { toast } = store.getState()
    if (toast?.editId && !past.some(({ editId }) => editId === toast.editId)) store.setState({ toast: null })
  })

  return {
    store,
    edits,
    /** Shows a toast; the previous one becomes final. */
    show(toast: Omit<Toast, 'toastId'>) {
      settle()
      const { undo, redo } = toast
      const editId = undo ? edits.push({ undo, redo }) : 0
      store.setState({ toast: { ...toast, toastId: nextId++, ...(editId ? { editId } : {}) } })
    },
    /** Hides the toast and makes its change final. */
    settle,
    /** Makes the undoable change final. Call when the page closes. */
    leave: () => end(true),
    /** Undoes the change of the current toast, if any. */
    undo() {
      const { toast } = store.getState()
      if (!toast?.undo) return
      store.setState({ toast: null })
      if (!edits.undoOne(toast.editId)) toast.undo()
    },
    /**
     * Announces texts to screen readers, politely. Pass simultaneous texts in one call: the next call replaces them.
     */
    announce(...texts: readonly string[]) {
      store.setState({ announcements: texts.map((text) => ({ announcementId: nextId++, text })) })
    },
  }
}

export type NoticesActions = ReturnType<typeof createNotices>
