/** Makes the masters of all platforms: one render for each distinct target, proofed against codecs if the tier includes it. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { atMost } from '../../src-contract/at-most.ts'
import {
  type DeliveryTarget,
  type MasterName,
  type MasterTarget,
  RELEASE,
  type SongLevel,
} from '../../src-contract/delivery-target.ts'
import type { Edges } from '../../src-contract/edges.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import type { PeakTreatment } from '../../src-contract/recipe.ts'
import { type Tier, WHOLE_SONG } from '../../src-contract/settings.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { type RunSteps, runAtOnce } from '../../src-engine/dsp/steps.ts'
import { gainToDb, mix } from '../../src-engine/dsp/units.ts'
import { type Padding, paddingOf } from '../../src-engine/edges.ts'
import { preparationSteps } from '../../src-engine/finalise/finalise.ts'
import type { FinaliseSource } from '../../src-engine/finalise/material.ts'
import type { SongTags } from '../media/audio-facts.ts'
import { type LossyCodec, platformCodecs } from '../media/encode.ts'
import { listEncoders } from '../media/ffmpeg.ts'
import type { Cover } from '../media/tags.ts'
import { type ProofDeps, proofMaster, readCopyPeakDbtp } from './codec-proof.ts'
import { CeilingBrokenError, type RenderedMaster, type RenderStep, type RenderTask } from './render-master.ts'
import type { RenderPool } from './render-pool.ts'
import type { CodecCheck } from './report-facts.ts'
import { WorkFailure } from './work-failure.ts'

/** Largest loss of loudness that a proof may cause, LU: the tolerance of the loudness target. */
const MOST_LOST_LU = 0.05

/** Masters proofed at a time: the number of cores of the smallest machine. */
const PROOFS_AT_ONCE = 2

/** Margin of the true peak below the ceiling at which the ceiling has no effect, dB: more than any limiter's margin. */
const CLEAR_DB = 0.2

/** The masters of all platforms and the loudness that they were made from. */
export interface Delivery {
  /** In the order of the targets. */
  readonly masters: readonly Delivered[]
  /** The master for all services, if requested. */
  readonly release?: Pick<Made, 'master' | 'codecChecks'> & { readonly target: MasterTarget }
  /** Sources of the files in further formats, in the order of the targets; empty if only the masters are wanted. */
  readonly floats: readonly FloatMaster[]
  /** Loudness of the treated song before gain, clipper and limiter. */
  readonly treatedLufs: number
}

/** Masters to make and, besides the audio, all inputs that their bytes depend on. */
export interface DeliveryOrder {
  readonly targets: readonly DeliveryTarget[]
  /** Target of one more master, for all services, by the level of the treated song; left out when absent. */
  readonly release?: ((level: SongLevel) => MasterTarget) | undefined
  readonly tier: Tier
  readonly intensity: number
  readonly seed: number
  readonly tags: SongTags
  readonly cover?: Cover | undefined
  /** Edges of the song; its padding is already part of the audio. No edges when absent. */
  readonly edges?: Edges
  /** The one platform whose master is made, with the same bytes as among all `targets`; every platform when absent. */
  readonly only?: Platform
  /** False to skip the codec proof of a premium master. True when absent. */
  readonly isProofed?: boolean
  /** True if every master is also needed before dither. False when absent. */
  readonly hasFloats?: boolean
}

export interface DeliveryDeps extends ProofDeps {
  readonly pool: Pick<RenderPool, 'render' | 'writeFloat'>
  /** Progress of the rendering (parts of all distinct masters that are written) and of the verifying. */
  readonly onProgress: (stage: 'rendering' | 'verifying', part: number) => void
  /** At once when absent. */
  readonly run?: RunSteps
  /** Called with the source of each rate's masters. */
  readonly onPrepared?: (source: FinaliseSource) => void
}

/** The finished master of one platform; platforms with the same promise share one file. */
export interface Delivered {
  readonly target: DeliveryTarget
  readonly master: RenderedMaster
  readonly codecChecks: readonly CodecCheck[]
}

