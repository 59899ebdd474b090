/** Makes the masters of all platforms: one render for each distinct promise, proofed against codecs where the tier asks for it. */
import path from 'node:path'
import type { DeliveryTarget, Tier } from '../contract/platforms.ts'
import type { Audio } from '../engine/block.ts'
import { type LandingSource, prepareLanding } from '../engine/landing.ts'
import { gainToDb } from '../engine/units.ts'
import type { SongTags } from '../media/audio-facts.ts'
import { type LossyCodec, platformCodecs } from '../media/encode.ts'
import { listEncoders } from '../media/ffmpeg.ts'
import { resampleAudio } from '../media/resample.ts'
import type { Cover } from '../media/tags.ts'
import { type CodecPeak, discard, measureCopies, type ProofPlace, writeHotExcerpts } from './codec-proof.ts'
import { CeilingBrokenError, type RenderedMaster, type RenderStep, type RenderTask } from './render-master.ts'
import type { RenderPool } from './render-pool.ts'
import type { CodecCheck } from './report-facts.ts'
import { WorkFailure } from './work-failure.ts'

/** The masters of all platforms and the loudness that they were made from. */
export interface Delivery {
  /** In the order of the targets. */
  readonly masters: readonly Delivered[]
  /** Loudness of the treated song before gain, clipper and limiter. */
  readonly treatedLufs: number
}

/** What to deliver, and the workshop to do it in. */
export interface DeliveryOrder {
  readonly targets: readonly DeliveryTarget[]
  readonly tier: Tier
  readonly intensity: number
  readonly seed: number
  readonly tags: SongTags
  readonly cover?: Cover | undefined
  readonly place: ProofPlace
  readonly pool: RenderPool
  /** Progress of the rendering (parts of all distinct masters that are written) and of the verifying. */
  readonly onProgress: (stage: 'rendering' | 'verifying', part: number) => void
}

/** The finished master of one platform; platforms with the same promise share one file. */
export interface Delivered {
  readonly target: DeliveryTarget
  readonly master: RenderedMaster
  readonly codecChecks: readonly CodecCheck[]
}

const MOST_LOWERED_DB = 1.5
/** A copy is proofed when it stays at or below full scale. */
const COPY_CEILING_DBTP = 0
/** Added to the excess, so that a second try is rarely needed. */
const LOWERING_MARGIN_DB = 0.05

/** One render: a promise and the platforms it serves. */
interface Batch {
  readonly targets: readonly DeliveryTarget[]
  readonly rateHz: number
  readonly bitDepth: 16 | 24
  readonly codecs: readonly LossyCodec[]
}

/**
 * Renders, verifies and proofs the masters of `takeAudio()`. The audio is fetched once and let go of as soon as no further rate needs
 * it. Returns the platforms in their given order. Throws a WorkFailure, or what ffmpeg, the disk or the engine throws.
 */
export async function deliverMasters(takeAudio: () => Audio, order: DeliveryOrder): Promise<Delivery> {
  let audio: Audio | undefined = takeAudio()
  const { tier, place } = order
  const encoders = tier === 'premium' ? await listEncoders(place.ffmpeg) : new Set<string>()
  const batches = planBatches(order.targets, tier, audio.sampleRateHz, encoders)
  const progress = createStepCounter(order.onProgress)
  const delivered: Delivered[] = []
  let treatedLufs = Number.NEGATIVE_INFINITY
  // The audio's own rate first: once it is converted, the original is not needed any more.
  const rates = [...new Set(batches.map(({ rateHz }) => rateHz))]
  const own = audio.sampleRateHz
  for (const rateHz of rates.sort((a, b) => Number(b === own) - Number(a === own))) {
    const isLast = rateHz === rates.at(-1)
    const converted: Audio = rateHz === own ? audio! : await resampleAudio(place.ffmpeg, audio!, rateHz, place.signal)
    if (isLast) audio = undefined
    const group = batches.filter((batch) => batch.rateHz === rateHz)
    const made = await deliverRate(converted, group, order, progress)
    treatedLufs = made.treatedLufs
    delivered.push(...made.masters)
  }
  const masters = order.targets.map(({ platform }) => delivered.find(({ target }) => target.platform === platform)!)
  return { masters, treatedLufs }
}

async function deliverRate(
  audio: Audio,
  wanted: readonly Batch[],
  order: DeliveryOrder,
  progress: StepCounter,
): Promise<Delivery> {
  const source = prepareLanding(audio)
  const batches = mergeUntouched(wanted, source)
  const { place, pool, tags, cover, seed, intensity } = order
  const task = (batch: Batch, loweredDb: number): RenderTask => ({
    source,
    targetLufs: batch.targets[0]!.targetLufs,
    ceilingDbtp: batch.targets[0]!.ceilingDbtp - loweredDb,
    intensity,
    bitDepth: batch.bitDepth,
    seed,
    path: path.join(place.folder, `${batch.targets[0]!.platform}.wav`),
    tags,
    cover,
  })
  const render = async (wanted: readonly { batch: Batch; loweredDb: number }[], onStep: (step: RenderStep) => void) => {
    try {
      return await pool.render(
        wanted.map(({ batch, loweredDb }) => task(batch, loweredDb)),
        (_, step) => onStep(step),
      )
    } catch (error) {
      if (!(error instanceof CeilingBrokenError)) throw error
      throw new WorkFailure('CEILING_BROKEN', {}, error)
    }
  }
  progress.expect(batches.length)
  const rendered = await render(
    batches.map((batch) => ({ batch, loweredDb: 0 })),
    progress.count,
  )
  const masters: Delivered[] = []
  for (const [i, batch] of batches.entries()) {
    const again = async (loweredDb: number) => (await render([{ batch, loweredDb }], () => {}))[0]!
    const proofed = await proof(rendered[i]!, batch.codecs, again, place)
    for (const target of batch.targets) masters.push({ target, ...proofed })
  }
  return { masters, treatedLufs: source.loudness.integratedLufs }
}

