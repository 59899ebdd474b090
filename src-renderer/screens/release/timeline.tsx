/**
 * The record in order: waveforms with their rests, trims and fades, loudness as a band, and the joins to hear. Rests
 * are dragged here; the ends of a track at a larger scale in its own part.
 */
import { AudioLines } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { MAX_GAP_SECONDS } from '../../../src-contract/limits.ts'
import type { Release, Track } from '../../../src-contract/releases.ts'
import { setAttribute, useFrames, useSize } from '../../components/frames.ts'
import { barsOf } from '../../components/waveform.tsx'
import { joinPart, partFrom } from '../../playback/release-item.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { songIn } from '../../state/batch-state.ts'
import { useWords } from '../../text/context.tsx'
import { gainPath, Handle } from './edge-plot.tsx'
import { openTrack, useSide } from './side.ts'
import './timeline.css'

const HEIGHT = 56
const PITCH = 3
/** Room of a join with its button, CSS pixels; a rest is drawn in it, as wide as its share of ten seconds. */
const JOIN_PX = 28
const REST_SECONDS = 10
/** A rest of seconds is drawn narrower than it can be dragged: this many seconds for each pixel. */
const SECONDS_PER_PX = 0.1
/** Height of the band of loudness below the waveform, CSS pixels, and its range around the target, LU. */
const BAND_PX = 16
const BAND_LU = 4

/** Length of a track in the record, s: its song without its trims. Pure. */
export const heardSeconds = (track: Track): number =>
  Math.max(0, (track.duration_seconds ?? 0) - track.trim_start_seconds - track.trim_end_seconds)

/** Returns the widths of the tracks in proportion to their lengths; each at least 24 CSS pixels. Pure. */
function trackWidths(tracks: readonly Track[], widthPx: number): readonly number[] {
  const room = Math.max(0, widthPx - JOIN_PX * (tracks.length - 1))
  const total = tracks.reduce((sum, track) => sum + heardSeconds(track), 0)
  const widths = tracks.map((track) => Math.max(24, total === 0 ? 0 : (heardSeconds(track) / total) * room))
  const over = widths.reduce((sum, width) => sum + width, 0) / Math.max(1, room)
  return widths.map((width) => Math.floor(width / Math.max(1, over)))
}

export function Timeline({ release }: { release: Release }) {
  const { t } = useWords()
  const host = useRef<HTMLElement>(null)
  const [width] = useSize(host, [700, HEIGHT])
  const { tracks } = release
  if (!tracks.some((track) => heardSeconds(track) > 0)) return null
  const widths = trackWidths(tracks, width)
  return (
    <section className="timeline" ref={host} aria-label={t.release.timeline.label}>
      {tracks.map((track, index) => (
        <div className="timeline-part" key={track.track_id}>
          {index > 0 && <JoinLook release={release} index={index - 1} />}
          <TrackLook release={release} track={track} width={widths[index]!} index={index} />
        </div>
      ))}
    </section>
  )
}

interface TrackLookProps {
  release: Release
  track: Track
  width: number
  index: number
}

