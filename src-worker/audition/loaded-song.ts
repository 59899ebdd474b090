/** The one song that the process holds: decoded, analysed, its single samples edited as the recipe asks. */
import type { DeliveryTarget } from '../../src-contract/delivery-target.ts'
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import type { Repair } from '../../src-contract/report.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../src-engine/chain.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { prepareFinalise } from '../../src-engine/finalise/finalise.ts'
import { readSongs } from '../mastering/prepare-song.ts'
import { decodeEdited, type ReadSong } from '../mastering/read-song.ts'
import { readingSong, SOURCE_CODES } from '../mastering/stored-song.ts'
import { WorkFailure } from '../mastering/work-failure.ts'
import type { AuditionOrder } from '../mastering/work-order.ts'
import { LoudnessModel } from './loudness-model.ts'

/** Place of a song, the program that reads it, and a folder for a trial of that program. */
type SongPlace = Pick<AuditionOrder, 'source' | 'ffmpeg' | 'folder'>

/** A song whose single samples are edited, and the repairs that this made. */
export interface EditedSong {
  readonly audio: Audio
  readonly repairs: readonly Repair[]
}

/** Edits of a song that is as it was decoded. */
const NO_EDITS = '[]'

export class LoadedSong {
  readonly sha256: string
  readonly analysis: SourceAnalysis
  readonly bridgedGaps: number
  readonly #isConverted: boolean
  #edited: EditedSong & { readonly key: string }
  #model: { readonly key: string; readonly model: LoudnessModel } | undefined

  private constructor(sha256: string, song: ReadSong) {
    this.sha256 = sha256
    this.analysis = song.analysis
    this.bridgedGaps = song.bridgedGaps
    this.#isConverted = song.isConverted
    this.#edited = { key: NO_EDITS, audio: song.takeAudio(), repairs: [] }
  }

  /** Checks, decodes and measures a song. Throws as a job does. */
  static async read({ source, ffmpeg, folder }: SongPlace, signal: AbortSignal): Promise<LoadedSong> {
    if (source.facts.durationSeconds < MIN_DURATION_SECONDS) throw new WorkFailure('TOO_SHORT')
    const { song } = await readSongs({ source }, { ffmpeg, folder, report: () => {}, signal })
    return new LoadedSong(source.sha256, song)
  }

  /** Returns the song with these edits. One whose samples were edited otherwise is decoded again. Throws as decoding does. */
  async edited(edits: Recipe, { source, ffmpeg, folder }: SongPlace, signal: AbortSignal): Promise<EditedSong> {
    const key = JSON.stringify(edits.stages)
    if (this.#edited.key === key) return this.#edited
    const isUntouched = this.#edited.key === NO_EDITS && !this.#isConverted
    const { audio, repairs } = isUntouched
      ? applyRecipe(this.#edited.audio, edits)
      : await readingSong({ ffmpeg, folder, signal }, source, SOURCE_CODES, () =>
          decodeEdited(ffmpeg, source, edits, signal),
        )
    this.#edited = { key, audio, repairs }
    return this.#edited
  }

  /** Returns the model of the loudness of the song as it was edited last; a new one begins at a target. */
  model(target: Pick<DeliveryTarget, 'targetLufs' | 'ceilingDbtp'>): LoudnessModel {
    const { key, audio } = this.#edited
    if (this.#model?.key !== key) this.#model = { key, model: new LoudnessModel(prepareFinalise(audio), target) }
    return this.#model.model
  }
}
