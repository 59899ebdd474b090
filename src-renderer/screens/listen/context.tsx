/** Shared state of the Listen screen: the words and the playback of this visit. */
import { createContext, useCallback, useContext } from 'react'
import { useStore } from 'zustand'
import { type CopyCodec, copyCodecName } from '../../../src-contract/codecs.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Report } from '../../../src-contract/report.ts'
import { partsOfTrack } from '../../playback/forms.ts'
import type { PlaybackItem, PlaybackVersion } from '../../playback/state.ts'
import type { ListenStore } from '../../state/listen.ts'
import { versionNumber } from '../../state/listen-versions.ts'
import type { TimeViewActions } from '../../state/time-view.ts'
import { useWords } from '../../text/context.tsx'
import { listenEn } from '../../text/listen.en.ts'
import { listenKo } from '../../text/listen.ko.ts'

const TEXTS = { en: listenEn, ko: listenKo }

/** The words of the app and of this screen. */
export function useListenWords() {
  const words = useWords()
  return { ...words, l: TEXTS[words.language] }
}

export interface Visit {
  readonly job: Job
  readonly report: Report
  readonly listen: ListenStore
  readonly item: PlaybackItem
  /** The part of the song shown in the lanes. */
  readonly view: TimeViewActions
}

export const VisitContext = createContext<Visit | null>(null)

export function useVisit(): Visit {
  const visit = useContext(VisitContext)
  if (!visit) throw new Error('no VisitContext above this component')
  return visit
}

/** Returns the name of a version in the switch. */
export function useVersionName(): (version: PlaybackVersion) => string {
  const { t, l } = useListenWords()
  const { job, listen } = useVisit()
  const siblings = useStore(listen.store, (state) => state.siblings)
  return useCallback(
    (version) => {
      if (version.kind === 'source') return l.original
      if (version.kind === 'reference') return l.reference
      const name = version.platform ? t.platforms[version.platform] : ''
      if (version.kind === 'platform') return name
      const other = siblings.find((one) => one.job_id === version.jobId) ?? job
      return l.other(versionNumber(other, siblings).number, name)
    },
    [t, l, job, siblings],
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
