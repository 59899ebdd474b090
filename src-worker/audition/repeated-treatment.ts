/** Applies one recipe after another to the same sound; most of them share their first stages. */
import type { Recipe } from '../../src-contract/recipe.ts'
import { applyRecipe } from '../../src-engine/chain.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'

type Stages = Recipe['stages']

/** Returns a copy for this thread's own use. */
const copyOf = (audio: Audio): Audio => ({
  ...audio,
  channels: audio.channels.map((samples) => new Float32Array(samples)),
})

/** Returns the common first stages of two lists. */
function commonStart(one: Stages, other: Stages): Stages {
  const end = one.findIndex((stage, i) => JSON.stringify(stage) !== JSON.stringify(other[i]))
  return end < 0 ? one : one.slice(0, end)
}

/** While one control moves, the stages before it are computed only once. */
export class RepeatedTreatment {
  readonly #untreated: Audio
  #last: Stages = []
  /** The sound behind the stages that the last two recipes had in common. */
  #common: { readonly stages: Stages; readonly audio: Audio }

  constructor(untreated: Audio) {
    this.#untreated = untreated
    this.#common = { stages: [], audio: untreated }
  }

  /** Returns a treated copy; compared with a single pass, only a few milliseconds of a stage's effect differ. */
  treat({ version, stages }: Recipe): Audio {
    const start = commonStart(this.#last, stages)
    this.#last = stages
    const apply = (audio: Audio, some: Stages) => applyRecipe(copyOf(audio), { version, stages: some }).audio
    const { length } = commonStart(this.#common.stages, start)
    if (length < this.#common.stages.length) this.#common = { stages: [], audio: this.#untreated }
    const more = start.slice(this.#common.stages.length)
    if (more.length > 0) this.#common = { stages: start, audio: apply(this.#common.audio, more) }
    return apply(this.#common.audio, stages.slice(start.length))
  }
}
