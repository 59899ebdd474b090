/** Releases made of existing songs: those of the batch, or mastered ones. */
import type { BatchSong } from '../../src-contract/app.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { go } from '../router.ts'
import { useApp } from '../state/app-state.ts'
import { releaseNamesOf, type TrackOf, trackOfJob, trackOfSong } from '../state/release-of-songs.ts'
import { kindOf } from '../state/releases.ts'
import { useWords } from '../text/context.tsx'

/** Returns the function that makes a release of songs in their order, opens it, and returns its id; null if refused. */
function useReleaseOf() {
  const { releases } = useApp()
  const { t } = useWords()
  return async (songs: readonly TrackOf[]): Promise<string | null> => {
    if (songs.length === 0) return null
    const made = await releases.create({
      title: t.release.untitled,
      artist: t.release.unknownArtist,
      ...releaseNamesOf(songs),
      kind: kindOf(songs.length),
      tracks: songs.map(({ track }) => track),
    })
    // The list shows the refusal.
    go('release', made ?? '')
    return made
  }
}

/** Returns the function that makes a release of mastered songs, ordered by their mastering, oldest first. */
export function useReleaseOfJobs() {
  const make = useReleaseOf()
  return (jobs: readonly Job[]) => {
    const inOrder = [...jobs].sort((a, b) => a.created_at.localeCompare(b.created_at))
    void make(inOrder.map(trackOfJob))
  }
}

/** Returns the function that makes a release of songs of the batch, with their common cover. */
export function useReleaseOfSongs() {
  const { client, releases } = useApp()
  const make = useReleaseOf()
  return async (songs: readonly BatchSong[]) => {
    const made = await make(songs.map(trackOfSong))
    const [first] = songs
    if (!made || !first?.cover || songs.some(({ cover }) => cover?.sha256 !== first.cover?.sha256)) return
    await releases.takeCover(made, () =>
      client.open('readDeskCover', { params: { source_id: first.source.source_id } }).then((answer) => answer.blob()),
    )
  }
}
