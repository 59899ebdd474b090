/** The picture of a song. Without one: bars hanging from a line, their length following the loudness of the song. */
import { useEffect, useState } from 'react'
import { barsOf } from './waveform.tsx'

export interface CoverProps {
  /** Fetches the picture; absent if the file has none. */
  read?: (() => Promise<Blob>) | undefined
  slices: readonly number[] | null
  isRefused?: boolean
}

const BARS = 5
/** Difference between the loudest and the quietest bar below which the loudness counts as constant. */
const EVEN = 0.04

export function Cover({ read, slices, isRefused }: CoverProps) {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!read) return
    let url: string | undefined
    let isOver = false
    read().then(
      (blob) => {
        if (isOver) return
        url = URL.createObjectURL(blob)
        setAddress(url)
      },
      () => undefined,
    )
    return () => {
      isOver = true
      if (url) URL.revokeObjectURL(url)
      setAddress(null)
    }
  }, [read])
  if (address) return <img className="cover" src={address} alt="" />
  if (isRefused || !slices || slices.length === 0) return <span className="cover none" aria-hidden="true" />
  const bars = barsOf(slices, BARS)
  // Of constant loudness, the bars show its level.
  const isEven = Math.max(...bars) - Math.min(...bars) < EVEN
  const quietest = isEven ? 0 : Math.min(...bars)
  const spread = isEven ? 1 : Math.max(...bars) - quietest
  return (
    <svg className="cover plate" viewBox="0 0 48 48" aria-hidden="true">
      {bars.map((value, i) => {
        const x = 10 + i * 6
        return <rect key={x} x={x} y={11} width={4} height={6 + (20 * (value - quietest)) / spread} />
      })}
    </svg>
  )
}
