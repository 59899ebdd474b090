/** The side column of a release: its part, its track, and the field to focus. */
import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { FACTS, fieldOf } from '../../state/release-drafts.ts'
import type { MendField } from '../../state/release-readiness.ts'

export const SIDE_PARTS = ['upload', 'record', 'details', 'track'] as const
export type SidePart = (typeof SIDE_PARTS)[number]

interface Side {
  readonly part: SidePart
  readonly trackId: string | null
  /** A new object for every press, so that the same field can be focused again. */
  readonly wanted: { readonly field: string } | null
}

const side = createStore<Side>(() => ({ part: 'details', trackId: null, wanted: null }))

export const useSide = (): Side => useStore(side)
export const showPart = (part: SidePart): void => side.setState({ part })
export const chooseTrack = (trackId: string): void => side.setState({ trackId })
export const openTrack = (trackId: string): void => side.setState({ part: 'track', trackId })

/** Members of a release outside of its details, with the part that has them; null for the head, which is always shown. */
const PARTS: Readonly<Record<string, SidePart | null>> = {
  ...{ title: null, artist: null, cover: null, receivers: null },
  ...{ loudness_mode: 'record', formats: 'upload' },
}

/** Shows a field and focuses it. */
export function goToField({ part, member }: MendField): void {
  const wanted = { field: fieldOf(part, member) }
  const shown = member in PARTS ? PARTS[member] : 'details'
  if (part !== FACTS) side.setState({ part: 'track', trackId: part, wanted })
  else side.setState({ ...(shown ? { part: shown } : {}), wanted })
}

const CONTROLS = 'input, select, textarea, button'

/** Focuses the wanted field once it is drawn, and opens a folded part. */
export function useWantedField(): void {
  const { wanted } = useSide()
  useEffect(() => {
    if (!wanted) return
    const place = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(wanted.field)}"]`)
    place?.querySelector<HTMLElement>('.fold > button[aria-expanded="false"]')?.click()
    place?.scrollIntoView({ block: 'nearest' })
    place?.querySelector<HTMLElement>(CONTROLS)?.focus()
  }, [wanted])
}
