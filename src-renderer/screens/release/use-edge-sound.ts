/** The sound of a track's song, for the pictures of its ends. */
import { useEffect, useState } from 'react'
import type { Track } from '../../../src-contract/releases.ts'
import { openTrack, type Track as SoundTrack } from '../../player/track.ts'
import { useApp } from '../../state/app-state.ts'
import { openPatiently } from '../../state/patient-open.ts'

export interface EdgeSound {
  /** null while it is read, and where it cannot be. */
  readonly track: SoundTrack | null
  readonly rateHz: number
  readonly durationSeconds: number
}

/** Rate at which the pictures are read, Hz. */
const PICTURE_RATE_HZ = 44_100

/** Opens the song of a track; that of its job where it has no stored one. */
export function useEdgeSound({ source_id, job_id, duration_seconds = 0 }: Track): EdgeSound {
  const { client } = useApp()
  const [track, setTrack] = useState<SoundTrack | null>(null)
  useEffect(() => {
    let isClosed = false
    setTrack(null)
    if (!source_id && !job_id) return
    const open = openPatiently(
      (headers) =>
        source_id
          ? client.open('readSourceFile', { params: { source_id }, headers })
          : client.open('readJobFile', { params: { job_id: job_id ?? '', file: 'source' }, query: {}, headers }),
      () => isClosed,
    )
    const decode = (bytes: ArrayBuffer) => new OfflineAudioContext(2, 1, PICTURE_RATE_HZ).decodeAudioData(bytes)
    openTrack(open, decode, PICTURE_RATE_HZ).then(
      (opened) => !isClosed && setTrack(opened),
      () => undefined,
    )
    return () => {
      isClosed = true
    }
  }, [client, source_id, job_id])
  return { track, rateHz: PICTURE_RATE_HZ, durationSeconds: duration_seconds }
}
