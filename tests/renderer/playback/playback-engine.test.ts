import { describe, expect, it } from 'vitest'
import { CHUNK_FRAMES, PlaybackEngine } from '../../../src-renderer/playback/playback-engine.ts'
import { noise, sine } from './signals.ts'

const RATE = 48_000
const FADE = (RATE * 8) / 1000

/** A playback with versions whose samples are given for their whole length. */
function playbackWith(versions: Record<string, Float32Array>): PlaybackEngine {
  const playback = new PlaybackEngine(RATE)
  let length = 0
  for (const [version, samples] of Object.entries(versions)) {
    length = Math.max(length, samples.length)
    playback.obey({ kind: 'add', version, frames: samples.length })
    for (let index = 0; index * CHUNK_FRAMES < samples.length; index++) {
      const left = new Float32Array(CHUNK_FRAMES)
      left.set(samples.subarray(index * CHUNK_FRAMES, (index + 1) * CHUNK_FRAMES))
      playback.obey({ kind: 'chunk', version, index, left, right: left.slice() })
    }
  }
  playback.obey({ kind: 'length', frames: length })
  return playback
}

function render(playback: PlaybackEngine, frames: number, quantum = 128): Float32Array {
  const output = new Float32Array(frames)
  for (let at = 0; at < frames; at += quantum) {
    const left = new Float32Array(Math.min(quantum, frames - at))
    playback.render(left, new Float32Array(left.length))
    output.set(left, at)
  }
  return output
}

/** Frames by which `output` from `at` on lags behind `samples`, when it is a piece of it; null when it is none. */
function placeOf(output: Float32Array, at: number, samples: Float32Array, gain = 1): number | null {
  for (let place = 0; place < samples.length - 64; place++) {
    let isHere = true
    for (let i = 0; i < 64 && isHere; i++) {
      isHere = Math.abs((output[at + i] as number) - gain * (samples[place + i] as number)) < 1e-6
    }
    if (isHere) return place
  }
  return null
}

