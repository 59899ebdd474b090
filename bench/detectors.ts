/**
 * Alarms of the detectors on music, and recall of planted faults: `LOUDSMITH_MUSIC=folder:folder node bench/detectors.ts --json FILE`.
 * Analysis and planning only, in one process: every song gives one excerpt from its middle, which is planned with the default settings and as
 * a song of Suno. `--list FILE` names songs, one path per line, instead of folders; `--plant NAME` puts a fault into every excerpt first;
 * `--every N` takes every Nth song. Songs already in the file of `--json`, one line each, are not measured again.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { AiService } from '../src-contract/settings.ts'
import { NEUTRAL_SOUND } from '../src-contract/settings.ts'
import { analyseSource, type SourceAnalysis } from '../src-engine/analysis/analysis.ts'
import { planRecipe } from '../src-engine/plan.ts'
import { plantedFaults } from './damage.ts'
import { allSongs, decodeSong, songSeconds } from './music.ts'

const { values: options } = parseArgs({
  options: {
    list: { type: 'string' },
    plant: { type: 'string' },
    every: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'string' },
  },
})
const seconds = Number(options.seconds)
const every = Number(options.every)

/** Stored facts of a song: its decisions, and the evidence behind them. */
function findings(analysis: SourceAnalysis) {
  const { correlation, spectrum, bassStereo, flutter, whistles, resonances, sibilance, width, halves, ...rest } =
    analysis
  const decisionsFor = (ai_service: AiService) =>
    planRecipe({ analysis, genre: 'other', ai_service, intensity: 50, reference_amount: 70, sound: NEUTRAL_SOUND })
  const { decisions, warnings } = decisionsFor('other')
  return {
    decisions,
    warnings: warnings.map(({ code }) => code),
    decisionsAsSuno: decisionsFor('suno').decisions.map(({ code }) => code),
    plrDb: rest.plrDb,
    integratedLufs: rest.integratedLufs,
    isMono: rest.isMono,
    ...{ correlation, spectrum, bassStereo, flutter, whistles, resonances, width },
    widthOfHalves: halves.map((half) => half.width),
    sibilance: { typicalDb: sibilance.typicalDb, sharpestDb: sibilance.sharpestDb },
  }
}

const paths = options.list
  ? readFileSync(options.list, 'utf8').split('\n').filter(Boolean)
  : allSongs().map(({ path }) => path)
const known = new Set(
  options.json && existsSync(options.json)
    ? readFileSync(options.json, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).path)
    : [],
)
const counts = new Map<string, number>()
let measured = 0
for (const [number, path] of paths.entries()) {
  if (number % every > 0 || known.has(path)) continue
  const audio = decodeSong(path, seconds, Math.max(0, (songSeconds(path) - seconds) / 2))
  if (audio.frames < 10 * audio.sampleRateHz) continue
  if (options.plant) plantedFaults[options.plant]!(audio, number)
  const found = findings(analyseSource(audio, { lossy: false }))
  measured++
  for (const code of new Set(found.decisions.map((decision) => decision.code)))
    counts.set(code, (counts.get(code) ?? 0) + 1)
  if (options.json) appendFileSync(options.json, `${JSON.stringify({ path, ...found })}\n`)
}
for (const [code, count] of [...counts].sort((one, other) => other[1] - one[1]))
  process.stdout.write(`${code.padEnd(28)} ${count} of ${measured}\n`)
