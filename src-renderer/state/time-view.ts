/** The part of a song shown in the time lanes: its pure transitions, and the store for one visit. */
import { createStore } from 'zustand/vanilla'

export interface TimeView {
  readonly startSeconds: number
  readonly endSeconds: number
}

export type TimeViewAction =
  /** A factor above 1 shows less time; the moment keeps its position. */
  | { readonly kind: 'zoom'; readonly factor: number; readonly aroundSeconds: number }
  | { readonly kind: 'scroll'; readonly bySeconds: number }
  | { readonly kind: 'whole' }
  /** The playhead advanced from one moment to another. */
  | { readonly kind: 'follow'; readonly fromSeconds: number; readonly toSeconds: number }

/** Shortest visible duration, s. */
const SHORTEST_SECONDS = 0.5
/** Share of the view before the playhead after a page turn. */
const LEAD = 0.05
/** A playhead that advances by more than this, or goes back, was moved by the user: the view follows it anywhere. */
const MOST_STEP_SECONDS = 1

export const lengthOf = ({ startSeconds, endSeconds }: TimeView): number => endSeconds - startSeconds

export const isWithin = ({ startSeconds, endSeconds }: TimeView, seconds: number): boolean =>
  seconds >= startSeconds && seconds <= endSeconds

export const isWhole = (view: TimeView, durationSeconds: number): boolean => lengthOf(view) >= durationSeconds

/** Returns a view of a given length inside the song. */
function placed(startSeconds: number, lengthSeconds: number, durationSeconds: number): TimeView {
  const length = Math.min(durationSeconds, Math.max(SHORTEST_SECONDS, lengthSeconds))
  const start = Math.max(0, Math.min(durationSeconds - length, startSeconds))
  return { startSeconds: start, endSeconds: start + length }
}

function next(view: TimeView, action: TimeViewAction, durationSeconds: number): TimeView {
  const length = lengthOf(view)
  switch (action.kind) {
    case 'whole':
      return placed(0, durationSeconds, durationSeconds)
    case 'scroll':
      return placed(view.startSeconds + action.bySeconds, length, durationSeconds)
    case 'zoom': {
      const around = Math.max(view.startSeconds, Math.min(view.endSeconds, action.aroundSeconds))
      const zoomed = Math.min(durationSeconds, Math.max(SHORTEST_SECONDS, length / action.factor))
      return placed(around - ((around - view.startSeconds) / length) * zoomed, zoomed, durationSeconds)
    }
    case 'follow': {
      const { fromSeconds, toSeconds } = action
      const wasMoved = toSeconds < fromSeconds || toSeconds - fromSeconds > MOST_STEP_SECONDS
      if (isWithin(view, toSeconds) || !(wasMoved || isWithin(view, fromSeconds))) return view
      return placed(toSeconds - LEAD * length, length, durationSeconds)
    }
  }
}

/** Returns the view after an action, always inside the song; the same object when nothing changes. */
export function reduceTimeView(view: TimeView, action: TimeViewAction, durationSeconds: number): TimeView {
  const { startSeconds, endSeconds } = next(view, action, durationSeconds)
  if (startSeconds === view.startSeconds && endSeconds === view.endSeconds) return view
  return { startSeconds, endSeconds }
}

/** Creates the store of a visit; it starts with the whole song. */
export function createTimeView(durationSeconds: number) {
  const length = Math.max(durationSeconds, 1e-3)
  const store = createStore<TimeView>(() => ({ startSeconds: 0, endSeconds: length }))
  return {
    store,
    durationSeconds: length,
    dispatch: (action: TimeViewAction) => store.setState(reduceTimeView(store.getState(), action, length), true),
  }
}

export type TimeViewActions = ReturnType<typeof createTimeView>
