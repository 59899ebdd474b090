/** Lossy copies of a master for comparison by ear. */
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { inFrames, readLater, readWave } from '../../src-engine/dsp/riff.ts'
import { encodingOptions, type LossyCodec, TIME_LIMIT_SECONDS } from './encode.ts'
import { type Ffmpeg, runFfmpeg } from './ffmpeg.ts'
import { readAt } from './file-bytes.ts'
import { pcmLayout } from './pcm-layout.ts'
import { rateFilter } from './resample.ts'

/** A master within a file, for {@link writeHeardCopy}. */
export interface MasterBytes {
  readonly path: string
  readonly offset: number
  readonly sizeBytes: number
}

/** Returns rate and length of a master. Throws the system's error, and an Error if it is not a WAV. */
async function layoutOf({ path, offset, sizeBytes }: MasterBytes): Promise<{ sampleRateHz: number; frames: number }> {
  const handle = await open(path, 'r')
  try {
    const wave = await readLater(readWave(sizeBytes), (from, length) => readAt(handle, offset + from, length))
    const layout = wave?.format && pcmLayout(wave.format)
    if (!wave || !layout) throw new Error('the master is no WAV')
    const bytes = inFrames(wave.sound, layout.frameBytes).reduce((sum, { length }) => sum + length, 0)
    return { sampleRateHz: layout.sampleRateHz, frames: bytes / layout.frameBytes }
  } finally {
    await handle.close()
  }
}

/**
 * Encodes a master and writes the listener's copy to `target`: a float WAV of two channels at the master's rate, with as many frames as the
 * master and aligned with it. The coded file is kept beside it meanwhile. Throws a FfmpegError, or the reason of an aborted `signal`, and
 * removes its files then.
 */
export async function writeHeardCopy(
  ffmpeg: Ffmpeg,
  codec: LossyCodec,
  master: MasterBytes,
  target: string,
  signal?: AbortSignal,
): Promise<void> {
  const coded = `${target}.${codec.muxer}`
  const call = { timeLimitSeconds: TIME_LIMIT_SECONDS, givesWay: true, signal }
  const { sampleRateHz, frames } = await layoutOf(master)
  const { path: from, offset, sizeBytes } = master
  const bytes = createReadStream(from, { start: offset, end: offset + sizeBytes - 1 })
  try {
    await runFfmpeg(ffmpeg, {
      ...call,
      operation: `encode ${codec.name}`,
      input: { from: bytes, format: 'wav' },
      outputOptions: encodingOptions(codec),
      output: coded,
    })
    const inPlace = `apad=whole_len=${frames},atrim=end_sample=${frames}`
    await runFfmpeg(ffmpeg, {
      ...call,
      operation: `decode ${codec.name}`,
      input: { from: coded, format: codec.demuxer },
      outputOptions: [
        ...['-map', '0:a:0', '-map_metadata', '-1', '-ac', '2'],
        ...['-af', `${rateFilter(ffmpeg, sampleRateHz)},${inPlace}`, '-c:a', 'pcm_f32le', '-f', 'wav'],
      ],
      output: target,
    })
  } catch (error) {
    await rm(target, { force: true })
    throw error
  } finally {
    bytes.destroy()
    await rm(coded, { force: true })
  }
}
