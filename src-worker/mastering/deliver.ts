/** Makes the masters of all platforms: one render for each distinct promise, proofed against codecs where the tier asks for it. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { type DeliveryTarget, type MasterName, type MasterTarget, RELEASE } from '../../src-contract/delivery-target.ts'
import type { Edges } from '../../src-contract/edges.ts'
import { type Platform, platformFacts } from '../../src-contract/platforms/index.ts'
import { type Tier, WHOLE_SONG } from '../../src-contract/settings.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { type RunSteps, runAtOnce } from '../../src-engine/dsp/steps.ts'
import { gainToDb, mix } from '../../src-engine/dsp/units.ts'
import { type Padding, paddingOf } from '../../src-engine/edges.ts'
import { preparationSteps } from '../../src-engine/finalise/finalise.ts'
import type { FinaliseSource } from '../../src-engine/finalise/material.ts'
import { atMost } from '../../src-system/at-most.ts'
import type { SongTags } from '../media/audio-facts.ts'
import { type LossyCodec, platformCodecs } from '../media/encode.ts'
import { listEncoders } from '../media/ffmpeg.ts'
import { lowerRate } from '../media/resample.ts'
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

/** Distance below the ceiling from which the ceiling has no effect, dB: more than any limiter's margin. */
const CLEAR_DB = 0.2

/** The masters of all platforms and the loudness that they were made from. */
export interface Delivery {
  /** In the order of the targets. */
  readonly masters: readonly Delivered[]
  /** The one for all services, where it was asked for. */
  readonly release?: Pick<Made, 'master' | 'codecChecks'> & { readonly target: MasterTarget }
  /** What files of further formats are made from, in the order of the targets; empty where none are asked for. */
  readonly floats: readonly FloatMaster[]
  /** Loudness of the treated song before gain, clipper and limiter. */
  readonly treatedLufs: number
}

/** Masters to make, and everything that their bytes depend on besides the audio. */
export interface DeliveryOrder {
  readonly targets: readonly DeliveryTarget[]
  /** Target of one more master, for all services; none when absent. */
  readonly release?: MasterTarget | undefined
  readonly tier: Tier
  readonly intensity: number
  readonly seed: number
  readonly tags: SongTags
  readonly cover?: Cover | undefined
  /** Edges of the song, whose padding is part of the audio already; none when absent. */
  readonly edges?: Edges
  /** The one platform whose master is made, with the bytes that it has among all `targets`; every platform when absent. */
  readonly only?: Platform
  /** False where a premium master is not proofed against codecs. True when absent. */
  readonly isProofed?: boolean
  /** True where every master is also needed in 24 bit at the song's own rate, and as it is before dither. False when absent. */
  readonly hasFloats?: boolean
}

export interface DeliveryDeps extends ProofDeps {
  readonly pool: Pick<RenderPool, 'render' | 'writeFloat'>
  /** Progress of the rendering (parts of all distinct masters that are written) and of the verifying. */
  readonly onProgress: (stage: 'rendering' | 'verifying', part: number) => void
  /** At once when absent. */
  readonly run?: RunSteps
  /** Called with what the masters of each rate are made from. */
  readonly onPrepared?: (source: FinaliseSource) => void
}

/** The finished master of one platform; platforms with the same promise share one file. */
export interface Delivered {
  readonly target: DeliveryTarget
  readonly master: RenderedMaster
  readonly codecChecks: readonly CodecCheck[]
}

/** A master of 24 bit at the song's own rate, and the same before dither. */
export interface FloatMaster {
  readonly name: MasterName
  readonly master: RenderedMaster
  /** A WAV of 32 bit float; platforms that share a master share it. */
  readonly floatPath: string
}

/** A file to be rendered: a master as its tier delivers it, or one that is only needed for further formats. */
interface Wanted {
  readonly name: MasterName
  readonly target: MasterTarget
  /** Target of the platform whose master it is; absent where it is none's. */
  readonly delivers?: DeliveryTarget
  readonly rateHz: number
  readonly bitDepth: 16 | 24
  readonly hasFloat: boolean
}

/** A rendered file and what its copies measure. */
interface Made {
  readonly wanted: Wanted
  readonly master: RenderedMaster
  readonly codecChecks: readonly CodecCheck[]
  readonly floatPath?: string
}

/** Target, ceiling and depth of one file: what wants the same shares a file. */
interface Promised {
  readonly wanted: readonly Wanted[]
  readonly targetLufs: number
  readonly ceilingDbtp: number
  readonly bitDepth: 16 | 24
}

/**
 * Renders, verifies and proofs the masters of `takeAudio()`. The audio is fetched once and let go of as soon as no further rate needs
 * it. Returns the platforms in their given order. Throws a WorkFailure, or what ffmpeg, the disk or the engine throws.
 */
