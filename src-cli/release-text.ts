/** A release as lines of text. */
import type { Release } from '../src-contract/releases.ts'
import { playingTime } from '../src-contract/text/numbers.ts'
import type { Messages } from './messages.ts'
import { table } from './text-output.ts'

/** Returns a release for a person: a line of its own and one for each track. */
export function describeRelease(
  { release_id, kind, artist, title, tracks }: Release,
  { release: say }: Messages,
): string {
  const rows = tracks.map((track) => [
    String(track.position),
    track.version === undefined ? track.title : `${track.title} (${track.version})`,
    track.duration_seconds === undefined ? '' : playingTime(track.duration_seconds),
    say.states[track.state],
    track.isrc ?? '',
    track.track_id,
  ])
  return [`${artist} - ${title} (${kind}) ${release_id}`, ...(rows.length > 0 ? [table(rows)] : [])].join('\n')
}
