/**
 * `node bench/engine-core.ts [SONG …]`: CPU of the engine's core per stage, and the cost of each treatment of the peaks for each song. SONG
 * is a file name of a Debian music package (see tests/support/music.ts); `--target LUFS` and `--ceiling dBTP` choose the hottest of the
 * four masters.
 */
import { parseArgs } from 'node:util'
import { allocateAudio } from '../src-engine/dsp/block.ts'
import { createLoudnessMeter } from '../src-engine/dsp/meters/loudness.ts'
import { createTruePeakVerifier } from '../src-engine/dsp/meters/true-peak.ts'
import { dbToGain, gainToDb } from '../src-engine/dsp/units.ts'
import { createQuantiser } from '../src-engine/finalise/dither.ts'
import {
  gainReductionDb,
  planFinalise,
  prepareFinalise,
  renderFinalise,
  trimFinalise,
} from '../src-engine/finalise/finalise.ts'
import { weighCandidates } from '../src-engine/finalise/peak-treatment.ts'
import { loadSong, noMusic } from '../tests/support/music.ts'
import { measureTransparency } from '../tests/support/transparency.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { target: { type: 'string', default: '-9' }, ceiling: { type: 'string', default: '-1' } },
})
const hottest = { targetLufs: Number(values.target), ceilingDbtp: Number(values.ceiling) }
const targets = [
  { targetLufs: -14, ceilingDbtp: -1 },
  { targetLufs: -16, ceilingDbtp: -1 },
  { targetLufs: -14, ceilingDbtp: -1.5 },
  hottest,
]

/** CPU milliseconds of this process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function timed<T>(run: () => T): { result: T; ms: number } {
  const start = cpuMs()
  const result = run()
  return { result, ms: cpuMs() - start }
}

for (const name of positionals.length > 0 ? positionals : ['battle-epic.ogg', 'Awakening.ogg', 'Enemy Unknown.ogg']) {
  const song = await loadSong(name)
  if (song === null) {
    console.log(`${name}: ${noMusic}`)
    continue
  }
  const prepared = timed(() => prepareFinalise(song))
  const source = prepared.result
  const loudness = source.loudness.integratedLufs
  let totalMs = prepared.ms
  console.log(`\n${name}: ${(song.frames / song.sampleRateHz).toFixed(0)} s, ${loudness.toFixed(2)} LUFS`)
  console.log(`prepare ${prepared.ms.toFixed(0)} ms`)
  for (const target of targets) {
    const planned = timed(() => planFinalise(source, { ...target, intensity: 50 }))
    const plan = planned.result
    const master = allocateAudio(2, song.frames, song.sampleRateHz)
    const rendered = timed(() => {
      const { sampleRateHz } = song
      const quantiser = createQuantiser({ bitDepth: 16, sampleRateHz, seed: 1 })
      const bytes = new Uint8Array(65_536 * 4)
      let first = 0
      for (const block of renderFinalise(source, plan)) {
        for (const [c, samples] of block.channels.entries()) master.channels[c]!.set(samples, first)
        quantiser.write(block, bytes)
        first += block.frames
      }
    })
    const verified = timed(() => {
      const peaks = createTruePeakVerifier()
      const meter = createLoudnessMeter(song.sampleRateHz)
      peaks.push(master)
      meter.push(master)
      return { truePeakDbtp: peaks.read().truePeakDbtp, integratedLufs: meter.read().integratedLufs }
    })
    totalMs += planned.ms + rendered.ms + verified.ms
    const { truePeakDbtp, integratedLufs } = verified.result
    const { sdrDb, erbLsdDb, colourLsdDb } = measureTransparency(song, master, dbToGain(plan.gainDb), song.sampleRateHz)
    console.log(
      [
        `${target.targetLufs} LUFS / ${target.ceilingDbtp} dBTP: ${plan.verdict}`,
        `I ${integratedLufs.toFixed(3)}, over ${(truePeakDbtp - target.ceilingDbtp).toFixed(3)} dB`,
        trimFinalise(plan, verified.result) === null ? 'holds' : 'to be trimmed',
        `reduction mean ${plan.meanGainReductionDb.toFixed(2)}, most ${Math.max(0, ...gainReductionDb(source, plan)).toFixed(1)} dB`,
        `clipper ${plan.clipBudgetDb.toFixed(1)} dB, look-ahead ${plan.limiter?.lookAheadMs ?? 0} ms`,
        `SDR ${sdrDb.toFixed(1)}, LSD ${erbLsdDb.toFixed(2)}, colour ${colourLsdDb.toFixed(3)} dB`,
        `plan ${planned.ms.toFixed(0)}, render ${rendered.ms.toFixed(0)}, verify ${verified.ms.toFixed(0)} ms`,
      ].join('; '),
    )
  }
  console.log(`in all ${totalMs.toFixed(0)} ms CPU, ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`)
  const goal = {
    ceiling: dbToGain(hottest.ceilingDbtp),
    aimedLufs: hottest.targetLufs,
    meanReductionDb: Number.POSITIVE_INFINITY,
  }
  for (const { limiter, clipLimit, gainDb, distortionDb } of weighCandidates(source, goal)) {
    const aboveDb = clipLimit === null ? 0 : gainToDb(clipLimit / goal.ceiling) + gainDb
    const clip = clipLimit === null ? 'no clipper' : `clipper at +${aboveDb.toFixed(1)} dB`
    console.log(
      `  ${limiter.lookAheadMs} ms, ${clip}: gain ${gainDb.toFixed(2)} dB, distortion ${distortionDb.toFixed(2)} dB`,
    )
  }
}