describe('switching between versions', () => {
  it('goes on at the same sample of the other version, at whatever moment the key is pressed', () => {
    for (const pressedAt of [1000, 4096, 65_500, 65_536, 70_001]) {
      const a = noise(100_000, 1)
      const b = noise(100_000, 2)
      const playback = playbackWith({ a, b })
      playback.obey({ kind: 'choose', version: 'a' })
      playback.obey({ kind: 'play', serial: 1 })
      const before = render(playback, pressedAt)
      playback.obey({ kind: 'choose', version: 'b' })
      const after = render(playback, 2048)
      expect(placeOf(before, pressedAt - 64, a)).toBe(pressedAt - 64)
      expect(placeOf(after, FADE, b)).toBe(pressedAt + FADE)
    }
  })

  it('keeps the loudness of unlike signals through the fade: equal power, no gap', () => {
    const playback = playbackWith({ a: noise(200_000, 1), b: noise(200_000, 2) })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 4096)
    const power = new Float64Array(4)
    for (let turn = 0; turn < 40; turn++) {
      playback.obey({ kind: 'choose', version: turn % 2 ? 'a' : 'b' })
      const fade = render(playback, FADE)
      fade.forEach((value, i) => {
        power[Math.floor((i * 4) / FADE)]! += value * value
      })
      render(playback, 640)
    }
    const mean = power.reduce((sum, value) => sum + value) / 4
    for (const quarter of power) expect(Math.abs(10 * Math.log10(quarter / mean))).toBeLessThan(0.5)
  })

  it('makes no step larger than the signals themselves make', () => {
    const playback = playbackWith({ a: sine(96_000, RATE, 100, 0.5), b: sine(96_000, RATE, 100, 0.5, 2) })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    const pieces = [render(playback, 5000)]
    for (const version of ['b', 'a', 'b']) {
      playback.obey({ kind: 'choose', version })
      pieces.push(render(playback, 150))
    }
    pieces.push(render(playback, 2000))
    const all = pieces.flatMap((piece) => [...piece])
    const steps = all.slice(600).map((value, i) => Math.abs(value - (all[600 + i - 1] as number)))
    expect(Math.max(...steps)).toBeLessThan(0.02)
  })

  it('stays with the version that can be heard until the other one has arrived', () => {
    const a = noise(100_000, 1)
    const b = noise(100_000, 2)
    const playback = playbackWith({ a })
    playback.obey({ kind: 'add', version: 'b', frames: b.length })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 1024)
    playback.obey({ kind: 'choose', version: 'b' })
    expect(placeOf(render(playback, 1024), 900, a)).toBe(1924)
    playback.obey({
      kind: 'chunk',
      version: 'b',
      index: 0,
      left: b.slice(0, CHUNK_FRAMES),
      right: b.slice(0, CHUNK_FRAMES),
    })
    expect(placeOf(render(playback, 1024), 900, b)).toBe(2948)
  })

  it('changes to a version only when so much of it is there that no gap follows', () => {
    const a = noise(100_000, 1)
    const b = noise(100_000, 2)
    const playback = playbackWith({ a })
    const arrive = (index: number) => {
      const piece = new Float32Array(CHUNK_FRAMES)
      piece.set(b.slice(index * CHUNK_FRAMES, (index + 1) * CHUNK_FRAMES))
      playback.obey({ kind: 'chunk', version: 'b', index, left: piece, right: piece })
    }
    playback.obey({ kind: 'add', version: 'b', frames: b.length })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'seek', serial: 1, frame: CHUNK_FRAMES - 4096, restartsIntegrated: false })
    playback.obey({ kind: 'play', serial: 2 })
    render(playback, 1024)
    arrive(0)
    playback.obey({ kind: 'choose', version: 'b' })
    expect(placeOf(render(playback, 1024), 900, a)).toBe(CHUNK_FRAMES - 4096 + 1924)
    arrive(1)
    expect(placeOf(render(playback, 1024), 900, b)).toBe(CHUNK_FRAMES - 4096 + 2948)
  })

  it('plays every version at its own level', () => {
    const a = noise(50_000, 1)
    const b = noise(50_000, 2)
    const playback = playbackWith({ a, b })
    playback.obey({ kind: 'levels', gains: { a: 0.5, b: 0.25 } })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    expect(placeOf(render(playback, 1024), 900, a, 0.5)).toBe(900)
    playback.obey({ kind: 'choose', version: 'b' })
    expect(placeOf(render(playback, 1024), 900, b, 0.25)).toBe(1924)
  })
})

