/** Previews for scripts: a passage of the master that a job with the same settings would write. */
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { masterSeconds } from '../../src-contract/edges.ts'
import type { Random } from '../../src-system/system.ts'
import type { RenderedAlone } from '../../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { openWav, wavHead } from '../../src-worker/media/wav.ts'
import { serviceFailure } from '../uploads/inspect.ts'
import type { RenderAlone } from './render-alone.ts'
import type { Submission } from './submit.ts'

/** Requested passage. */
export interface Cut {
  /** The loudest passage when absent. */
  readonly startSeconds?: number
  readonly seconds: number
}

/** A passage of a master as a WAV. */
export interface Preview {
  readonly bytes: Buffer
  readonly startSeconds: number
  readonly integratedLufs: number
  readonly gainDb: number
}

export type MakePreview = (
  submission: Pick<Submission, 'song' | 'reference' | 'request'>,
  cut: Cut,
  signal: AbortSignal,
) => Promise<Preview>

/** Creates the previews. Each renders the whole master into a folder below `tmp` and removes it afterwards. */
export function createMakePreview(deps: {
  readonly renderAlone: RenderAlone
  readonly ffmpeg: () => Promise<Ffmpeg>
  readonly random: Random
  readonly tmp: string
  /** Throws INSUFFICIENT_STORAGE unless that many bytes more can be written on the disk. */
  readonly requireDisk: (bytes: number) => void
}): MakePreview {
  return async ({ song, reference, request: { settings } }, cut, signal) => {
    const ffmpeg = await deps.ffmpeg().catch((cause: unknown) => {
      throw serviceFailure(cause)
    })
    const { durationSeconds, sampleRateHz } = song.facts
    deps.requireDisk(masterSeconds(settings, durationSeconds) * Math.max(sampleRateHz, LOWEST_RATE_HZ) * FRAME_BYTES)
    const attemptFolder = path.join(deps.tmp, deps.random.newUuid())
    await mkdir(attemptFolder, { mode: 0o700 })
    try {
      const [platform] = settings.platforms
      const songs = { source: song, ...(reference ? { reference } : {}) }
      // The seed of jobs: the same input and settings give the same samples.
      const order = { ...songs, ffmpeg, settings, seed: 0, platform: platform!, attemptFolder }
      return cutOut(await deps.renderAlone(order, signal), cut)
    } finally {
      await rm(attemptFolder, { recursive: true, force: true })
    }
  }
}

/** Largest frame of a master, bytes, and the lowest rate of a master. */
const FRAME_BYTES = 6
const LOWEST_RATE_HZ = 44_100

function cutOut(master: RenderedAlone, { seconds, startSeconds }: Cut): Preview {
  const wav = openWav(master.path)
  try {
    const { sampleRateHz, frames } = wav
    const wantedSeconds = startSeconds ?? loudestStartSeconds(master, seconds)
    const first = Math.min(frames - 1, Math.round(wantedSeconds * sampleRateHz))
    const count = Math.min(frames - first, Math.round(seconds * sampleRateHz))
    return {
      bytes: Buffer.concat([wavHead(wav, count), wav.read(first, count)]),
      startSeconds: first / sampleRateHz,
      integratedLufs: master.integratedLufs,
      gainDb: master.gainDb,
    }
  } finally {
    wav.close()
  }
}

/** Length of the sound that a short-term loudness is of, s. */
const SHORT_TERM_SECONDS = 3

/** Returns the start of the passage of a length with the highest mean short-term loudness, s; 0 for a song that is no longer. Pure. */
export function loudestStartSeconds(
  {
    shortTermLufs,
    stepSeconds,
    durationSeconds,
  }: Pick<RenderedAlone, 'shortTermLufs' | 'stepSeconds' | 'durationSeconds'>,
  seconds: number,
): number {
  const power = shortTermLufs.map((lufs) => (lufs === null ? 0 : 10 ** (lufs / 10)))
  const steps = Math.max(1, Math.round(seconds / stepSeconds))
  // Each value covers the 3 s before it, so the passage's first ones include sound from before the passage.
  const unheard = Math.min(steps - 1, Math.round(SHORT_TERM_SECONDS / stepSeconds) - 1)
  const last = Math.floor((durationSeconds - seconds) / stepSeconds)
  let best = 0
  let most = Number.NEGATIVE_INFINITY
  let sum = power.slice(unheard, steps).reduce((total, value) => total + value, 0)
  for (let first = 0; first <= last; first++) {
    if (sum > most) {
      most = sum
      best = first
    }
    sum += (power[first + steps] ?? 0) - (power[first + unheard] ?? 0)
  }
  return best * stepSeconds
}
