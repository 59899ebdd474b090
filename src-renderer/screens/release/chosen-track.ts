/** The track shown in the column beside the table. */
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

const chosen = createStore<{ readonly trackId: string | null }>(() => ({ trackId: null }))

/** Returns the id of the chosen track, null without one, and the function that chooses another. */
export function useChosenTrack(): readonly [string | null, (trackId: string | null) => void] {
  const trackId = useStore(chosen, (state) => state.trackId)
  return [trackId, (next) => chosen.setState({ trackId: next })]
}
