/** The process's one loaded song: decoded, analysed, its single samples edited as the recipe requires. */
import type { DeliveryTarget } from '../../src-contract/delivery-target.ts'
import type { Edges } from '../../src-contract/edges.ts'
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import type { Pictured, Repair } from '../../src-contract/report.ts'
import { EDGE_NAMES } from '../../src-contract/settings.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../src-engine/chain.ts'
import { type Audio, allocateAudio } from '../../src-engine/dsp/block.ts'
import { finishEdges, hasFinish } from '../../src-engine/edges.ts'
import { prepareFinalise } from '../../src-engine/finalise/finalise.ts'
import { readSongs } from '../mastering/prepare-song.ts'
import { decodeEdited, type ReadSong } from '../mastering/read-song.ts'
import { sourceFigures } from '../mastering/report-facts.ts'
import { readingSong, SOURCE_CODES } from '../mastering/stored-song.ts'
import { WorkFailure } from '../mastering/work-failure.ts'
import type { AuditionOrder } from '../mastering/work-order.ts'
import { roundReport } from '../result/report-json.ts'
import { LoudnessModel } from './loudness-model.ts'

/** Place of a song with its trims, the program that reads it, and a folder for a trial of that program. */
type SongPlace = Pick<AuditionOrder, 'source' | 'analysisPath' | 'settings' | 'ffmpeg' | 'folder'>

/** A song with its single samples edited, and the resulting repairs. */
export interface EditedSong {
  readonly audio: Audio
  readonly repairs: readonly Repair[]
}

/** Edits of an unedited song. */
const NO_EDITS = '[]'

export class LoadedSong {
  /** Key of the song and its trims. */
  readonly key: string
  /** The same for all mixes of its stems. */
  readonly sumKey: string
  readonly analysis: SourceAnalysis
  /** Figures of the report. */
  readonly figures: Pictured
  readonly bridgedGaps: ReadSong['bridgedGaps']
  readonly #isConverted: boolean
  #edited: EditedSong & { readonly key: string }
  #model: { readonly key: string; readonly model: LoudnessModel } | undefined

  private constructor(keys: Pick<LoadedSong, 'key' | 'sumKey'>, song: ReadSong) {
    this.key = keys.key
    this.sumKey = keys.sumKey
    this.analysis = song.analysis
    this.figures = roundReport(sourceFigures(song.analysis))
    this.bridgedGaps = song.bridgedGaps
    this.#isConverted = song.isConverted
    this.#edited = { key: NO_EDITS, audio: song.takeAudio(), repairs: [] }
  }

  /** Checks, decodes and measures a song. Throws as a job does. */
  static async read(place: SongPlace & Pick<AuditionOrder, 'sumSha256'>, signal: AbortSignal): Promise<LoadedSong> {
    const { source, analysisPath, settings, ffmpeg, folder } = place
    if (source.facts.durationSeconds < MIN_DURATION_SECONDS) throw new WorkFailure('TOO_SHORT')
    const { song } = await readSongs({ source, analysisPath, settings }, { ffmpeg, folder, report: () => {}, signal })
    return new LoadedSong({ key: songKey(place), sumKey: sumKey(place) }, song)
  }

  /** Returns the song with these edits; decodes it again if its samples were edited differently. Throws as decoding does. */
  async edited(
    edits: Recipe,
    { source, settings: trims, ffmpeg, folder }: SongPlace,
    signal: AbortSignal,
  ): Promise<EditedSong> {
    const key = JSON.stringify(edits.stages)
    if (this.#edited.key === key) return this.#edited
    const isUntouched = this.#edited.key === NO_EDITS && !this.#isConverted
    const { audio, repairs } = isUntouched
      ? applyRecipe(this.#edited.audio, edits)
      : await readingSong({ ffmpeg, folder, signal }, source, SOURCE_CODES, () =>
          decodeEdited(ffmpeg, { ...source, trims }, edits, signal),
        )
    this.#edited = { key, audio, repairs }
    return this.#edited
  }

  /** Returns the loudness model of the song with its latest edits and its fades; a new model starts from a target. */
  model(target: Pick<DeliveryTarget, 'targetLufs' | 'ceilingDbtp'>, edges: Edges): LoudnessModel {
    const { key: edits, audio } = this.#edited
    const key = JSON.stringify([edits, ...EDGE_NAMES.map((name) => edges[name])])
    if (this.#model?.key !== key) {
      const finished = hasFinish(edges) ? finishEdges(copyOf(audio), edges) : audio
      this.#model = { key, model: new LoudnessModel(prepareFinalise(finished), target) }
    }
    return this.#model.model
  }
}

/** Returns the name of a song and its trims. */
export function songKey({ source, settings }: Pick<AuditionOrder, 'source' | 'settings'>): string {
  return `${source.sha256} ${settings.trim_start_seconds} ${settings.trim_end_seconds}`
}

/** Returns the name of the sum of stems that a song is mixed from, or its own, with its trims. */
export function sumKey({
  sumSha256,
  source,
  settings,
}: Pick<AuditionOrder, 'sumSha256' | 'source' | 'settings'>): string {
  return songKey({ source: { ...source, sha256: sumSha256 ?? source.sha256 }, settings })
}

function copyOf({ channels, frames, sampleRateHz }: Audio): Audio {
  const copy = allocateAudio(channels.length, frames, sampleRateHz)
  for (const [c, samples] of channels.entries()) copy.channels[c]!.set(samples)
  return copy
}