export async function deliverMasters(
  takeAudio: () => Audio,
  order: DeliveryOrder,
  deps: DeliveryDeps,
): Promise<Delivery> {
  let audio = takeAudio()
  const isProofed = order.tier === 'premium' && order.isProofed !== false
  const encoders = isProofed ? await listEncoders(deps.ffmpeg) : new Set<string>()
  const codecsOf = (name: MasterName) =>
    name === RELEASE ? allCodecs(order, encoders) : platformCodecs(name, encoders)
  const progress = createStepCounter(order.tier, deps.onProgress)
  const made = new Map<Wanted, Made>()
  const isMade = ({ name }: Wanted) => order.only === undefined || name === order.only
  let treatedLufs = Number.NEGATIVE_INFINITY
  const all = wantedFiles(order, audio.sampleRateHz)
  // Downwards, each rate from the one before it: a conversion takes the memory of what it converts.
  const rates = [...new Set(all.map(({ rateHz }) => rateHz))].sort((a, b) => b - a)
  let left = all.length
  for (const rateHz of rates) {
    if (rateHz < audio.sampleRateHz) audio = await lowerRate(deps.ffmpeg, audio, rateHz, { signal: deps.signal })
    const wanted = all.filter((one) => one.rateHz === rateHz)
    left -= wanted.length
    if (!wanted.some(isMade)) continue
    const source = await (deps.run ?? runAtOnce)(preparationSteps(audio))
    deps.onPrepared?.(source)
    treatedLufs = source.loudness.integratedLufs
    // The whole signal may have been a fault that was removed, such as a DC offset.
    if (!Number.isFinite(treatedLufs)) throw new WorkFailure('DIGITAL_SILENCE')
    const promises = promisesOf(wanted, source)
      .map((promised) => ({ ...promised, wanted: promised.wanted.filter(isMade) }))
      .filter((promised) => promised.wanted.length > 0)
    progress.expect(promises.length, left)
    const ofRate = await deliverRate(promises, createRenders(source, order, deps), { ...deps, codecsOf, progress })
    for (const one of await withFloats(ofRate, source, { ...deps, padding: paddingIn(order, source) }))
      made.set(one.wanted, one)
  }
  return { ...inOrder(all.flatMap((wanted) => made.get(wanted) ?? [])), treatedLufs }
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

/**
 * Returns the files of an order. A master of the standard tier is another than that of which its further formats are made; the one for
 * all services is 24 bit at the song's own rate in every tier.
 */
function wantedFiles({ targets, release, tier, hasFloats = false }: DeliveryOrder, ownRateHz: number): Wanted[] {
  const isPremium = tier === 'premium'
  const whole = { rateHz: ownRateHz, bitDepth: 24, hasFloat: hasFloats } as const
  const delivered = targets.map((target): Wanted => {
    const reduced = { rateHz: deliveryRateHz(target, tier, ownRateHz), bitDepth: 16, hasFloat: false } as const
    return { name: target.platform, target, delivers: target, ...(isPremium ? whole : reduced) }
  })
  const forFormats = targets.map((target): Wanted => ({ name: target.platform, target, ...whole }))
  return [
    ...delivered,
    ...(hasFloats && !isPremium ? forFormats : []),
    ...(release ? [{ name: RELEASE, target: release, ...whole } as const] : []),
  ]
}

/** Writes the masters that are needed so as they are before dither: each once, while the audio of their rate is there. */
async function withFloats(
  made: readonly Made[],
  source: FinaliseSource,
  { pool, padding }: Pick<DeliveryDeps, 'pool'> & { readonly padding: Padding },
): Promise<Made[]> {
  const written = new Map<string, Promise<string>>()
  return Promise.all(
    made.map(async (one) => {
      if (!one.wanted.hasFloat) return one
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

function paddingIn({ edges = WHOLE_SONG }: DeliveryOrder, { sampleRateHz }: FinaliseSource): Padding {
  return paddingOf(edges, sampleRateHz)
}

interface RateDeps extends DeliveryDeps {
  /** Codecs against which a master is proofed; none where nothing is. */
  readonly codecsOf: (name: MasterName) => readonly LossyCodec[]
  readonly progress: StepCounter
}

/** All masters of one rate: each promise is rendered once, then proofed for every platform that wants it. */
async function deliverRate(
  promises: readonly Promised[],
  { render, written }: Renders,
  deps: RateDeps,
): Promise<Made[]> {
  const { codecsOf, progress } = deps
  const rendered = await Promise.all(
    promises.map((promised) => {
      const { name, delivers } = promised.wanted[0]!
      return render(delivers || name === RELEASE ? 'master' : 'formats', name, promised, progress.count)
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

/** Rendered master, and the codecs that it is to be proofed against. */
interface Unproofed {
  readonly wanted: Wanted
  readonly promised: Promised
  readonly master: RenderedMaster
  readonly codecs: readonly LossyCodec[]
}

/** Returns what proofs the masters of one rate; platforms that share a file share its copies and its lowered versions. */
function createProofing(render: Renders['render'], deps: RateDeps): (unproofed: Unproofed) => Promise<Made> {
  const { progress } = deps
  const lowerings = new Map<string, Promise<RenderedMaster>>()
  const copies = new Map<string, Promise<number>>()
  return async ({ wanted, promised, master, codecs }) => {
    const { target } = wanted
    // A master that gain alone made may lie well below its ceiling: what must come down is its peak.
    const peakDbtp = Math.min(target.ceilingDbtp, master.measurement.truePeakDbtp)
    const proofed = await proofMaster(master, codecs, {
      async again(loweredDb) {
        progress.expectCopies(1)
        const name = `lowered-${loweredDb.toFixed(1)}`
        const ceilingDbtp = peakDbtp - loweredDb
        const lowered = await onlyOnce(lowerings, `${master.path} ${ceilingDbtp}`, () =>
          render(name, wanted.name, { ...promised, ceilingDbtp }),
        )
        // The loudness target has priority; the behaviour of a service's own codec is only estimated.
        const lostLu = master.measurement.integratedLufs - lowered.measurement.integratedLufs
        return lowered.plan.verdict === master.plan.verdict && lostLu < MOST_LOST_LU ? lowered : null
      },
      async copyPeakDbtp(version, codec) {
        const copy = () => readCopyPeakDbtp(version, codec, deps)
        const peak = await onlyOnce(copies, `${version.path} ${codec.name}`, copy)
        progress.copied()
        return peak
      },
    })
    return { wanted, ...proofed }
  }
}

type Renders = ReturnType<typeof createRenders>

/** Returns what renders masters of one rate, each into a file of its own, and the paths of all files that it has begun. */
function createRenders(source: FinaliseSource, order: DeliveryOrder, { pool, folder }: DeliveryDeps) {
  const { tags, cover, seed, intensity } = order
  const padding = paddingIn(order, source)
  const written = new Set<string>()
  return {
    written,
    /** Rejects with a WorkFailure that names the platform when the ceiling cannot be held, else with what the pool rejects with. */
    render(
      name: string,
      master: MasterName,
      { targetLufs, ceilingDbtp, bitDepth }: Pick<Promised, 'targetLufs' | 'ceilingDbtp' | 'bitDepth'>,
      onStep?: (step: RenderStep) => void,
    ): Promise<RenderedMaster> {
      const task: RenderTask = {
        source,
        targetLufs,
        ceilingDbtp,
        intensity,
        seed,
        tags,
        cover,
        bitDepth,
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

/** Groups files by their promise. Where gain alone brings a song to its target, its ceiling changes nothing. */
function promisesOf(files: readonly Wanted[], source: FinaliseSource): Promised[] {
  const promises = new Map<string, Promised>()
  for (const wanted of files) {
    const { targetLufs, ceilingDbtp } = wanted.target
    const { bitDepth } = wanted
    const peakDbtp = gainToDb(source.truePeak) + targetLufs - source.loudness.integratedLufs
    const key = `${targetLufs} ${peakDbtp < ceilingDbtp - CLEAR_DB ? 'clear' : ceilingDbtp} ${bitDepth}`
    const known = promises.get(key)
    promises.set(key, {
      wanted: [...(known?.wanted ?? []), wanted],
      targetLufs,
      // The lower ceiling is the promise that holds for all of them.
      ceilingDbtp: Math.min(ceilingDbtp, known?.ceilingDbtp ?? ceilingDbtp),
      bitDepth,
    })
  }
  return [...promises.values()]
}

const STANDARD_RATE_HZ = 44_100

/** Returns the rate of a master: 44.1 kHz or a further rate of the platform that divides the song's own; for premium the song's own. */
function deliveryRateHz({ platform }: DeliveryTarget, tier: Tier, sourceRateHz: number): number {
  if (tier === 'premium') return sourceRateHz
  return platformFacts(platform).furtherRatesHz.find((rateHz) => sourceRateHz % rateHz === 0) ?? STANDARD_RATE_HZ
}

/** Turns the steps of all renders and proofs into progress. */
interface StepCounter {
  /** That many more renders are about to begin, and after these at most `later` others, at further rates. */
  expect(renders: number, later: number): void
  count(step: RenderStep): void
  /** That many more copies are to be read. */
  expectCopies(more: number): void
  /** One of them has been read. */
  copied(): void
}

/** Returns a counter: rendering until every expected render is written, then verifying, most of which is proofing where there is any. */
function createStepCounter(tier: Tier, onProgress: DeliveryDeps['onProgress']): StepCounter {
  const done: Record<RenderStep, number> = { planned: 0, written: 0, verified: 0 }
  const verifying = tier === 'premium' ? 0.1 : 1
  let begun = 0
  let renders = 0
  let copies = 0
  let copied = 0
  return {
    expect(more, later) {
      begun += more
      renders = begun + later
    },
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
