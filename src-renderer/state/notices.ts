/** Notices of the window: one toast with an undo, and one polite announcement for screen readers. */
import { createStore } from 'zustand/vanilla'
import { createEdits, type Edits } from './edits.ts'

export const UNDO_SECONDS = 10

export interface Toast {
  readonly toastId: number
  readonly text: string
  readonly undo?: () => void
  /** Makes the change again after it was undone; with it the change stays among those that can be undone when the toast is gone. */
  readonly redo?: (() => void) | undefined
  /**
   * Makes final what the toast can still undo. Called once, when its time is over, another toast takes its place or the page is
   * leaving: what is sent then has to outlive it.
   */
  readonly settle?: (isLeaving: boolean) => void
}

interface ShownToast extends Toast {
  /** Number of its change among those that can be undone; none without `undo`. */
  readonly editId?: number
}

export interface Notices {
  readonly toast: ShownToast | null
  /** Last announcements of one moment. Numbered, so that a sentence said twice in a row is announced twice. */
  readonly announcements: readonly { readonly announcementId: number; readonly text: string }[]
}

/** Makes the store of notices with its actions. What a toast can undo is one of the changes of `edits`. */
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
  // A change that was undone in another way has nothing left to be said of it.
  edits.store.subscribe(({ past }) => {
    const { toast } = store.getState()
    if (toast?.editId && !past.some(({ editId }) => editId === toast.editId)) store.setState({ toast: null })
  })

  return {
    store,
    edits,
    /** Shows a toast; one that was there becomes final. */
    show(toast: Omit<Toast, 'toastId'>) {
      settle()
      const { undo, redo } = toast
      const editId = undo ? edits.push({ undo, redo }) : 0
      store.setState({ toast: { ...toast, toastId: nextId++, ...(editId ? { editId } : {}) } })
    },
    /** Takes the shown toast away and makes it final. */
    settle,
    /** Call when the page goes: what can still be undone becomes final. */
    leave: () => end(true),
    /** Takes back what the shown toast announced; nothing when there is none. */
    undo() {
      const { toast } = store.getState()
      if (!toast?.undo) return
      store.setState({ toast: null })
      if (!edits.undoOne(toast.editId)) toast.undo()
    },
    /** Tells screen readers, politely. What is to be told at one time is given at once: the next call takes its place. */
    announce(...texts: readonly string[]) {
      store.setState({ announcements: texts.map((text) => ({ announcementId: nextId++, text })) })
    },
  }
}

export type NoticesActions = ReturnType<typeof createNotices>
