/** Releases of songs that are there: those of the batch, or mastered ones. */
import type { Job } from '../../src-contract/jobs.ts'
import type { TrackChange } from '../../src-contract/releases.ts'
import { go } from '../router.ts'
import { useApp } from '../state/app-state.ts'
import { kindOf } from '../state/releases.ts'
import { useWords } from '../text/context.tsx'

/** A song that becomes a track. */
interface TrackOf {
  readonly title: string
  readonly artist: string | undefined
  readonly song: TrackChange
}

/** Returns the function that makes a release of songs in their order and shows it. */
function useReleaseOf() {
  const { releases } = useApp()
  const { t } = useWords()
  return async (songs: readonly TrackOf[]) => {
    const [first] = songs
    if (!first) return
    const artist = songs.find((song) => song.artist)?.artist ?? t.release.unknownArtist
    const made = await releases.create({
      title: songs.length === 1 ? first.title : t.release.untitled,
      artist,
      kind: kindOf(songs.length),
      tracks: songs.map(({ song }) => song),
    })
    // A refusal is told by the list.
    go('release', made ?? '')
  }
}

/** Returns the function that makes a release of mastered songs, oldest first as they were mastered. */
export function useReleaseOfJobs() {
  const make = useReleaseOf()
  return (jobs: readonly Job[]) => {
    const inOrder = [...jobs].sort((a, b) => a.created_at.localeCompare(b.created_at))
    void make(inOrder.map(({ job_id, title, artist }) => ({ title, artist, song: { job_id } })))
  }
}

/** Returns the function that makes a release of stored songs. */
export function useReleaseOfSources() {
  const make = useReleaseOf()
  return (sources: readonly { readonly source_id: string; readonly title: string; readonly artist?: string }[]) =>
    void make(sources.map(({ source_id, title, artist }) => ({ title, artist, song: { source_id } })))
}
