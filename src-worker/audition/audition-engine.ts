/** Work of an audition process: it holds one song and answers calls about it for its whole lifetime. */
import { atMost } from '../../src-contract/at-most.ts'
import { targetsOf } from '../../src-contract/delivery-target.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { recipeSteps } from '../../src-engine/chain.ts'
import { type Audio, allocateAudio } from '../../src-engine/dsp/block.ts'
import type { Steps } from '../../src-engine/dsp/steps.ts'
import { finishEdges } from '../../src-engine/edges.ts'
import type { FinalisePlan } from '../../src-engine/finalise/finalise.ts'
import type { FinaliseSource } from '../../src-engine/finalise/material.ts'
import { deliverMasters, MASTER_BIT_DEPTH } from '../mastering/deliver.ts'
import { readReference, workDone } from '../mastering/prepare-song.ts'
import { takenOnce } from '../mastering/read-song.ts'
import { withRenderPool } from '../mastering/render-pool.ts'
import { describeFailure, WorkFailure } from '../mastering/work-failure.ts'
import type {
  AuditionAnswer,
  AuditionCall,
  AuditionEstimate,
  AuditionOrder,
  AuditionTask,
  AuditionTasks,
} from '../mastering/work-order.ts'
import { audioOfBlocks, sumBlocks } from '../media/decoded-stems.ts'
import { EstimateSound, type ReadSong } from './estimate-sound.ts'
import { type EditedSong, LoadedSong, songKey, sumKey } from './loaded-song.ts'
import { PassageTurns } from './passage-turns.ts'
import { estimateOf, type PlannedAudition, planAudition } from './planned-audition.ts'
import { pricedTargets, priceTargets } from './price.ts'
import { renderedAlone } from './render-alone.ts'
import { Settling } from './settling.ts'
import { runInSlices } from './slices.ts'

/** Auditions whose estimates are kept, for switching back and forth. */
const MOST_HELD = 4
/** References whose measurements are kept. */
const MOST_REFERENCES = 8

/** An audition of the loaded song. */
interface HeldAudition {
  readonly estimate: AuditionEstimate
  readonly planned: PlannedAudition
  readonly sound: EstimateSound
  /** The song that it is planned for and rendered from; absent for stems that are heard before their mix is made. */
  readonly loaded?: { readonly song: LoadedSong; readonly edited: EditedSong }
}

type Call<Task extends AuditionTask> = { readonly order: AuditionTasks[Task]['order']; readonly signal: AbortSignal }
type Handlers = {
  readonly [Task in AuditionTask]: (
    call: Call<Task>,
  ) => AuditionTasks[Task]['result'] | Promise<AuditionTasks[Task]['result']>
}

export class AuditionEngine {
  #song: LoadedSong | undefined
  readonly #references = new Map<string, SourceAnalysis>()
  readonly #held = new Map<string, HeldAudition>()
  #rendered: { readonly key: string; readonly source: FinaliseSource; readonly settings: JobSettings } | undefined
  readonly #running = new Map<number, AbortController>()
  /** End of the last call that needs the song: one at a time loads it or changes its edits. */
  readonly #inTurn = atMost(1)
  readonly #passages = new PassageTurns()
  readonly #settling = new Settling()

