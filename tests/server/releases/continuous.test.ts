/** Tracks that go over into each other: which can, and what they sound like together. */
import { expect, test } from 'vitest'
import { requireContinuous, unitsOf } from '../../../src-server/releases/continuous.ts'
import { joinedSound } from '../../../src-server/releases/joined-sound.ts'
import { NEW_TRACK, type TrackFacts } from '../../../src-server/releases/release.ts'
import type { AudioFacts } from '../../../src-worker/media/audio-facts.ts'

const goesOver = { continuous_with_next: true }

function trackOf(facts: Partial<TrackFacts>, song: Partial<AudioFacts> = {}) {
  const audio = { sampleRateHz: 48_000, channels: 2, durationSeconds: 300, ...song } as AudioFacts
  return { facts: { ...NEW_TRACK, ...facts }, title: 'T', song: { facts: audio } }
}

function refusal(...tracks: ReturnType<typeof trackOf>[]) {
  try {
    requireContinuous(tracks)
  } catch (error) {
    return error
  }
  return undefined
}

test('tracks go over into each other where nothing stands between them', () => {
  const edges = { fade_in_seconds: 1, gap_before_seconds: 3 }
  const last = { fade_out_seconds: 2, trim_start_seconds: 1, settings: { air_db: 1, bass_db: 0 } }
  const first = trackOf({ ...goesOver, ...edges, settings: { bass_db: 0, air_db: 1 } })
  expect(refusal(trackOf({}, { sampleRateHz: 44_100 }), first, trackOf(last), trackOf({ gap_before_seconds: 1 }))).toBe(
    undefined,
  )
  // The last one has nothing into which it could go over.
  expect(refusal(trackOf({}), trackOf(goesOver))).toBe(undefined)
})

test.each([
  ['rate', {}, { sampleRateHz: 44_100 }],
  ['channels', {}, { channels: 1 }],
  ['gap', { gap_before_seconds: 0.5 }, {}],
  ['fade', { fade_in_seconds: 0.1 }, {}],
  ['sound', { settings: { air_db: 1 } }, {}],
] as const)('and do not for their %s', (reason, facts, song) => {
  const error = refusal(trackOf({}), trackOf(goesOver), trackOf(facts, song))
  expect(error).toMatchObject({ code: 'TRACKS_NOT_CONTINUOUS', values: { track: 2, title: 'T', reason } })
})

test('a fade out does not go over, and what is too long together is told with what is allowed', () => {
  expect(refusal(trackOf({ ...goesOver, fade_out_seconds: 1 }), trackOf({}))).toMatchObject({
    values: { reason: 'fade' },
  })
  const long = [trackOf({ ...goesOver, trim_end_seconds: 10 }, { durationSeconds: 600 }), trackOf(goesOver)]
  expect(refusal(...long, trackOf({}))).toBe(undefined)
  expect(refusal(...long, trackOf({}, { durationSeconds: 311 }))).toMatchObject({
    values: { track: 1, reason: 'length', seconds: 1200 },
  })
})

test('places are together that go over into the next', () => {
  expect(unitsOf([false, true, true, false, true, false])).toEqual([[0], [1, 2, 3], [4, 5]])
})

test('songs sound together as long and as loud as they are', () => {
  const sound = (steps: number[], midDb: number | null, sideToMidDb: number | null, truePeakDbtp: number) => ({
    ...{ steps: Float64Array.from(steps), sideToMidDb, truePeakDbtp },
    spectrum: { band_hz: [1000], mid_db: [midDb], side_db: [null] },
  })
  const loud = sound([1, 1, 1], -10, 0, -1)
  const quiet = sound([0.01], -30, null, -9)
  const joined = joinedSound([loud, quiet])
  expect([...joined.steps]).toEqual([1, 1, 1, 0.01])
  expect(joined).toMatchObject({ truePeakDbtp: -1, sideToMidDb: 0, spectrum: { side_db: [null] } })
  // Three quarters of a tenth and one of a thousandth.
  expect(joined.spectrum.mid_db[0]).toBeCloseTo(10 * Math.log10(0.07525), 6)
  expect(joinedSound([loud])).toBe(loud)
})