/** Platforms whose files would be equal share a batch; with proofing they must be streamed alike, too. */
function planBatches(
  targets: readonly DeliveryTarget[],
  tier: Tier,
  sourceRateHz: number,
  encoders: ReadonlySet<string>,
): Batch[] {
  const batches = new Map<string, Batch>()
  for (const target of targets) {
    const rateHz = deliveryRateHz(target, tier, sourceRateHz)
    const bitDepth = tier === 'premium' ? 24 : 16
    const codecs = platformCodecs(target.platform, encoders)
    const key = [rateHz, target.targetLufs, target.ceilingDbtp, ...codecs.map(({ name }) => name)].join(' ')
    const known = batches.get(key)
    batches.set(key, { targets: [...(known?.targets ?? []), target], rateHz, bitDepth, codecs })
  }
  return [...batches.values()]
}

/** How far below the ceiling a peak must stay for the ceiling to be without effect, dB: more than any limiter's margin. */
const CLEAR_DB = 0.2

/** Where gain alone brings a song to its target, its ceiling changes nothing: such masters of one loudness are one file. */
function mergeUntouched(batches: readonly Batch[], source: LandingSource): Batch[] {
  const merged = new Map<string, Batch>()
  for (const batch of batches) {
    const { targetLufs, ceilingDbtp } = batch.targets[0]!
    const peakDbtp = gainToDb(source.truePeak) + targetLufs - source.loudness.integratedLufs
    const ceiling = peakDbtp < ceilingDbtp - CLEAR_DB ? 'clear' : ceilingDbtp
    const key = [targetLufs, ceiling, ...batch.codecs.map(({ name }) => name)].join(' ')
    const known = merged.get(key)
    // The lower ceiling is the promise that holds for all of them.
    const targets = [...(known?.targets ?? []), ...batch.targets].sort((a, b) => a.ceilingDbtp - b.ceilingDbtp)
    merged.set(key, { ...batch, targets })
  }
  return [...merged.values()]
}

/** Standard masters are 44.1 kHz, for YouTube 48 kHz when the song was made at a multiple of that; premium ones keep their rate. */
function deliveryRateHz(target: DeliveryTarget, tier: Tier, sourceRateHz: number): number {
  if (tier === 'premium') return sourceRateHz
  return target.platform === 'youtube' && sourceRateHz % 48_000 === 0 ? 48_000 : 44_100
}

/**
 * Encodes and decodes the hottest places of a master, and lowers its ceiling until the copies stay below full scale, by 1.5 dB at most;
 * then proves it on the whole song, once more with a lower ceiling when the whole song says so.
 */
async function proof(
  first: RenderedMaster,
  codecs: readonly LossyCodec[],
  again: (loweredDb: number) => Promise<RenderedMaster>,
  place: ProofPlace,
): Promise<{ master: RenderedMaster; codecChecks: CodecCheck[] }> {
  if (codecs.length === 0) return { master: first, codecChecks: [] }
  let master = first
  let loweredDb = 0
  const lower = async (peaks: readonly CodecPeak[]): Promise<boolean> => {
    const excessDb = Math.max(...peaks.map(({ truePeakDbtp }) => truePeakDbtp)) - COPY_CEILING_DBTP
    if (excessDb <= 0 || loweredDb >= MOST_LOWERED_DB) return false
    loweredDb = Math.min(MOST_LOWERED_DB, loweredDb + excessDb + LOWERING_MARGIN_DB)
    master = await again(loweredDb)
    return true
  }
  const excerpts = `${first.path}.excerpts`
  try {
    let isLowered = true
    while (isLowered) {
      await writeHotExcerpts(master, excerpts)
      isLowered = await lower(await measureCopies(excerpts, codecs, place))
    }
  } finally {
    await discard(excerpts)
  }
  let peaks = await measureCopies(master.path, codecs, place)
  if (await lower(peaks)) peaks = await measureCopies(master.path, codecs, place)
  const codecChecks = peaks.map(({ codec, truePeakDbtp }) => ({
    codec: codec.name,
    true_peak_dbtp: truePeakDbtp,
    ceiling_lowered_db: loweredDb,
  }))
  return { master, codecChecks }
}

/** Turns the steps of all renders into progress. */
interface StepCounter {
  /** That many more renders are about to begin. */
  expect(renders: number): void
  count(step: RenderStep): void
}

/** Returns a counter: rendering until every expected render is written, then verifying. */
function createStepCounter(report: DeliveryOrder['onProgress']): StepCounter {
  const done: Record<RenderStep, number> = { planned: 0, written: 0, verified: 0 }
  let renders = 0
  return {
    expect(more) {
      renders += more
    },
    count(step) {
      done[step]++
      if (done.written < renders) report('rendering', (0.5 * done.planned + 0.5 * done.written) / renders)
      else report('verifying', done.verified / renders)
    },
  }
}
