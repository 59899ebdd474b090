/** The sound of a track's song, for the pictures of its ends. */
import { useEffect, useState } from 'react'
import type { Track } from '../../../src-contract/releases.ts'
import { songOf } from '../../playback/release-item.ts'
import { openSource } from '../../playback/source.ts'
import type { Track as SoundTrack } from '../../playback/track.ts'
import { useApp } from '../../state/app-state.ts'

export interface EdgeSound {
  /** null while it is read, and if it cannot be read. */
  readonly track: SoundTrack | null
  readonly rateHz: number
  readonly durationSeconds: number
}

/** Sample rate for the pictures, Hz. */
const PICTURE_RATE_HZ = 44_100

/** Opens the song of a track; that of its job if it has no stored one. */
export function useEdgeSound({ source_id, job_id, duration_seconds = 0 }: Track): EdgeSound {
  const { client } = useApp()
  const [track, setTrack] = useState<SoundTrack | null>(null)
  useEffect(() => {
    setTrack(null)
    if (!source_id && !job_id) return
    const control = new AbortController()
    const place = { rateHz: PICTURE_RATE_HZ }
    openSource(client, songOf({ source_id, job_id }), place, control.signal).then(
      (opened) => !control.signal.aborted && setTrack(opened),
      () => undefined,
    )
    return () => control.abort()
  }, [client, source_id, job_id])
  return { track, rateHz: PICTURE_RATE_HZ, durationSeconds: duration_seconds }
}
