/** Notices of the window: one toast with an undo, and one polite announcement for screen readers. */
import { createStore } from 'zustand/vanilla'

export const UNDO_SECONDS = 10

export interface Toast {
  readonly toastId: number
  readonly text: string
  readonly undo?: () => void
  /**
   * Makes final what the toast can still undo. Called once, when its time is over, another toast takes its place or the page is
   * leaving: what is sent then has to outlive it.
   */
  readonly settle?: (isLeaving: boolean) => void
}

export interface Notices {
  readonly toast: Toast | null
  /** Last announcements of one moment. Numbered, so that a sentence said twice in a row is announced twice. */
  readonly announcements: readonly { readonly announcementId: number; readonly text: string }[]
}

/** Makes the store of notices with its actions. */
export function createNotices() {
  const store = createStore<Notices>(() => ({ toast: null, announcements: [] }))
  let nextId = 1

  const end = (isLeaving: boolean) => {
    const { toast } = store.getState()
    if (!toast) return
    store.setState({ toast: null })
    toast.settle?.(isLeaving)
  }
  const settle = () => end(false)

  return {
    store,
    /** Shows a toast; one that was there becomes final. */
    show(toast: Omit<Toast, 'toastId'>) {
      settle()
      store.setState({ toast: { ...toast, toastId: nextId++ } })
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
      toast.undo()
    },
    /** Tells screen readers, politely. What is to be told at one time is given at once: the next call takes its place. */
    announce(...texts: readonly string[]) {
      store.setState({ announcements: texts.map((text) => ({ announcementId: nextId++, text })) })
    },
  }
}

export type NoticesActions = ReturnType<typeof createNotices>