describe('the transport', () => {
  it('renders the same sound however the sound card cuts it', () => {
    const make = () => {
      const playback = playbackWith({ a: noise(150_000, 1), b: noise(150_000, 2) })
      playback.obey({ kind: 'choose', version: 'a' })
      playback.obey({ kind: 'loop', range: { startFrame: 1000, endFrame: 70_000 } })
      playback.obey({ kind: 'play', serial: 1 })
      return playback
    }
    expect(render(make(), 140_000, 128)).toEqual(render(make(), 140_000, 3500))
  })

  it('waits in silence after a seek until the samples are there, and loses none of them', () => {
    const a = noise(3 * CHUNK_FRAMES - 5000, 1)
    const frame = 2 * CHUNK_FRAMES + 9000
    const playback = playbackWith({ a: a.slice(0, CHUNK_FRAMES) })
    playback.obey({ kind: 'add', version: 'a', frames: a.length })
    playback.obey({ kind: 'length', frames: a.length })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    playback.obey({ kind: 'seek', serial: 3, frame, restartsIntegrated: false })
    expect(Math.max(...render(playback, 4096))).toBe(0)
    expect(playback.takeReport()).toMatchObject({ frame, isWaiting: true })
    const left = new Float32Array(CHUNK_FRAMES)
    left.set(a.subarray(2 * CHUNK_FRAMES))
    playback.obey({ kind: 'chunk', version: 'a', index: 2, left, right: left.slice() })
    expect(placeOf(render(playback, 1024), FADE, a)).toBe(frame + FADE)
  })

  it('begins when the first samples are there, where it was to play before', () => {
    const a = noise(20_000, 1)
    const playback = playbackWith({})
    playback.obey({ kind: 'play', serial: 1 })
    expect(Math.max(...render(playback, 4096))).toBe(0)
    expect(playback.takeReport()).toMatchObject({ frame: 0, isPlaying: true, isWaiting: true })
    playback.obey({ kind: 'add', version: 'a', frames: a.length })
    playback.obey({ kind: 'chunk', version: 'a', index: 0, left: a, right: a.slice() })
    playback.obey({ kind: 'length', frames: a.length })
    playback.obey({ kind: 'choose', version: 'a' })
    expect(placeOf(render(playback, 1024), FADE, a)).toBe(FADE)
  })

  it('makes no click where it jumps, pauses, goes on or begins after waiting', () => {
    // A constant tells a jump of the sound from the music: any break in a fade is a step.
    const constant = new Float32Array(60_000).fill(0.5)
    const playback = playbackWith({ a: constant })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'loop', range: { startFrame: 10_000, endFrame: 20_000 } })
    playback.obey({ kind: 'play', serial: 1 })
    const pieces = [render(playback, 3000)]
    playback.obey({ kind: 'seek', serial: 3, frame: 15_000, restartsIntegrated: false })
    pieces.push(render(playback, 8000))
    playback.obey({ kind: 'pause', serial: 2 })
    pieces.push(render(playback, 1000))
    playback.obey({ kind: 'evict', version: 'a', indexes: [0] })
    playback.obey({ kind: 'play', serial: 1 })
    pieces.push(render(playback, 1000))
    const left = new Float32Array(CHUNK_FRAMES).fill(0.5)
    playback.obey({ kind: 'chunk', version: 'a', index: 0, left, right: left.slice() })
    pieces.push(render(playback, 2000))
    const all = pieces.flatMap((piece) => [...piece])
    const steps = all.map((value, i) => Math.abs(value - (all[i - 1] ?? 0)))
    expect(Math.max(...steps)).toBeLessThan(0.01)
    expect(all.at(-1)).toBeCloseTo(0.5, 6)
    // The jump of the loop is a fade between two places, not a hole: the sound never falls below its level.
    const aroundTurn = all.slice(3000 + 5000 - 100, 3000 + 5000 + 400)
    expect(Math.min(...aroundTurn)).toBeGreaterThan(0.49)
  })

  it('turns from the end of the loop to its start on the sample', () => {
    const a = noise(60_000, 1)
    const playback = playbackWith({ a })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'loop', range: { startFrame: 10_000, endFrame: 20_000 } })
    playback.obey({ kind: 'seek', serial: 3, frame: 19_000, restartsIntegrated: false })
    playback.obey({ kind: 'play', serial: 1 })
    const output = render(playback, 12_000)
    expect(placeOf(output, 900, a)).toBe(19_900)
    expect(placeOf(output, 1000 + FADE, a)).toBe(10_000 + FADE)
    expect(placeOf(output, 11_000 + FADE, a)).toBe(10_000 + FADE)
  })

  it('stops at the end and begins again from the start', () => {
    const a = noise(10_000, 1)
    const playback = playbackWith({ a })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 12_000)
    expect(playback.takeReport()).toMatchObject({ frame: 10_000, isPlaying: false })
    playback.obey({ kind: 'play', serial: 1 })
    expect(placeOf(render(playback, 1024), FADE, a)).toBe(FADE)
    render(playback, 12_000)
    playback.obey({ kind: 'loop', range: { startFrame: 2000, endFrame: 6000 } })
    playback.obey({ kind: 'play', serial: 2 })
    expect(placeOf(render(playback, 1024), FADE, a)).toBe(2000 + FADE)
  })

  it('fades out on pause and goes on from the same place', () => {
    const a = noise(60_000, 1)
    const playback = playbackWith({ a })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 5000)
    playback.obey({ kind: 'pause', serial: 2 })
    const output = render(playback, 1024)
    const faded = (a[5004] as number) * Math.cos((5 / FADE) * (Math.PI / 2))
    expect(output[4]).toBeCloseTo(faded, 4)
    expect(output.slice(FADE + 1).every((value) => value === 0)).toBe(true)
    playback.obey({ kind: 'play', serial: 1 })
    expect(placeOf(render(playback, 1024), FADE, a)).toBe(5000 + FADE)
  })

  it('never hangs on an empty song, nor waits at the end of one for what a longer version has behind it', () => {
    const empty = new PlaybackEngine(RATE)
    empty.obey({ kind: 'play', serial: 1 })
    expect(render(empty, 1024).every((value) => value === 0)).toBe(true)
    const ended = new PlaybackEngine(RATE)
    ended.obey({ kind: 'add', version: 'longer', frames: 20_000 })
    ended.obey({ kind: 'length', frames: 10_000 })
    ended.obey({ kind: 'choose', version: 'longer' })
    ended.obey({ kind: 'play', serial: 1 })
    ended.obey({ kind: 'seek', serial: 2, frame: 10_000, restartsIntegrated: false })
    render(ended, 1024)
    expect(ended.takeReport()).toMatchObject({ version: 'longer', isPlaying: false, isWaiting: false })
  })
})

