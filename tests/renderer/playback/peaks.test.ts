import { describe, expect, it } from 'vitest'
import { readPeaks } from '../../../src-renderer/playback/peaks.ts'

/** A track of silence with single samples, which notes how much is read at a time. */
function sparseTrack(
  samples: Readonly<Record<number, number>>,
  onRead: (start: number, count: number) => void = () => {},
) {
  return {
    async read(start: number, count: number) {
      onRead(start, count)
      const right = new Float32Array(count)
      for (const [frame, value] of Object.entries(samples)) {
        const at = Number(frame) - start
        if (at >= 0 && at < count) right[at] = value
      }
      return { left: new Float32Array(count), right }
    },
  }
}

const never = new AbortController().signal

describe('the peaks of a part of a track', () => {
  it('stand in the columns of their moments, whichever channel and sign they have', async () => {
    const track = sparseTrack({ 99: 1, 100: -0.5, 119: 0.25, 120: 1 })
    const peaks = await readPeaks(track, { from: 100, to: 120 }, 4, never)
    expect(peaks[0]).toBeCloseTo(-6.02, 2)
    expect(peaks.slice(1, 3)).toEqual([null, null])
    expect(peaks[3]).toBeCloseTo(-12.04, 2)
  })

  it('lose no sample between two pieces, and hold no more than one', async () => {
    const pieces: [number, number][] = []
    const length = 400_000
    const clicks = [0, 131_071, 131_072, 262_143, 262_144, 399_999]
    for (const click of clicks) {
      const track = sparseTrack({ [click + 7]: 1 }, (start, count) => pieces.push([start, count]))
      const peaks = await readPeaks(track, { from: 7, to: 7 + length }, 900, never)
      expect(peaks.indexOf(0), `click at ${click}`).toBe(Math.floor((click / length) * 900))
    }
    expect(Math.max(...pieces.map(([, count]) => count))).toBe(131_072)
  })

  it('reads nothing more once the view has moved on', async () => {
    const control = new AbortController()
    let reads = 0
    const track = sparseTrack({}, () => {
      reads += 1
      control.abort()
    })
    await expect(readPeaks(track, { from: 0, to: 1e6 }, 10, control.signal)).rejects.toThrow()
    expect(reads).toBe(1)
  })
})