  readonly #handlers: Handlers = {
    estimate: async (call) => {
      this.#settling.change()
      this.#passages.prefer(keyOf(call.order))
      return (await this.#hold(call)).estimate
    },
    passage: async (call) => {
      const { order, signal } = call
      const { sound } = await this.#hold(call, order.finalise)
      return this.#passages.take(keyOf(order), () => {
        signal.throwIfAborted()
        return sound.read(order.firstFrame, order.passageFrames)
      })
    },
    render: (call) => this.#render(call),
    price: (call) => this.#price(call),
  }

  /** Answers a call; returns undefined for `stop`, since the stopped call answers for itself. Never throws. */
  async answer(call: AuditionCall): Promise<AuditionAnswer | undefined> {
    if (call.type === 'stop') {
      this.#running.get(call.call)?.abort(new WorkFailure('CANCELLED'))
      return undefined
    }
    const stop = new AbortController()
    this.#running.set(call.call, stop)
    try {
      // The union of calls guarantees that the order belongs to the task.
      const handle = this.#handlers[call.task] as (given: Call<AuditionTask>) => unknown
      const result = (await handle({ order: call.order, signal: stop.signal })) as AuditionTasks[AuditionTask]['result']
      return { type: 'audition', call: call.call, answer: { result } }
    } catch (error) {
      return { type: 'audition', call: call.call, answer: { failure: describeFailure(error) } }
    } finally {
      this.#running.delete(call.call)
    }
  }

  /**
   * Returns an audition with its song loaded and edited. A new audition is planned, and its gain is estimated unless `finalise` is given.
   */
  #hold({ order, signal }: Call<AuditionTask>, finalise?: FinalisePlan): Promise<HeldAudition> {
    const hold = async (): Promise<HeldAudition> => {
      signal.throwIfAborted()
      const song = await this.#load(order, signal)
      const reference = order.reference && (await this.#referenceOf(order, signal))
      const known = this.#held.get(keyOf(order))
      if (known) return known
      const planned = planAudition(song, reference, order)
      const edited = order.lanes ? undefined : await song.edited(planned.edits, order, signal)
      const gain = song.model(planned.target, order.settings).estimate(planned.rest, planned.target)
      const treatment = { recipe: planned.rest, plan: finalise ?? gain.plan }
      const sound = new EstimateSound(
        edited?.audio ?? soundOfLanes(order, song),
        { ...treatment, edges: order.settings },
        { bitDepth: MASTER_BIT_DEPTH, seed: order.seed },
      )
      const estimate = estimateOf(song, planned, gain, order.settings)
      const held = { estimate, planned, sound, ...(edited ? { loaded: { song, edited } } : {}) }
      this.#keep(keyOf(order), held)
      return held
    }
    return this.#inTurn(hold)
  }

  /** Keeps an audition and drops those of another song or with other edits, together with their audio. */
  #keep(key: string, held: HeldAudition): void {
    const audioOf = ({ loaded }: HeldAudition) => loaded?.edited.audio
    for (const [other, one] of this.#held)
      if (audioOf(one) && audioOf(held) && audioOf(one) !== audioOf(held)) this.#held.delete(other)
    this.#held.set(key, held)
    if (this.#held.size > MOST_HELD) this.#held.delete(this.#held.keys().next().value!)
  }

  async #load(order: AuditionOrder, signal: AbortSignal): Promise<LoadedSong> {
    const isSame = order.lanes ? this.#song?.sumKey === sumKey(order) : this.#song?.key === songKey(order)
    if (this.#song && isSame) return this.#song
    // Released before the other is read: two songs at once would take twice the memory.
    const isOfSum = this.#song?.sumKey === sumKey(order)
    this.#song = undefined
    this.#rendered = undefined
    // Stems hold no song.
    for (const [key, { loaded }] of this.#held) if (loaded || !isOfSum) this.#held.delete(key)
    this.#song = await LoadedSong.read(order, signal)
    return this.#song
  }

  async #referenceOf(order: AuditionOrder, signal: AbortSignal): Promise<SourceAnalysis> {
    const { source, ffmpeg, folder } = order
    const reference = order.reference!
    if (reference.sha256 === source.sha256) return this.#song!.analysis
    const known = this.#references.get(reference.sha256)
    if (known) return known
    const analysis = await readReference(reference, { ffmpeg, folder, report: () => {}, signal })
    this.#references.set(reference.sha256, analysis)
    if (this.#references.size > MOST_REFERENCES) this.#references.delete(this.#references.keys().next().value!)
    return analysis
  }

  async #render({ order, signal }: Call<'render'>): Promise<AuditionTasks['render']['result']> {
    await this.#settling.settled(signal)
    const { loaded, planned } = await this.#hold({ order, signal })
    const { song, edited } = loaded!
    const { settings, platform, seed, ffmpeg, folder } = order
    const run = runInSlices(signal)
    const applied = await run(recipeSteps(await run(copySteps(edited.audio)), planned.rest))
    let prepared: FinaliseSource | undefined
    const { tier, intensity } = settings
    const { masters, treatedLufs } = await withRenderPool(1, signal, (pool, end) =>
      deliverMasters(
        takenOnce(finishEdges(applied.audio, settings)),
        {
          targets: targetsOf(planned.settings),
          tier,
          intensity,
          seed,
          tags: {},
          edges: settings,
          only: platform,
          isProofed: false,
        },
        {
          ...{ ffmpeg, folder, pool, run, signal: end },
          onProgress: () => {},
          onPrepared: (source) => {
            prepared = source
          },
        },
      ),
    )
    const [delivered] = masters
    const { plan } = delivered!.master
    const isAsked = planned.target.peaks !== undefined
    await run(song.model(planned.target, settings).learning(prepared!, planned.rest, plan, isAsked))
    this.#rendered = { key: keyOf(order), source: prepared!, settings: planned.settings }
    const all = { ...applied, repairs: [...edited.repairs, ...applied.repairs] }
    const { decisions } = workDone(planned.plan, all, song, settings)
    const { analysis } = song
    const sourceLufs = analysis.integratedLufs!
    return renderedAlone(delivered!, treatedLufs, { sourceLufs, analysis, recipe: planned.plan.recipe, decisions })
  }

  async #price({ order, signal }: Call<'price'>): Promise<AuditionTasks['price']['result']> {
    if (this.#rendered?.key !== keyOf(order)) throw new Error('another song has been rendered since')
    const { source, settings } = this.#rendered
    const targets = pricedTargets({ platform: order.platform, settings })
    return withRenderPool(1, signal, (pool) => priceTargets(source, targets, settings.intensity, pool))
  }
}

function keyOf({ source, lanes, reference, platform, settings }: AuditionOrder): string {
  return JSON.stringify([source.sha256, lanes ?? null, reference?.sha256 ?? null, platform, settings])
}

/** The stems of an order as one song with the trims and the length of the loaded one. */
function soundOfLanes({ lanes, settings }: AuditionOrder, song: LoadedSong): ReadSong {
  const { frames, sampleRateHz } = song.analysis
  const first = Math.round((settings.trim_start_seconds ?? 0) * sampleRateHz)
  const read = (start: number, end: number) =>
    audioOfBlocks(
      sumBlocks(lanes!, first + end, first + start),
      { frames: end - start, sampleRateHz },
      (length) => new Float32Array(length),
    )
  return { frames, sampleRateHz, read }
}

/** Frames that are copied in one step. */
const COPIED_FRAMES = 262_144

function* copySteps({ channels, frames, sampleRateHz }: Audio): Steps<Audio> {
  const copy = allocateAudio(channels.length, frames, sampleRateHz)
  for (const [c, samples] of channels.entries()) {
    for (let at = 0; at < frames; at += COPIED_FRAMES) {
      copy.channels[c]!.set(samples.subarray(at, at + COPIED_FRAMES), at)
      yield
    }
  }
  return copy
}
