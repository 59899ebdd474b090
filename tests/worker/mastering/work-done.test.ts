import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Decision, DecisionCode, Repair, Report } from '../../../src-contract/report.ts'
import { decisionsDone, repairsOfFaults, withBridgedGaps } from '../../../src-worker/mastering/work-done.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, orderFor } from './run-worker.ts'

const settings = { intensity: 50, plrDb: 17.4 }
const idle = { density: 0, multiband: 0 }

const repair = (code: DecisionCode, values: Decision['values'] = {}): Decision => ({ stage: 'repair', code, values })
const dynamics = (code: DecisionCode): Decision => ({ stage: 'dynamics', code, values: {} })
const codes = (decisions: readonly Decision[]) => decisions.map(({ code }) => code)

function done(decisions: readonly Decision[], repairs: readonly Repair[], mostReductionDb = idle): Decision[] {
  return decisionsDone(decisions, { repairs, mostReductionDb }, settings)
}

describe('the decisions of a plan that was carried out', () => {
  it('keep of several resonances those that were cut', () => {
    const planned = [4000, 6000, 9000].map((frequencyHz) => repair('RESONANCE_TAMED', { frequencyHz, excessDb: 6 }))
    const made: Repair[] = [{ kind: 'resonance', frequency_hz: 6000, amount_db: -2 }]
    expect(done(planned, made)).toEqual([planned[1]])
  })

  it('say that nothing was repaired, at the place of the repairs, if no repair had an effect', () => {
    const planned = [repair('CLICKS_MENDED', { count: 2 }), repair('SIBILANCE_TAMED'), dynamics('DYNAMICS_LEFT_ALONE')]
    expect(codes(done(planned, []))).toEqual(['NOTHING_TO_REPAIR', 'DYNAMICS_LEFT_ALONE'])
  })

  it('count the repaired places, not the detected ones', () => {
    const planned = [repair('CLIPPING_REBUILT', { count: 40 }), repair('CLICKS_MENDED', { count: 3 })]
    const made: Repair[] = [
      { kind: 'clicks', count: 2 },
      { kind: 'clipping', count: 31 },
    ]
    expect(done(planned, made).map(({ values }) => values.count)).toEqual([31, 2])
  })

  it('keep an offset that the rumble filter removed', () => {
    const rumble: Repair = { kind: 'rumble', amount_db: -1 }
    const filtered = repair('DC_REMOVED', { method: 'filtered' })
    expect(done([filtered], [rumble])).toEqual([filtered])
    expect(codes(done([repair('DC_REMOVED', { method: 'subtracted' })], [rumble]))).toEqual(['NOTHING_TO_REPAIR'])
  })

  it('contain no repair of mud if only the tone was moved', () => {
    const made: Repair[] = [{ kind: 'mud', amount_db: -0.2 }]
    const leaned: Decision = { stage: 'tone', code: 'TONE_LEANED', values: { fault: 'mud', gainDb: -0.2 } }
    expect(repairsOfFaults({ repairs: made, decisions: [leaned] })).toEqual([])
    expect(repairsOfFaults({ repairs: made, decisions: [repair('MUD_CUT'), leaned] })).toEqual(made)
  })

  it('contain no compression that never reduced the level', () => {
    const planned = [dynamics('DENSITY_RAISED'), dynamics('BANDS_COMPRESSED')]
    expect(codes(done(planned, [], { density: 0, multiband: 0.1 }))).toEqual(['BANDS_COMPRESSED'])
    expect(codes(done(planned, [], { density: 0.1, multiband: 0.04 }))).toEqual(['DENSITY_RAISED'])
    expect(done(planned, [])).toEqual([{ stage: 'dynamics', code: 'DYNAMICS_LEFT_ALONE', values: settings }])
  })

  it('leave everything else as it was planned', () => {
    const planned = [
      repair('CLIPPING_LEFT', { perSecond: 400 }),
      { stage: 'tone', code: 'TONE_LEFT_ALONE', values: {} },
      { stage: 'image', code: 'IMAGE_NARROWED', values: { gainDb: -3 } },
    ] as const
    expect(done(planned, [])).toEqual(planned)
  })
})