/** A master, and the same before dither. */
export interface FloatMaster {
  readonly name: MasterName
  readonly master: RenderedMaster
  /** A WAV of 32 bit float; platforms that share a master share it. */
  readonly floatPath: string
}

/** Bits of a sample of every master. */
export const MASTER_BIT_DEPTH = 24

/** A master to render. */
interface Wanted {
  readonly name: MasterName
  readonly target: MasterTarget
  /** Target of the master's platform; absent for the master for all services. */
  readonly delivers?: DeliveryTarget
}

/** A rendered file and the measurements of its copies. */
interface Made {
  readonly wanted: Wanted
  readonly master: RenderedMaster
  readonly codecChecks: readonly CodecCheck[]
  readonly floatPath?: string
}

/** Target and ceiling of one file; masters with the same values share it. */
interface Promised {
  readonly wanted: readonly Wanted[]
  readonly targetLufs: number
  readonly ceilingDbtp: number
  readonly peaks?: PeakTreatment | undefined
}

/**
 * Renders, verifies and proofs the masters of `takeAudio()`: 24 bit, at its rate. Returns the platforms in their given order. Throws a
 * WorkFailure, or an error of ffmpeg, the disk or the engine.
 */
export async function deliverMasters(
  takeAudio: () => Audio,
  order: DeliveryOrder,
  deps: DeliveryDeps,
): Promise<Delivery> {
  const isProofed = order.tier === 'premium' && order.isProofed !== false
  const encoders = isProofed ? await listEncoders(deps.ffmpeg) : new Set<string>()
  const codecsOf = (name: MasterName) =>
    name === RELEASE ? allCodecs(order, encoders) : platformCodecs(name, encoders)
  const isMade = ({ name }: Wanted) => order.only === undefined || name === order.only
  const source = await (deps.run ?? runAtOnce)(preparationSteps(takeAudio()))
  deps.onPrepared?.(source)
  const treatedLufs = source.loudness.integratedLufs
  // The whole signal may have been a fault that was removed, such as a DC offset.
  if (!Number.isFinite(treatedLufs)) throw new WorkFailure('DIGITAL_SILENCE')
  const all = wantedFiles(order, { integratedLufs: treatedLufs, truePeakDbtp: gainToDb(source.truePeak) })
  const promises = promisesOf(all, source)
    .map((promised) => ({ ...promised, wanted: promised.wanted.filter(isMade) }))
    .filter((promised) => promised.wanted.length > 0)
  const progress = createStepCounter(order.tier, promises.length, deps.onProgress)
  const padding = paddingOf(order.edges ?? WHOLE_SONG, source.sampleRateHz)
  const renders = createRenders({ source, padding }, order, deps)
  const rendered = await renderAll(promises, renders, { ...deps, codecsOf, progress })
  const made = order.hasFloats ? await withFloats(rendered, { source, padding }, deps) : rendered
  return { ...inOrder(all.flatMap((wanted) => made.find((one) => one.wanted === wanted) ?? [])), treatedLufs }
}

function inOrder(made: readonly Made[]): Pick<Delivery, 'masters' | 'release' | 'floats'> {
  const release = made.find(({ wanted }) => wanted.name === RELEASE)
  return {
    masters: made.flatMap(({ wanted: { delivers: target }, master, codecChecks }) =>
      target ? { target, master, codecChecks } : [],
    ),
    ...(release
      ? { release: { target: release.wanted.target, master: release.master, codecChecks: release.codecChecks } }
      : {}),
    floats: made.flatMap(({ wanted: { name }, master, floatPath }) =>
      floatPath === undefined ? [] : { name, master, floatPath },
    ),
  }
}

function wantedFiles({ targets, release }: DeliveryOrder, level: SongLevel): Wanted[] {
  return [
    ...targets.map((target): Wanted => ({ name: target.platform, target, delivers: target })),
    ...(release ? [{ name: RELEASE, target: release(level) } as const] : []),
  ]
}

/** Source song of all masters, and the silence around it. */
interface PaddedSource {
  readonly source: FinaliseSource
  readonly padding: Padding
}

