/** A release as lines of text. */
import type { Release } from '../src-contract/releases.ts'
import { decibels, playingTime } from '../src-contract/text/numbers.ts'
import type { Messages } from './messages.ts'
import { table } from './text-output.ts'

const lufs = (value: number | null) => `${decibels(value)} LUFS`

/** Returns a release for a person: a line of its own and one for each track. */
export function describeRelease(
  { release_id, kind, artist, title, tracks, mastering }: Release,
  { release: say }: Messages,
): string {
  const { state, progress, record_lufs, failure } = mastering
  const isMeasured = tracks.some(({ master }) => master?.integrated_lufs !== undefined)
  const rows = tracks.map((track) => [
    String(track.position),
    track.version === undefined ? track.title : `${track.title} (${track.version})`,
    track.duration_seconds === undefined ? '' : playingTime(track.duration_seconds),
    say.states[track.state],
    ...(isMeasured ? [track.master?.integrated_lufs === undefined ? '' : lufs(track.master.integrated_lufs)] : []),
    track.isrc ?? '',
    track.track_id,
  ])
  return [
    `${artist} - ${title} (${kind}) ${release_id}`,
    ...(rows.length > 0 ? [table(rows)] : []),
    ...(state === 'idle' ? [] : [say.mastering[state](progress)]),
    ...(record_lufs === undefined ? [] : [say.record(lufs(record_lufs))]),
    ...(failure ? [failure.message] : []),
  ].join('\n')
}
