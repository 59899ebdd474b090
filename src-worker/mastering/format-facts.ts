/** Members of the report about files of further formats. Pure. */
import type { Format } from '../../src-contract/formats.ts'
import type { FormatFile, MasterResult, ReleaseResult } from '../../src-contract/report.ts'
import type { MadeFile } from './format-files.ts'
import type { RenderedMaster } from './render-master.ts'

/**
 * Returns a result with its files in further formats, in the requested order; unchanged if no format was requested. A requested format
 * without a file of its own is the master.
 */
export function withFormatFiles<Result extends ReleaseResult | MasterResult>(
  result: Result,
  formats: readonly Format[],
  made: readonly (MadeFile & { readonly file: string })[],
  master: RenderedMaster,
): Result {
  if (formats.length === 0) return result
  const files = formats.map((format) => {
    const one = made.find((file) => file.format === format)
    return one ? formatFile(one) : masterAsFile(format, result, master)
  })
  return { ...result, files }
}

function formatFile({ reading, gainDb, ...made }: MadeFile & { readonly file: string }): FormatFile {
  return {
    format: made.format,
    file: made.file,
    size_bytes: made.sizeBytes,
    sha256: made.sha256,
    ...(made.encoder === undefined ? {} : { encoder: made.encoder }),
    sample_rate_hz: made.sampleRateHz,
    ...(made.bitDepth === undefined ? {} : { bit_depth: made.bitDepth }),
    frames: reading.frames,
    integrated_lufs: reading.integratedLufs,
    true_peak_dbtp: reading.truePeakDbtp,
    sample_peak_dbfs: reading.samplePeakDbfs,
    gain_db: gainDb,
  }
}

function masterAsFile(
  format: Format,
  result: Omit<MasterResult, 'platform' | 'playback'>,
  { durationSeconds, measurement }: RenderedMaster,
): FormatFile {
  const { file, size_bytes, sha256, sample_rate_hz, bit_depth, integrated_lufs, true_peak_dbtp } = result
  return {
    ...{ format, file, size_bytes, sha256, sample_rate_hz, bit_depth, integrated_lufs, true_peak_dbtp },
    frames: Math.round(durationSeconds * sample_rate_hz),
    sample_peak_dbfs: measurement.samplePeakDbfs,
    gain_db: 0,
  }
}