describe('gaps that decoding bridged', () => {
  const dc = { kind: 'dc_offset', amount_db: -30 } as const

  it('are repaired clicks if there was nothing else to repair', () => {
    const planned = [repair('NOTHING_TO_REPAIR'), dynamics('DYNAMICS_LEFT_ALONE')]
    expect(withBridgedGaps({ repairs: [], decisions: planned }, 3)).toEqual({
      repairs: [{ kind: 'clicks', count: 3 }],
      decisions: [repair('CLICKS_MENDED', { count: 3 }), planned[1]],
    })
  })

  it('are counted with the clicks of the chain, in whichever channel they lay', () => {
    const clicks = { kind: 'clicks', count: 2, amount_db: -6, channel: 'left' } as const
    const planned = [repair('DC_REMOVED'), repair('CLICKS_MENDED', { count: 2 })]
    expect(withBridgedGaps({ repairs: [dc, clicks], decisions: planned }, 3)).toEqual({
      repairs: [{ kind: 'clicks', count: 5, amount_db: -6 }, dc],
      decisions: [repair('CLICKS_MENDED', { count: 5 }), planned[0]],
    })
  })

  it('change nothing where there were none', () => {
    const work = { repairs: [dc], decisions: [repair('DC_REMOVED')] }
    expect(withBridgedGaps(work, 0)).toBe(work)
  })
})

it('a report counts a sample that is not a number, or far above the song, as a click, and names its place', async () => {
  const folder = temporaryFolder(onTestFinished)
  const tone = Float32Array.from({ length: 4 * 48_000 }, (_, i) => 0.1 * Math.sin((2 * Math.PI * 440 * i) / 48_000))
  tone[96_000] = Number.NaN
  tone[100] = 17_800
  const song = writeFloatWav(path.join(folder, 'not-a-number.wav'), [tone, tone], 48_000)
  const order = await orderFor(song, folder, { platforms: ['spotify'] })
  const { repairs, warnings, masters } = await masterOrder(order)
  const report = JSON.parse(readFileSync(path.join(order.attemptFolder, 'report.json'), 'utf8')) as Report
  expect(repairs).toEqual([{ kind: 'clicks', count: 4 }])
  expect(warnings).toContainEqual({ code: 'INPUT_SAMPLES_DAMAGED', values: { count: 4, places: '0:00.0, 0:02.0' } })
  expect(masters).toMatchObject([{ verdict: 'on_target' }])
  const decisions = report.decisions.filter(({ stage }) => stage === 'repair')
  expect(decisions).toEqual([repair('CLICKS_MENDED', { count: 4 })])
  // Every decision has its values under names of the wire.
  const names = report.decisions.flatMap(({ values }) => Object.keys(values))
  expect(names).toContain('gain_db')
  expect(names.filter((name) => !/^[a-z_]+$/.test(name))).toEqual([])
  expect(report.report_version).toBe(2)
})

it('a report contains no sibilance whose cut had no effect', async () => {
  const folder = temporaryFolder(onTestFinished)
  // Whistles at the upper edge of the range, against a tone at the very place that the cut listens to: found, but too weak for its
  // filters.
  const whistling = Float32Array.from({ length: 4 * 48_000 }, (_, i) => {
    const t = i / 48_000
    const whistle = t % 1 > 0.8 ? 0.08 * Math.sin(2 * Math.PI * 8700 * t) : 0
    return 0.02 * Math.sin(2 * Math.PI * 1800 * t) + whistle
  })
  const song = writeFloatWav(path.join(folder, 'whistling.wav'), [whistling, whistling], 48_000)
  const order = await orderFor(song, folder, { platforms: ['spotify'] })
  const { repairs } = await masterOrder(order)
  const report = JSON.parse(readFileSync(path.join(order.attemptFolder, 'report.json'), 'utf8')) as Report
  expect(repairs).toEqual([])
  expect(codes(report.decisions.filter(({ stage }) => stage === 'repair'))).toEqual(['NOTHING_TO_REPAIR'])
})