/** Writes the undithered masters, each once. */
async function withFloats(
  made: readonly Made[],
  { source, padding }: PaddedSource,
  { pool }: Pick<DeliveryDeps, 'pool'>,
): Promise<Made[]> {
  const written = new Map<string, Promise<string>>()
  return Promise.all(
    made.map(async (one) => {
      const { path: masterPath, plan } = one.master
      const floatPath = await onlyOnce(written, masterPath, async () => {
        const target = masterPath.replace(/\.wav$/, '.float.wav')
        await pool.writeFloat({ source, plan, floatPath: target, padding })
        return target
      })
      return { ...one, floatPath }
    }),
  )
}

interface ProofingDeps extends DeliveryDeps {
  /** Codecs that a master is proofed against; empty without proofing. */
  readonly codecsOf: (name: MasterName) => readonly LossyCodec[]
  readonly progress: StepCounter
}

/** Renders each promise once, then proofs it for every platform that wants it. */
async function renderAll(
  promises: readonly Promised[],
  { render, written }: Renders,
  deps: ProofingDeps,
): Promise<Made[]> {
  const { codecsOf, progress } = deps
  const rendered = await Promise.all(
    promises.map((promised) => {
      const { name } = promised.wanted[0]!
      return render('master', name, promised, progress.count)
    }),
  )
  const unproofed = promises.flatMap((promised, i) =>
    promised.wanted.map((wanted): Unproofed => {
      const codecs = codecsOf(wanted.name)
      return { wanted, promised, master: rendered[i]!, codecs }
    }),
  )
  progress.expectCopies(unproofed.reduce((sum, { codecs }) => sum + codecs.length, 0))
  const proof = createProofing(render, deps)
  const inTurn = atMost(PROOFS_AT_ONCE)
  const made = await Promise.all(unproofed.map((master) => inTurn(() => proof(master))))
  const used = new Set(made.map(({ master }) => master.path))
  for (const file of written) if (!used.has(file)) await rm(file)
  return made
}

/** Returns the codecs of all platforms of an order, each once. */
function allCodecs({ targets }: DeliveryOrder, encoders: ReadonlySet<string>): LossyCodec[] {
  const codecs = targets.flatMap(({ platform }) => platformCodecs(platform, encoders))
  return [...new Map(codecs.map((codec) => [codec.name, codec])).values()]
}

/** Rendered master that is not proofed yet. */
interface Unproofed {
  readonly wanted: Wanted
  readonly promised: Promised
  readonly master: RenderedMaster
  readonly codecs: readonly LossyCodec[]
}

/** Returns a function that proofs masters; files of the same bytes share their copies, and platforms of one file its lowered versions. */
function createProofing(render: Renders['render'], deps: ProofingDeps): (unproofed: Unproofed) => Promise<Made> {
  const { progress } = deps
  const lowerings = new Map<string, Promise<RenderedMaster>>()
  const copies = new Map<string, Promise<number>>()
  return async ({ wanted, promised, master, codecs }) => {
    const { target } = wanted
    // A master made by gain alone may lie well below its ceiling, so its actual peak is lowered.
    const peakDbtp = Math.min(target.ceilingDbtp, master.measurement.truePeakDbtp)
    const proofed = await proofMaster(master, codecs, {
      async again(loweredDb) {
        // A ceiling that a recipe asks for is kept as it is.
        if (target.isCeilingKept) return null
        progress.expectCopies(1)
        const name = `lowered-${loweredDb.toFixed(1)}`
        const ceilingDbtp = peakDbtp - loweredDb
        const lowered = await onlyOnce(lowerings, `${master.path} ${ceilingDbtp}`, () =>
          render(name, wanted.name, { ...promised, ceilingDbtp }),
        )
        // The loudness target has priority, since the copies only approximate the services' own codecs.
        const lostLu = master.measurement.integratedLufs - lowered.measurement.integratedLufs
        return lowered.plan.verdict === master.plan.verdict && lostLu < MOST_LOST_LU ? lowered : null
      },
      async copyPeakDbtp(version, codec) {
        const copy = () => readCopyPeakDbtp(version, codec, deps)
        const peak = await onlyOnce(copies, `${version.sha256} ${codec.name}`, copy)
        progress.copied()
        return peak
      },
    })
    return { wanted, ...proofed }
  }
}

