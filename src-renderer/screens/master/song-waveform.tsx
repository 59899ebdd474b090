/** The waveform of a row; for the playing song it shows the playhead, and a press on it seeks. */
import { type PointerEvent, useRef } from 'react'
import { useFrames } from '../../components/frames.ts'
import { Waveform, type WaveformProps } from '../../components/waveform.tsx'
import { useApp, usePlayback } from '../../state/app-state.ts'
import { loadedSong } from './transport-song.ts'

const STILL_MS = 250

export function SongWaveform({ rowId, ...wave }: WaveformProps & { rowId: string }) {
  const isHeard = usePlayback((state) => loadedSong(state) === rowId)
  return <span className="wavebox">{isHeard ? <Heard {...wave} /> : <Waveform {...wave} />}</span>
}

function Heard(wave: WaveformProps) {
  const { playback } = useApp()
  const head = useRef<HTMLSpanElement>(null)
  const durationSeconds = usePlayback((state) => state.durationSeconds)
  useFrames(() => {
    const at = durationSeconds > 0 ? playback.position() / durationSeconds : 0
    const place = `${(100 * at).toFixed(2)}%`
    if (head.current && head.current.style.left !== place) head.current.style.left = place
  }, STILL_MS)
  const seek = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    if (width > 0) playback.seek(((event.clientX - left) / width) * durationSeconds)
  }
  return (
    // The keyboard's equivalent: the arrow keys of the transport.
    <span
      data-seek=""
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        seek(event)
      }}
      onPointerMove={(event) => event.buttons === 1 && seek(event)}
    >
      <Waveform {...wave} />
      <span ref={head} className="playhead" />
    </span>
  )
}
