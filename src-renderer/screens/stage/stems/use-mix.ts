/** The mix of the song on the stage: its stems, their settings, and the changes of them. */
import { useCallback, useEffect, useMemo } from 'react'
import { withoutAnyExtension, withoutSongExtension } from '../../../../src-contract/song-files.ts'
import { type StemChange, withMissing, withStem, withVoiceForward } from '../../../../src-contract/stem-mix.ts'
import type { StemSettings } from '../../../../src-contract/stem-mix-schemas.ts'
import type { StemRole } from '../../../../src-contract/stem-roles.ts'
import type { StemSet } from '../../../../src-contract/stems.ts'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { songIn } from '../../../state/batch-state.ts'

/** A stem of the song with its settings. */
export interface MixedStem {
  readonly stem: StemSet['stems'][number]
  /** Its name without extension and what the names of all stems begin with. */
  readonly name: string
  readonly role: StemRole
  readonly settings: StemSettings
}

export interface Mix {
  /** In the order of their numbers; empty until the set is read. */
  readonly stems: readonly MixedStem[]
  readonly voiceForwardDb: number
  readonly hasVoice: boolean
  /** Stereo mix of the song, if there is one besides its stems. */
  readonly original: StemSet['original']
  readonly isRestored: boolean
  readonly change: (stem: number, change: StemChange) => void
  readonly setVoiceForward: (forwardDb: number) => void
  readonly setRestored: (isRestored: boolean) => void
}

/** Returns the mix of a song; null for one without stems. */
export function useMix(sourceId: string | undefined): Mix | null {
  const { batch, stems } = useApp()
  const song = useSelect(batch.store, (state) => (sourceId ? songIn(state, sourceId) : undefined))
  const common = useSelect(batch.store, (state) => state.batch?.settings.stem_mix ?? null)
  const set = useSelect(stems.store, (state) => (sourceId ? state.sets[sourceId] : undefined))
  const hasStems = song?.stem_count !== undefined
  const mix = song?.settings ? (song.settings.stem_mix ?? null) : common
  useEffect(() => {
    if (hasStems && sourceId) void stems.read(sourceId)
  }, [stems, sourceId, hasStems])
  const mixNow = useCallback(() => {
    const state = batch.store.getState()
    const own = sourceId ? songIn(state, sourceId)?.settings : undefined
    return (own ?? state.batch?.settings)?.stem_mix ?? null
  }, [batch, sourceId])
  const change = useCallback(
    (stem: number, next: StemChange) =>
      sourceId && batch.changeSettings({ stem_mix: withStem(mixNow(), stem, next) }, [sourceId]),
    [batch, sourceId, mixNow],
  )
  const setVoiceForward = useCallback(
    (forwardDb: number) =>
      sourceId && batch.changeSettings({ stem_mix: withVoiceForward(mixNow(), forwardDb) }, [sourceId]),
    [batch, sourceId, mixNow],
  )
  const setRestored = useCallback(
    (isRestored: boolean) =>
      sourceId && batch.changeSettings({ stem_mix: withMissing(mixNow(), isRestored) }, [sourceId]),
    [batch, sourceId, mixNow],
  )
  return useMemo(() => {
    if (!hasStems) return null
    const names = shortNames(set?.stems.map(({ filename }) => filename) ?? [])
    const mixed = (set?.stems ?? []).map((stem, index) => {
      const settings = mix?.stems?.find((one) => one.stem === stem.stem) ?? { stem: stem.stem }
      return { stem, name: names[index]!, role: settings.role ?? stem.role, settings }
    })
    const hasVoice = mixed.some(({ role }) => role === 'voice' || role === 'backing')
    const voiceForwardDb = mix?.voice_forward_db ?? 0
    const [original, isRestored] = [set?.original, mix?.restore_missing ?? false]
    return { stems: mixed, voiceForwardDb, hasVoice, original, isRestored, change, setVoiceForward, setRestored }
  }, [hasStems, set, mix, change, setVoiceForward, setRestored])
}

/** Returns names of files without their extensions and without the beginning, up to a bracket, dash or space, that all share. Pure. */
function shortNames(filenames: readonly string[]): string[] {
  const names = filenames.map((name) => withoutSongExtension(withoutAnyExtension(name)))
  let shared = names.length > 1 ? (names[0] ?? '') : ''
  for (const name of names) while (!name.startsWith(shared)) shared = shared.slice(0, -1)
  const title = shared.replace(/[\p{L}\p{N}]+$/u, '')
  return names.map((name) => {
    const rest = name.slice(title.length).trim()
    return (title.endsWith('(') && rest.endsWith(')') ? rest.slice(0, -1) : rest) || name
  })
}
