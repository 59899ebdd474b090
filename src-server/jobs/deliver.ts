/** Makes the masters of all platforms: one render for each distinct promise, proofed against codecs where the tier asks for it. */
import path from 'node:path'
import type { DeliveryTarget, Tier } from '../contract/platforms.ts'
import type { Audio } from '../engine/block.ts'
import { prepareLanding } from '../engine/landing.ts'
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

/** What to deliver, and the workshop to do it in. */
export interface Delivery {
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
 * Renders, verifies and proofs the masters of `makeAudio()`. The audio is fetched once and let go of as soon as no further rate needs
 * it. Returns the platforms in their given order. Throws a WorkFailure, or what ffmpeg, the disk or the engine throws.
 */
export async function deliverMasters(makeAudio: () => Audio, delivery: Delivery): Promise<Delivered[]> {
  let audio: Audio | undefined = makeAudio()
  const { tier, place } = delivery
  const encoders = tier === 'premium' ? await listEncoders(place.ffmpeg) : new Set<string>()
  const batches = planBatches(delivery.targets, tier, audio.sampleRateHz, encoders)
  const progress = countSteps(batches.length, delivery.onProgress)
  const delivered: Delivered[] = []
  // The audio's own rate first: once it is converted, the original is not needed any more.
  const rates = [...new Set(batches.map(({ rateHz }) => rateHz))]
  const own = audio.sampleRateHz
  for (const rateHz of rates.sort((a, b) => Number(b === own) - Number(a === own))) {
    const isLast = rateHz === rates.at(-1)
    const converted: Audio = rateHz === own ? audio! : await resampleAudio(place.ffmpeg, audio!, rateHz, place.signal)
    if (isLast) audio = undefined
    const group = batches.filter((batch) => batch.rateHz === rateHz)
    delivered.push(...(await deliverRate(converted, group, delivery, progress)))
  }
  return delivery.targets.map(({ platform }) => delivered.find(({ target }) => target.platform === platform)!)
}

async function deliverRate(
  audio: Audio,
  batches: readonly Batch[],
  delivery: Delivery,
  progress: (step: RenderStep) => void,
): Promise<Delivered[]> {
  const source = prepareLanding(audio)
  const { place, pool, tags, cover, seed, intensity } = delivery
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
  const masters = await render(
    batches.map((batch) => ({ batch, loweredDb: 0 })),
    progress,
  )
  const delivered: Delivered[] = []
  for (const [i, batch] of batches.entries()) {
    const again = async (loweredDb: number) => (await render([{ batch, loweredDb }], () => {}))[0]!
    const proofed = await proof(masters[i]!, batch.codecs, again, place)
    for (const target of batch.targets) delivered.push({ target, ...proofed })
  }
  return delivered
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

/** Turns the steps of all renders into progress: rendering until every one is written, then verifying. */
function countSteps(renders: number, report: Delivery['onProgress']): (step: RenderStep) => void {
  const done: Record<RenderStep, number> = { planned: 0, written: 0, verified: 0 }
  return (step) => {
    done[step]++
    if (done.written < renders) report('rendering', (0.5 * done.planned + 0.5 * done.written) / renders)
    else report('verifying', done.verified / renders)
  }
}
