/** The song on the stage: its figures, its versions, and the playback of them. */
import { createContext, useCallback, useContext, useMemo } from 'react'
import { type CopyCodec, copyCodecName } from '../../../src-contract/codecs.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Platform } from '../../../src-contract/platforms/index.ts'
import type { Report } from '../../../src-contract/report.ts'
import { partsOfTrack } from '../../playback/forms.ts'
import { isLoaded, type PlaybackItem, type PlaybackState, type PlaybackVersion } from '../../playback/state.ts'
import { useApp, usePlayback } from '../../state/app-state.ts'
import type { ListenStore } from '../../state/listen.ts'
import type { SongRow } from '../../state/song-rows.ts'
import type { StageFacts } from '../../state/stage-facts.ts'
import type { TimeViewActions } from '../../state/time-view.ts'
import { useWords } from '../../text/context.tsx'
import { listenEn } from '../../text/listen.en.ts'
import { listenKo } from '../../text/listen.ko.ts'

const TEXTS = { en: listenEn, ko: listenKo }

/** The words of the app and of the stage. */
export function useListenWords() {
  const words = useWords()
  return { ...words, l: TEXTS[words.language] }
}

/** A job with its report and the other jobs of its song. */
export interface Made {
  readonly job: Job
  readonly report: Report
  readonly listen: ListenStore
}

export interface Stage {
  readonly item: PlaybackItem
  readonly facts: StageFacts
  /** The part of the song shown in the lanes. */
  readonly view: TimeViewActions
  /** The song's row of the list; null for a song outside it. */
  readonly row: SongRow | null
  /** The job whose masters are shown, with the jobs of the same song; null before the song is mastered. */
  readonly made: Made | null
  /** The audition as it is drawn; null where masters are shown, and until there is one. */
  readonly audition: PlaybackVersion | null
}

/** The lanes on the stage, for the keys that zoom them; null without a song. */
export const shownView: { current: TimeViewActions | null } = { current: null }

export const StageContext = createContext<Stage | null>(null)

export function useStage(): Stage {
  const stage = useContext(StageContext)
  if (!stage) throw new Error('no StageContext above this component')
  return stage
}

/** Returns the job on the stage, for parts that are there only with one. */
export function useMade(): Made {
  const { made } = useStage()
  if (!made) throw new Error('no job on the stage')
  return made
}

/** Returns the value that `select` picks from the playback of the song on the stage: as it would begin while another song is loaded. */
export function useHere<Picked>(select: (state: PlaybackState) => Picked): Picked {
  const { playback } = useApp()
  const { item } = useStage()
  const idle = useMemo(() => ({ ...playback.first(item), readiness: {} }), [playback, item])
  return usePlayback((state) => select(isLoaded(state, item) ? state : idle))
}

/** Tells whether the song on the stage is the loaded one. */
export function useIsHere(): boolean {
  const { item } = useStage()
  return usePlayback((state) => isLoaded(state, item))
}

/** Returns the function that plays a version of the song on the stage: at once where something plays, and at the song's own place. */
export function useHear(): (version: string, service?: Platform) => void {
  const { playback } = useApp()
  const { item } = useStage()
  return useCallback(
    (version, service) => {
      const { isPlaying } = playback.store.getState()
      playback.load(item)
      if (service) playback.adjust({ service })
      playback.choose(version)
      if (isPlaying) playback.play()
    },
    [playback, item],
  )
}

/** Returns the name of a version in the switch. */
export function useVersionName(): (version: PlaybackVersion) => string {
  const { t, l } = useListenWords()
  return useCallback(
    ({ kind, platform, versionNumber = 0 }) => {
      const name = platform ? t.platforms[platform] : ''
      if (kind === 'other') return l.other(versionNumber, name)
      return {
        source: l.original,
        release: l.release,
        reference: l.reference,
        platform: name,
        audition: name,
        record: '',
      }[kind]
    },
    [t, l],
  )
}

/** Returns the name of a track: its version, with the codec of a copy. */
export function useTrackName(): (versions: readonly PlaybackVersion[], track: string) => string {
  const nameOf = useVersionName()
  return useCallback(
    (versions, track) => {
      const { version, form } = partsOfTrack(track)
      const name = versions.filter(({ id }) => id === version).map(nameOf)
      return [...name, ...(form ? [copyCodecName(form as CopyCodec).full] : [])].join(' · ')
    },
    [nameOf],
  )
}
