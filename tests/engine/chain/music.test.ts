/**
 * The chain on real music. Songs that no constant was chosen on; excerpts of 30 and 90 s. `npm run campaign` takes four songs and every
 * damage; `npm test` two songs, the first as a loud master, and some damages.
 */
import { describe, expect, it } from 'vitest'
import { severeDamages, toneDamages } from '../../../bench/damage.ts'
import { loudMaster } from '../../../bench/music.ts'
import { distanceDb, errorInsideClamp, largestMoveDb, moveBetween } from '../../../bench/spectral-distance.ts'
import { NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import { analyseSource, type SourceAnalysis } from '../../../src-engine/analysis/analysis.ts'
import { findClicks } from '../../../src-engine/analysis/clicks.ts'
import { applyRecipe } from '../../../src-engine/chain.ts'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { type PlanInput, planRecipe } from '../../../src-engine/plan.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { loadSong, noMusic } from '../../support/music.ts'
import { copyOf } from './signals.ts'

const names = ['vengeful.ogg', 'A New Journey.ogg', 'frantic.ogg', 'Orbital Elevator.ogg'].slice(0, IS_CAMPAIGN ? 4 : 2)
/** The damages at these places of a table, or all of them. */
const some = <Row>(rows: readonly Row[], ...places: readonly number[]) =>
  IS_CAMPAIGN ? rows : rows.filter((_, place) => places.includes(place))
const songs: [string, Audio][] = []
const longer: Audio[] = []
for (const name of names) {
  const audio = await loadSong(name, 20, 30)
  const minuteAndHalf = IS_CAMPAIGN || longer.length === 0 ? await loadSong(name, 0, 90) : undefined
  if (audio) songs.push([name, audio])
  if (minuteAndHalf) longer.push(minuteAndHalf)
}
if (songs.length < names.length) process.stdout.write(`tests/engine/chain/music.test.ts skipped: ${noMusic}\n`)

const analyse = (audio: Audio): SourceAnalysis => analyseSource(audio, { lossy: true })

function master(audio: Audio, analysis: SourceAnalysis, more: Partial<PlanInput> = {}): Audio {
  const { recipe } = planRecipe({
    ...{ analysis, genre: 'other', ai_service: 'other' },
    ...{ intensity: 50, reference_amount: 100, sound: NEUTRAL_SOUND },
    ...more,
  })
  return applyRecipe(audio, recipe).audio
}

/** By which part of its distance to `truth` a damaged song comes closer once it is mastered. */
function partCloser(truth: SourceAnalysis, damaged: Audio, more: Partial<PlanInput> = {}): number {
  const analysis = analyse(damaged)
  const before = distanceDb(moveBetween(truth, analysis))
  return 1 - distanceDb(moveBetween(truth, analyse(master(damaged, analysis, more)))) / before
}

const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length

const reason = songs.length === names.length ? '' : ` (skipped: ${noMusic})`

describe.skipIf(reason !== '')(`finished music${reason}`, () => {
  const truths = new Map(songs.map(([name, audio]) => [name, analyse(audio)]))

  it.each(songs)('%s is moved by at most 1 dB in any third octave', (name, audio) => {
    const truth = truths.get(name)!
    expect(largestMoveDb(moveBetween(truth, analyse(master(copyOf(audio), truth))))).toBeLessThanOrEqual(1)
  })

  it.each(
    some<[string, number]>(
      [
        ['over-wide by 6 dB', 80],
        // Of songs that were never limited few faults are certain (docs/engine/tone-measured.md): this only promises that none is made worse.
        ['harsh +5 dB at 6 kHz', 0],
        ['narrowed by 6 dB', 0],
        ['mud +4 dB at 250 Hz', 0],
        ['dull −4 dB above 5 kHz', 0],
      ],
      0,
    ),
  )('%s comes at least %i per cent closer to the original on average', (kind, percent) => {
    const closer = songs.map(([name, audio]) => {
      const damaged = copyOf(audio)
      toneDamages[kind]!(damaged)
      return 100 * partCloser(truths.get(name)!, damaged)
    })
    expect(mean(closer)).toBeGreaterThanOrEqual(percent)
  })

  describe('as loud masters', () => {
    // Longer ones: the surer, the more of a song is heard.
    const finished = longer.map((audio) => loudMaster(audio))
    const loudTruths = finished.map(analyse)

    it('are moved by at most 1 dB in any third octave', () => {
      const movedDb = finished.map((audio, i) =>
        largestMoveDb(moveBetween(loudTruths[i]!, analyse(master(copyOf(audio), loudTruths[i]!)))),
      )
      expect(Math.max(...movedDb)).toBeLessThanOrEqual(1)
    })

    it.each(some(Object.entries(toneDamages), 0, 2))('%s is taken back by half at least', (_, damage) => {
      const closer = finished.map((audio, i) => {
        const damaged = copyOf(audio)
        damage(damaged)
        return partCloser(loudTruths[i]!, damaged)
      })
      expect(Math.min(...closer)).toBeGreaterThanOrEqual(0.5)
    })

    it.each(
      some<[string, number]>(
        [
          // By the spectrum alone, with which a gentle low-pass shows as much: this only promises that no song becomes worse.
          ['harsh +15 dB', 0],
          ['wide +9 dB', 30],
        ],
        1,
      ),
    )('%s before the limiter of a generator comes at least %i per cent closer on average', (kind, percent) => {
      const closer = longer.map((audio, i) => {
        const raw = copyOf(audio)
        severeDamages[kind]!(raw)
        return 100 * partCloser(loudTruths[i]!, loudMaster(raw), { ai_service: 'suno' })
      })
      expect(mean(closer)).toBeGreaterThanOrEqual(percent)
    })
  })

  it('takes on the spectrum of a reference within 1.5 dB in mid and 2.5 dB in side inside the clamp', () => {
    for (const [i, [name, audio]] of songs.entries()) {
      const reference = truths.get(songs[(i + 1) % songs.length]![0])!
      const before = moveBetween(reference, truths.get(name)!)
      const after = moveBetween(reference, analyse(master(copyOf(audio), truths.get(name)!, { reference })))
      const left = errorInsideClamp(before, after)
      expect(left.mid).toBeLessThanOrEqual(1.5)
      expect(left.side).toBeLessThanOrEqual(2.5)
    }
  })
})

it('a beat that begins with a jump is no click, since no gap that is filled takes it away', async (context) => {
  const beats = await loadSong('Advanced Simulacra.ogg', 130, 10)
  if (beats === null) return context.skip(noMusic)
  expect(findClicks(beats)).toEqual([[], []])
})