/** One track: its waveform, what is cut from it, its fades and its loudness. A press plays from there. */
function TrackLook({ release, track, width, index }: TrackLookProps) {
  const { playback, releases } = useApp()
  const { t, format } = useWords()
  const { part, trackId } = useSide()
  const plan = useSelect(releases.plan.store, (state) => state.plan)
  const peaks = useTrackPeaks(track)
  const playhead = useRef<SVGLineElement>(null)
  useFrames(() => {
    const { placed } = playback.store.getState()
    const own = placed.find((one) => one.trackId === track.track_id)
    const place = own ? (playback.position() - own.startSeconds) / (own.endSeconds - own.startSeconds) : -1
    const isIn = place > 0 && place < 1
    setAttribute(playhead.current, 'transform', `translate(${isIn ? (place * width).toFixed(1) : -2} 0)`)
  })
  const total = track.duration_seconds ?? 0
  const seconds = heardSeconds(track)
  const target = release.mastering.target_lufs ?? plan?.target_lufs
  const lufs = track.master?.integrated_lufs ?? plan?.tracks.find((one) => one.track_id === track.track_id)?.target_lufs
  const shown = peaks.slice(
    Math.floor((track.trim_start_seconds / Math.max(total, 1)) * peaks.length),
    peaks.length - Math.floor((track.trim_end_seconds / Math.max(total, 1)) * peaks.length),
  )
  const toX = (at: number) => (at / Math.max(seconds, 1)) * width
  const fades = [
    { fade: track.fade_in_seconds, shape: track.fade_in_shape, x: toX },
    { fade: track.fade_out_seconds, shape: track.fade_out_shape, x: (at: number) => width - toX(at) },
  ]
  const band = lufs === undefined ? null : t.release.timeline.loudness(track.position, format.level(lufs))
  const isOpen = part === 'track' && (trackId ?? release.tracks[0]?.track_id) === track.track_id
  return (
    <button
      type="button"
      className={`timeline-track ${isOpen ? 'is-open' : ''}`}
      style={{ width }}
      title={band ? `${track.position} · ${track.title}\n${band}` : `${track.position} · ${track.title}`}
      onClick={() => {
        openTrack(track.track_id)
        void playback.playPart(partFrom(track.track_id))
      }}
    >
      <svg viewBox={`0 0 ${width} ${HEIGHT + BAND_PX}`} width={width} height={HEIGHT + BAND_PX} aria-hidden="true">
        <path className={track.master?.state === 'done' ? 'w-out' : 'w-in'} d={wavePath(shown, width)} />
        {fades.map(
          ({ fade, shape, x }, at) =>
            fade > 0 && (
              // biome-ignore lint/suspicious/noArrayIndexKey: the start, then the end
              <path key={at} className="gain" d={gainPath({ trim: 0, fade, shape }, fade, x, HEIGHT)} />
            ),
        )}
        <path className="l-aim" d={`M0 ${HEIGHT + BAND_PX / 2}H${width}`} />
        {lufs !== undefined && target !== undefined && (
          <rect className="band" x={0} y={bandY(lufs - target) - 2} width={width} height={4} />
        )}
        <line ref={playhead} className="playhead" y1={0} y2={HEIGHT + BAND_PX} transform="translate(-2 0)" />
      </svg>
      <span className="clip tick">
        {index + 1} {track.title}
      </span>
      <span className="vh">
        {t.release.transport.playFrom}. {band}
      </span>
    </button>
  )
}

/** Place of a loudness against the target, LU, in the band. */
const bandY = (offsetLu: number) => HEIGHT + (BAND_PX / 2) * (1 - Math.max(-1, Math.min(1, offsetLu / BAND_LU)))

/** Returns the peaks of a track's song, 0 to 1; empty before they are measured. */
function useTrackPeaks({ source_id }: Track): readonly number[] {
  const { batch } = useApp()
  const percent = useSelect(batch.store, (state) => songIn(state, source_id ?? '')?.analysis?.waveform_percent)
  return useMemo(() => percent?.map((value) => value / 100) ?? [], [percent])
}

function wavePath(peaks: readonly number[], width: number): string {
  const count = Math.max(1, Math.floor(width / PITCH))
  const bars = peaks.length > 0 ? barsOf(peaks, count) : Array.from({ length: count }, () => 0)
  return bars
    .map((value, at) => {
      const reach = Math.max(0.5, value * (HEIGHT / 2 - 4))
      return `M${at * PITCH} ${(HEIGHT / 2 - reach).toFixed(1)}h2v${(2 * reach).toFixed(1)}h-2z`
    })
    .join('')
}

/** The join of two tracks: its rest, which is dragged, and the button that plays it. */
function JoinLook({ release, index }: { release: Release; index: number }) {
  const { playback, releases } = useApp()
  const { t } = useWords()
  const texts = t.release.timeline
  const [one, next] = [release.tracks[index]!, release.tracks[index + 1]!]
  const rest = one.continuous_with_next ? 0 : next.gap_before_seconds
  const held = useRef({ x: 0, seconds: 0 })
  const label = texts.join(one.position, next.position)
  return (
    <div className="join">
      <div className="rest" style={{ width: Math.min(1, rest / REST_SECONDS) * JOIN_PX }} />
      {!one.continuous_with_next && (
        <Handle
          kind="rest"
          label={texts.rest(next.position)}
          value={rest}
          most={MAX_GAP_SECONDS}
          valueText={`${rest.toFixed(2)} s`}
          x={JOIN_PX / 2}
          onHold={(clientX) => {
            held.current = { x: clientX, seconds: rest }
          }}
          toSeconds={(clientX) => held.current.seconds + (clientX - held.current.x) * SECONDS_PER_PX}
          onChange={(seconds) => releases.editor.change(next.track_id, { gap_before_seconds: seconds })}
        />
      )}
      <button
        type="button"
        className="btn quiet icon sm"
        aria-label={label}
        title={label}
        onClick={() =>
          void playback.playPart((placed) =>
            joinPart(placed.findIndex(({ trackId }) => trackId === one.track_id))(placed),
          )
        }
      >
        <AudioLines className="i s" aria-hidden="true" />
      </button>
    </div>
  )
}
