/** Suggestion of the analysis of a stored song, by its tags and the rules of the platforms, and the price of its loudness. */
import { releaseTarget } from '../../src-contract/delivery-target.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { LoudnessPrice, SuggestionProposal } from '../../src-contract/suggestion.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { applyRecipe, splitRecipe } from '../../src-engine/chain.ts'
import { prepareFinalise } from '../../src-engine/finalise/finalise.ts'
import { priceLoudness } from '../../src-engine/suggestion/price.ts'
import { suggest } from '../../src-engine/suggestion/suggest.ts'
import type { AudioFacts } from '../media/audio-facts.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import { chooseTitle, titleFile } from '../result/names.ts'
import { editSong, type ReadSong, type SongFile } from './read-song.ts'

/** Priced targets, LUFS; gain alone reaches the first ones of nearly every song. */
const PRICED_LUFS = Array.from({ length: 13 }, (_, i) => i - 20)
/** Other tags where generators store the requested style. */
const STYLE_TAG = /style|prompt|tags|description/i

/** Song with the texts that can name its genre; a file name is its title where the tags have none. */
interface NamedSong {
  readonly facts: Pick<AudioFacts, 'tags' | 'format'>
  readonly filename?: string | undefined
}

function genreTexts({ facts, filename }: NamedSong) {
  const { genre, comment, other = {}, title: tagged } = facts.tags
  const title = filename === undefined ? tagged : chooseTitle(tagged, titleFile({ filename, facts }))
  const styles = Object.entries(other).flatMap(([name, text]) => (STYLE_TAG.test(name) ? [text] : []))
  return { genre, title, comments: [...(comment === undefined ? [] : [comment]), ...styles] }
}

/** Returns the suggestion for an analysed song; undefined for silence. Pure. */
export function songSuggestion(
  analysis: SourceAnalysis,
  song: NamedSong,
  settings: JobSettings,
  price?: LoudnessPrice,
): SuggestionProposal | undefined {
  const { integratedLufs, truePeakDbtp } = analysis
  if (integratedLufs === null || truePeakDbtp === null) return undefined
  const plain = { ...settings, loudness: 'platform', target_lufs: null, release_level: 'song' } as const
  return suggest({
    analysis,
    price,
    texts: genreTexts(song),
    playedLufs: releaseTarget(plain).targetLufs,
    songLevelLufs: releaseTarget(plain, {}, { integratedLufs, truePeakDbtp }).targetLufs,
    trimmedSeconds: settings.trim_end_seconds,
  })
}

/**
 * Treats a read song by the recipe of its plan, in place, and returns the price of its loudness; undefined for silence. Throws as decoding
 * does.
 */
export async function priceSong(
  ffmpeg: Ffmpeg,
  song: SongFile,
  read: ReadSong,
  {
    recipe,
    settings,
    signal,
  }: { readonly recipe: Recipe; readonly settings: JobSettings; readonly signal: AbortSignal },
): Promise<LoudnessPrice | undefined> {
  if (read.analysis.integratedLufs === null) return undefined
  const { edits, rest } = splitRecipe(recipe)
  const treated = read.isConverted
    ? applyRecipe((await editSong(ffmpeg, song, read, edits, signal)).audio, rest)
    : applyRecipe(read.takeAudio(), recipe)
  const targets = PRICED_LUFS.map((target_lufs) => releaseTarget({ ...settings, target_lufs }))
  const { intensity } = settings
  return priceLoudness(
    prepareFinalise(treated.audio),
    targets.map((target) => ({ ...target, intensity })),
  )
}
