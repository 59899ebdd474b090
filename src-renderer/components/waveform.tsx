/** The waveform of a song row: 2 px bars on a 3 px pitch, mirrored. Steel is the original, straw the master. */
import { type CSSProperties, memo, useEffect, useRef, useState } from 'react'

const PITCH = 3
const HEIGHT = 36
const REACH = 17

/** Mean of the peaks in each bar, 0 to 1; `count` bars from any number of slices. Empty input gives no bars. */
export function barsOf(slices: readonly number[], count: number): number[] {
  if (slices.length === 0) return []
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i / count) * slices.length)
    const to = Math.max(from + 1, Math.floor(((i + 1) / count) * slices.length))
    const part = slices.slice(from, to)
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

/** The path of the bars, mirrored around the middle; each at least 1 px in either direction. */
export function barPath(bars: readonly number[]): string {
  return bars
    .map((value, i) => {
      const reach = Math.max(1, Math.min(REACH, value * REACH))
      return `M${i * PITCH} ${(HEIGHT / 2 - reach).toFixed(1)}h2v${(2 * reach).toFixed(1)}h-2z`
    })
    .join('')
}

const dotPath = (count: number) =>
  Array.from({ length: count }, (_, i) => `M${i * PITCH} ${HEIGHT / 2 - 0.5}h2v1h-2z`).join('')

/** Drawn part of the row, and its colour. */
export interface WaveformProps {
  slices: readonly number[] | null
  /** Percentage drawn in straw; the rest is steel. */
  mastered: number
  /** Percentage shown before the waveform is known. */
  known?: number
}

export const Waveform = memo(function Waveform({ slices, mastered, known = 0 }: WaveformProps) {
  const host = useRef<SVGSVGElement>(null)
  const [width, setWidth] = useState(160)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const next = Math.floor(entry?.contentRect.width ?? 0)
      if (next > 0) setWidth(next)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const count = Math.max(1, Math.floor(width / PITCH))
  const bars = slices && slices.length > 0 ? barPath(barsOf(slices, count)) : null
  return (
    <svg
      ref={host}
      className="wave"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      style={{ '--p': mastered, '--k': known } as CSSProperties}
      aria-hidden="true"
    >
      {bars ? (
        <>
          <path className="w-in rest" d={bars} />
          {mastered > 0 && <path className="w-out made" d={bars} />}
        </>
      ) : (
        <>
          <path className="w-off" d={dotPath(count)} />
          {known > 0 && <path className="w-in made known" d={dotPath(count)} />}
        </>
      )}
    </svg>
  )
})
