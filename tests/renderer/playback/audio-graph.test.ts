import { afterEach, describe, expect, it, vi } from 'vitest'
import { openAudioGraph } from '../../../src-renderer/playback/audio-graph.ts'
import { type PlaybackCommand, PlaybackEngine } from '../../../src-renderer/playback/playback-engine.ts'
import { openSoundFile, type Track } from '../../../src-renderer/playback/track.ts'
import { settle } from '../../support/fake-clock.ts'
import { wavSong } from '../../support/songs.ts'

vi.mock('../../../src-renderer/playback/playback-engine.worklet.ts?worker&url', () => ({ default: 'playback.js' }))

const RATE = 44_100

const soundOf = (samples: Float32Array<ArrayBuffer>) => ({ left: samples, right: samples })

/** An audio graph whose sound card records the messages to the playback engine. */
async function bench(durationSeconds = 1) {
  const posted: PlaybackCommand[] = []
  // A page that was pressed may sound from the start.
  const card = { isRunning: true }
  const node = { connect: () => node, gain: { setTargetAtTime: () => undefined }, frequencyBinCount: 1 }
  class Context {
    readonly audioWorklet = { addModule: async () => undefined }
    readonly destination = node
    async resume() {
      card.isRunning = true
    }
    async suspend() {
      card.isRunning = false
    }
    async close() {}
  }
  class Node {
    readonly port = { postMessage: (command: PlaybackCommand) => void posted.push(command) }
    readonly gain = node.gain
    readonly frequencyBinCount = 1
    readonly connect = () => node
  }
  vi.stubGlobal('AudioContext', Context)
  for (const name of ['AudioWorkletNode', 'GainNode', 'AnalyserNode']) vi.stubGlobal(name, Node)
  const ready: string[] = []
  const graph = await openAudioGraph({
    rateHz: RATE,
    durationSeconds,
    onReport: () => undefined,
    onReady: (track) => ready.push(track),
    onFailure: (track) => ready.push(`${track} failed`),
  })
  const song = new Uint8Array(wavSong({ seconds: 24, sampleRateHz: RATE }))
  /** A file of `other` with `frames` frames that is answered when it is let. */
  const file = (frames: number) => {
    let answer: () => void = () => undefined
    const wait = new Promise<void>((resolve) => {
      answer = resolve
    })
    const bytes = song.slice(0, 44 + frames * 4)
    new DataView(bytes.buffer).setUint32(40, frames * 4, true)
    const open = async () => {
      await wait
      return (await openSoundFile(async () => new Response(bytes))).track(RATE)
    }
    return { name: 'other', isSameSong: true, open, answer: () => answer() }
  }
  const added = () => posted.flatMap((command) => (command.kind === 'add' ? [command.frames] : []))
  /** Report of the playback engine after `seconds` of sound, with every posted command obeyed. */
  const reportAfter = (seconds: number) => {
    const playback = new PlaybackEngine(RATE)
    for (const command of posted) playback.obey(command)
    const frames = Math.round(seconds * RATE)
    playback.render(new Float32Array(frames), new Float32Array(frames))
    return playback.takeReport()
  }
  return { graph, card, ready, file, added, reportAfter }
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the sound card', () => {
  it('rests while nothing plays, also before anything has', async () => {
    vi.useFakeTimers()
    const { graph, card } = await bench()
    vi.advanceTimersByTime(5000)
    expect(card.isRunning).toBe(false)
    graph.play()
    vi.advanceTimersByTime(5000)
    expect(card.isRunning).toBe(true)
    graph.pause()
    vi.advanceTimersByTime(5000)
    expect(card.isRunning).toBe(false)
  })
})

describe('a machine without an audio thread', () => {
  it('is told so, and nothing of the sound card stays taken', async () => {
    let open = 0
    class Context {
      readonly audioWorklet = { addModule: () => Promise.reject(new Error('no audio thread')) }
      constructor() {
        open += 1
      }
      async close() {
        open -= 1
      }
    }
    vi.stubGlobal('AudioContext', Context)
    const silent = { onReport: () => undefined, onReady: () => undefined, onFailure: () => undefined }
    await expect(openAudioGraph({ rateHz: RATE, durationSeconds: 1, ...silent })).rejects.toThrow('no audio thread')
    expect(open).toBe(0)
  })
})

describe('a version that is replaced while it is loaded', () => {
  it('is not heard in the place of the one that was brought after it', async () => {
    const { graph, file, added } = await bench()
    const [first, second] = [file(1000), file(2000)]
    const loads = [graph.load([first])]
    graph.drop('other')
    loads.push(graph.load([second]))
    second.answer()
    await settle(20)
    first.answer()
    await Promise.all(loads)
    expect(added()).toEqual([2000])
  })

  it('is opened although the one that it is aligned to is taken out meanwhile', async () => {
    const { graph, ready } = await bench()
    const samples = new Float32Array(RATE)
    const gone = new AbortController()
    const of = (isExact: boolean, read: Track['read']) => ({ isExact, frames: RATE, read }) as Track
    const exact = of(true, (_from, frames) =>
      gone.signal.aborted ? Promise.reject(gone.signal.reason) : Promise.resolve(soundOf(samples.subarray(0, frames))),
    )
    const lossy = of(false, async (_from, frames) => soundOf(samples.slice(0, frames)))
    await graph.load([{ name: 'exact', isSameSong: true, open: async () => exact }])
    const open = async () => {
      gone.abort()
      return lossy
    }
    const opening = graph.load([{ name: 'lossy', isSameSong: true, open }])
    graph.drop('exact')
    await opening
    expect(ready).toEqual(['exact', 'lossy'])
  })

  it('is not put on the playback engine when it was taken out', async () => {
    const { graph, file, added, ready } = await bench()
    const only = file(1000)
    const load = graph.load([only])
    graph.drop('other')
    only.answer()
    await load
    expect([added(), ready]).toEqual([[], []])
  })
})

describe('the end of a song', () => {
  const FRAMES = 13_366
  const END_SECONDS = FRAMES / RATE

  it('is where its report says, however long a reference goes on', async () => {
    const { graph, file, reportAfter } = await bench(END_SECONDS)
    const [master, reference] = [file(FRAMES), file(2 * FRAMES)]
    master.answer()
    reference.answer()
    await graph.load([master, { ...reference, name: 'reference', isSameSong: false }])
    await settle(20)
    graph.choose('other')
    graph.play()
    expect(reportAfter(0.5)).toMatchObject({ isPlaying: false, frame: FRAMES })
  })

  it('is turned around at by a loop up to it, though the report rounds it to a millisecond', async () => {
    const endSeconds = Math.ceil(1000 * END_SECONDS) / 1000
    const { graph, file, reportAfter } = await bench(endSeconds)
    const master = file(FRAMES)
    master.answer()
    await graph.load([master])
    await settle(20)
    graph.choose('other')
    graph.setLoop({ startSeconds: 0.1, endSeconds })
    graph.play()
    expect(reportAfter(0.5)).toMatchObject({ isPlaying: true })
  })
})