describe('what the playback engine measures', () => {
  it('knows the loudness of the versions that are not heard too, so a switch shows their numbers at once', () => {
    const playback = playbackWith({ a: sine(300_000, RATE, 997, 0.1), b: sine(300_000, RATE, 997, 0.2) })
    playback.obey({ kind: 'levels', gains: { a: 0.1 } })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 200_000)
    const { loudness } = playback.takeReport() as NonNullable<ReturnType<PlaybackEngine['takeReport']>>
    const [momentary, shortTerm, integrated] = loudness.a as readonly [number, number, number]
    for (const level of [momentary, shortTerm, integrated]) expect(level).toBeCloseTo(-20, 1)
    expect(loudness.b?.[2]).toBeCloseTo(-13.98, 1)
  })

  it('forgets the peaks of the version that was heard before', () => {
    const playback = playbackWith({ loud: sine(20_000, RATE, 997, 0.5), silent: new Float32Array(20_000) })
    playback.obey({ kind: 'choose', version: 'loud' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 8000)
    expect(playback.takeReport()?.truePeaks[0]).toBeCloseTo(0.5, 2)
    playback.obey({ kind: 'choose', version: 'silent' })
    render(playback, 8000)
    expect(playback.takeReport()?.truePeaks).toEqual([0, 0])
  })
})

describe('two renderings of one song', () => {
  it('slide into each other in a straight line: what they share stays as loud', () => {
    const tone = noise(100_000, 3)
    const playback = playbackWith({ a: tone, b: tone.slice() })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 4096)
    playback.obey({ kind: 'choose', version: 'b', slideMs: 30 })
    const slide = render(playback, 4096)
    slide.forEach((value, i) => {
      expect(Math.abs(value - (tone[4096 + i] as number))).toBeLessThan(1e-5)
    })
  })

  it('are there for as long as the slide takes, and no longer', () => {
    const playback = playbackWith({ a: new Float32Array(100_000).fill(1), b: new Float32Array(100_000) })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 4096)
    playback.obey({ kind: 'choose', version: 'b', slideMs: 30 })
    const slide = render(playback, 4096)
    const last = slide.findLastIndex((value) => value > 0)
    expect(Math.abs(last - (RATE * 30) / 1000)).toBeLessThan(130)
  })
})