type Renders = ReturnType<typeof createRenders>

/** Returns the render functions, each master in its own file, and the paths of all files begun. */
function createRenders({ source, padding }: PaddedSource, order: DeliveryOrder, { pool, folder }: DeliveryDeps) {
  const { tags, cover, seed, intensity } = order
  const written = new Set<string>()
  return {
    written,
    /** Rejects with a WorkFailure that names the platform if the ceiling cannot be held, else as the pool does. */
    render(
      name: string,
      master: MasterName,
      { targetLufs, ceilingDbtp, peaks }: Pick<Promised, 'targetLufs' | 'ceilingDbtp' | 'peaks'>,
      onStep?: (step: RenderStep) => void,
    ): Promise<RenderedMaster> {
      const task: RenderTask = {
        source,
        targetLufs,
        ceilingDbtp,
        peaks,
        intensity,
        seed,
        tags,
        cover,
        bitDepth: MASTER_BIT_DEPTH,
        padding,
        path: path.join(folder, `${name}-${master}.wav`),
      }
      written.add(task.path)
      return pool.render(task, onStep).catch((error: unknown) => {
        if (!(error instanceof CeilingBrokenError)) throw error
        throw ceilingBroken(master, error)
      })
    },
  }
}

/** Returns the failure of a master that cannot be kept under its ceiling. */
export function ceilingBroken(name: MasterName, cause: CeilingBrokenError): WorkFailure {
  return new WorkFailure('CEILING_BROKEN', name === RELEASE ? {} : { platform: name }, cause)
}

/** Returns the result under a key, which is made once: platforms that share a file share the work on it. */
function onlyOnce<Result>(
  made: Map<string, Promise<Result>>,
  key: string,
  make: () => Promise<Result>,
): Promise<Result> {
  const result = made.get(key) ?? make()
  made.set(key, result)
  return result
}

/** Groups files by target and ceiling. If gain alone brings a song to its target, the ceiling makes no difference. */
function promisesOf(files: readonly Wanted[], source: FinaliseSource): Promised[] {
  const promises = new Map<string, Promised>()
  for (const wanted of files) {
    const { targetLufs, ceilingDbtp, peaks } = wanted.target
    const peakDbtp = gainToDb(source.truePeak) + targetLufs - source.loudness.integratedLufs
    const isClear = peakDbtp < ceilingDbtp - CLEAR_DB
    const key = `${targetLufs} ${isClear ? 'clear' : `${ceilingDbtp} ${JSON.stringify(peaks)}`}`
    const known = promises.get(key)
    promises.set(key, {
      wanted: [...(known?.wanted ?? []), wanted],
      targetLufs,
      peaks,
      // The lower ceiling satisfies all of them.
      ceilingDbtp: Math.min(ceilingDbtp, known?.ceilingDbtp ?? ceilingDbtp),
    })
  }
  return [...promises.values()]
}

/** Turns the steps of all renders and proofs into progress. */
interface StepCounter {
  count(step: RenderStep): void
  /** Adds this many copies to the expected reads. */
  expectCopies(more: number): void
  /** Counts one copy as read. */
  copied(): void
}

/** Returns a counter: rendering until all renders are written, then verifying, mostly proofing where there is any. */
function createStepCounter(tier: Tier, renders: number, onProgress: DeliveryDeps['onProgress']): StepCounter {
  const done: Record<RenderStep, number> = { planned: 0, written: 0, verified: 0 }
  const verifying = tier === 'premium' ? 0.1 : 1
  let copies = 0
  let copied = 0
  return {
    count(step) {
      done[step]++
      if (done.written < renders) onProgress('rendering', (0.5 * done.planned + 0.5 * done.written) / renders)
      else onProgress('verifying', (verifying * done.verified) / renders)
    },
    expectCopies(more) {
      copies += more
    },
    copied() {
      copied++
      onProgress('verifying', mix(verifying, 1, Math.min(1, copied / copies)))
    },
  }
}
