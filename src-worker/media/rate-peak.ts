/** True peak of a file after the conversion of its rate that services make. */
import { gainToDb } from '../../src-engine/dsp/units.ts'
import { demuxerOf, type SoundFile } from './encode-file.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, runFfmpeg } from './ffmpeg.ts'
import { rateFilter } from './resample.ts'

/** A measurement of ffmpeg's: the highest peak of a channel so far, linear, at four times 44.1 kHz and more (EBU R 128). */
const TRUE_PEAK = /^lavfi\.r128\.true_peaks_ch\d+=(\S+)$/gm

/**
 * Returns the true peak of a file at another rate, dBTP; −Infinity for silence. Throws a FfmpegError, also if this ffmpeg cannot measure
 * it, or the reason of an aborted `signal`.
 */
export async function truePeakAtRate(
  ffmpeg: Ffmpeg,
  { path, container }: Pick<SoundFile, 'path' | 'container'>,
  sampleRateHz: number,
  signal?: AbortSignal,
): Promise<number> {
  let peak = 0
  let unread = ''
  await runFfmpeg(ffmpeg, {
    operation: 'measure the peak at another rate',
    input: { from: path, format: demuxerOf(container) },
    outputOptions: [
      ...['-map', '0:a:0', '-af'],
      `${rateFilter(ffmpeg, sampleRateHz)},ebur128=peak=true:metadata=1,ametadata=mode=print:file=-`,
      ...['-f', 'null'],
    ],
    output(chunk) {
      const lines = (unread + Buffer.from(chunk).toString('latin1')).split('\n')
      unread = lines.pop()!
      for (const [, value] of lines.join('\n').matchAll(TRUE_PEAK)) peak = Math.max(peak, Number(value))
    },
    timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    givesWay: true,
    signal,
  })
  return gainToDb(peak)
}