describe('the difference of two versions', () => {
  it('is what one has and the other has not, each at its level, and ends when it is let go', () => {
    const shared = noise(100_000, 1)
    const own = noise(100_000, 2)
    const made = shared.map((value, i) => 0.5 * value + (own[i] as number))
    const playback = playbackWith({ source: shared, made })
    playback.obey({ kind: 'levels', gains: { source: 0.5, made: 1 } })
    playback.obey({ kind: 'choose', version: 'made' })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 4096)
    playback.obey({ kind: 'difference', difference: { of: 'made', without: 'source' } })
    expect(placeOf(render(playback, 2048), FADE, own)).toBe(4096 + FADE)
    playback.obey({ kind: 'difference', difference: null })
    expect(placeOf(render(playback, 2048), FADE, made)).toBe(4096 + 2048 + FADE)
  })

  it('is nothing of a version that it is not of', () => {
    const source = noise(100_000, 1)
    const playback = playbackWith({ source, made: noise(100_000, 2) })
    playback.obey({ kind: 'choose', version: 'source' })
    playback.obey({ kind: 'play', serial: 1 })
    playback.obey({ kind: 'difference', difference: { of: 'made', without: 'source' } })
    expect(placeOf(render(playback, 4096), 1024, source)).toBe(1024)
  })

  /** A song, and two versions of it that have little of their own. */
  function twoVersions() {
    const song = noise(200_000, 1)
    const little = [noise(200_000, 2, 0.001), noise(200_000, 3, 0.001)] as const
    const [a, b] = little.map((own) => song.map((value, i) => value + (own[i] as number)))
    return { song, a: a as Float32Array, b: b as Float32Array }
  }
  const loudest = (samples: Float32Array) => samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)

  it('lets nothing whole through when the head jumps, another version is chosen, or it stops', () => {
    const playback = playbackWith(twoVersions())
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'difference', difference: { of: 'a', without: 'song' } })
    playback.obey({ kind: 'play', serial: 1 })
    expect(loudest(render(playback, 4096)), 'from its first sample').toBeLessThan(0.003)
    playback.obey({ kind: 'seek', serial: 2, frame: 90_000, restartsIntegrated: false })
    expect(loudest(render(playback, 4096)), 'after a jump').toBeLessThan(0.003)
    playback.obey({ kind: 'choose', version: 'b' })
    playback.obey({ kind: 'difference', difference: { of: 'b', without: 'song' } })
    expect(loudest(render(playback, 4096)), 'of another version').toBeLessThan(0.003)
    playback.obey({ kind: 'difference', difference: null })
    playback.obey({ kind: 'pause', serial: 3 })
    expect(loudest(render(playback, 4096)), 'at its end').toBeLessThan(0.003)
    playback.obey({ kind: 'play', serial: 4 })
    expect(loudest(render(playback, 128)), 'whole from the first sample when it goes on').toBeGreaterThan(0.1)
  })

  it('waits for what is taken away, and does not play the version whole meanwhile', () => {
    const { song, a } = twoVersions()
    const playback = playbackWith({ song, a })
    const frame = CHUNK_FRAMES + 5000
    playback.obey({ kind: 'evict', version: 'song', indexes: [1] })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'difference', difference: { of: 'a', without: 'song' } })
    playback.obey({ kind: 'play', serial: 1 })
    playback.obey({ kind: 'seek', serial: 2, frame, restartsIntegrated: false })
    expect(loudest(render(playback, 4096))).toBe(0)
    expect(playback.takeReport()).toMatchObject({ isWaiting: true, frame })
    const left = new Float32Array(CHUNK_FRAMES)
    left.set(song.subarray(CHUNK_FRAMES, 2 * CHUNK_FRAMES))
    playback.obey({ kind: 'chunk', version: 'song', index: 1, left, right: left.slice() })
    const heard = loudest(render(playback, 4096))
    expect([heard > 0.0005, heard < 0.003]).toEqual([true, true])
  })

  it('is not what is left of a version that was heard whole in between', () => {
    const { song, a, b } = twoVersions()
    const playback = playbackWith({ song, a, b })
    playback.obey({ kind: 'choose', version: 'a' })
    playback.obey({ kind: 'difference', difference: { of: 'a', without: 'song' } })
    playback.obey({ kind: 'play', serial: 1 })
    render(playback, 4096)
    playback.obey({ kind: 'difference', difference: null })
    playback.obey({ kind: 'choose', version: 'b' })
    expect(placeOf(render(playback, 2048), FADE, b)).toBe(4096 + FADE)
    playback.obey({ kind: 'choose', version: 'a' })
    expect(placeOf(render(playback, 2048), FADE, a)).toBe(4096 + 2048 + FADE)
  })
})
