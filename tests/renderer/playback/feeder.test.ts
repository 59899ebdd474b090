import { describe, expect, it } from 'vitest'
import { Feeder, nextMissing, wantedChunks } from '../../../src-renderer/playback/feeder.ts'
import { CHUNK_FRAMES, type PlaybackCommand } from '../../../src-renderer/playback/playback-engine.ts'
import type { Track } from '../../../src-renderer/playback/track.ts'
import { settle as turns } from '../../support/fake-clock.ts'

const RATE = 48_000
const TEN_MINUTES = RATE * 600

function silentTrack(frames: number, reads: number[] = []): Track {
  return {
    frames,
    isExact: true,
    read: async (start, count) => {
      reads.push(start / CHUNK_FRAMES)
      return { left: new Float32Array(count), right: new Float32Array(count) }
    },
  }
}

/** Runs until nothing is fetched any more. */
const settle = () => turns(50)

describe('the chunks on the playback engine', () => {
  it('are few of a long song: 7 versions of 10 minutes stay below 80 MB', () => {
    const loop = { startFrame: RATE * 100, endFrame: RATE * 130 }
    const chunks = wantedChunks({ frame: RATE * 300, loop }, TEN_MINUTES, RATE)
    expect(chunks.length * CHUNK_FRAMES * 2 * 4 * 7).toBeLessThan(80e6)
  })

  it('reach from before the playhead to 12 s after it, and include the places a loop or a restart jumps to', () => {
    const loop = { startFrame: RATE * 100, endFrame: RATE * 130 }
    const chunks = wantedChunks({ frame: RATE * 300, loop }, TEN_MINUTES, RATE)
    for (const second of [0, 2, 100, 102, 297, 300, 311]) {
      expect(chunks).toContain(Math.floor((second * RATE) / CHUNK_FRAMES))
    }
    expect(chunks[0]).toBe(Math.floor((300 * RATE) / CHUNK_FRAMES))
  })

  it('begin with the heard version, closely followed by the others', () => {
    const here = new Set<string>()
    const order: string[] = []
    for (;;) {
      const next = nextMissing([5, 6, 7, 8], ['a', 'b', 'c'], 'b', (version, index) => here.has(version + index))
      if (!next) break
      here.add(next.version + next.index)
      order.push(next.version + next.index)
    }
    expect(order.slice(0, 6)).toEqual(['b5', 'b6', 'b7', 'a5', 'c5', 'b8'])
    expect(order).toHaveLength(12)
  })
})

describe('the feeder', () => {
  it('fetches each chunk once, follows the playhead and evicts what is far behind', async () => {
    const posted: PlaybackCommand[] = []
    const reads: number[] = []
    const feeder = new Feeder({
      rateHz: RATE,
      lengthFrames: TEN_MINUTES,
      post: (command) => posted.push(command),
      onFailure: () => undefined,
    })
    feeder.put('a', silentTrack(TEN_MINUTES, reads))
    feeder.move({ frame: 0, version: 'a', loop: null })
    await settle()
    feeder.move({ frame: RATE * 60, version: 'a', loop: null })
    await settle()
    expect(new Set(reads).size).toBe(reads.length)
    const evicted = posted.flatMap((command) => (command.kind === 'evict' ? command.indexes : []))
    expect(evicted).toContain(Math.floor((10 * RATE) / CHUNK_FRAMES))
    expect(evicted).not.toContain(0)
    expect(reads).toContain(Math.floor((71 * RATE) / CHUNK_FRAMES))
  })

  it('reads the heard version at once, however slowly others are read, and these few at a time', async () => {
    const reads: string[] = []
    const slow = (name: string): Track => ({
      ...silentTrack(TEN_MINUTES),
      read: (start) => {
        reads.push(`${name}${start / CHUNK_FRAMES}`)
        return new Promise(() => undefined)
      },
    })
    const feeder = new Feeder({
      rateHz: RATE,
      lengthFrames: TEN_MINUTES,
      post: () => undefined,
      onFailure: () => undefined,
    })
    feeder.put('old', slow('old'))
    feeder.put('new', slow('new'))
    await settle()
    expect(reads).toEqual(['old0', 'old1', 'old2'])
    feeder.move({ frame: 0, version: 'new', loop: null })
    await settle()
    expect(reads.slice(3)).toEqual(['new0', 'new1', 'new2'])
  })

  it('sends a mono track as two channels, each with bytes of its own', async () => {
    const chunks: PlaybackCommand[] = []
    const feeder = new Feeder({
      rateHz: RATE,
      lengthFrames: RATE,
      post: (command, transfer) => chunks.push(structuredClone(command, { transfer })),
      onFailure: () => undefined,
    })
    const mono = new Float32Array(CHUNK_FRAMES).fill(0.5)
    feeder.put('a', { ...silentTrack(RATE), read: async () => ({ left: mono, right: mono }) })
    feeder.move({ frame: 0, version: 'a', loop: null })
    await settle()
    const expected = new Float32Array(CHUNK_FRAMES).fill(0.5)
    expect(chunks.find(({ kind }) => kind === 'chunk')).toMatchObject({ left: expected, right: expected })
  })

  it('reports a version that cannot be read once, and goes on with the others', async () => {
    const failed: string[] = []
    const reads: number[] = []
    const feeder = new Feeder({
      rateHz: RATE,
      lengthFrames: TEN_MINUTES,
      post: () => undefined,
      onFailure: (version) => failed.push(version),
    })
    feeder.put('gone', { ...silentTrack(TEN_MINUTES), read: () => Promise.reject(new Error('410')) })
    feeder.put('a', silentTrack(TEN_MINUTES, reads))
    feeder.move({ frame: 0, version: 'gone', loop: null })
    await settle()
    expect(failed).toEqual(['gone'])
    expect(reads.length).toBeGreaterThan(5)
  })
})
