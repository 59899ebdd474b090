import { expect, it } from 'vitest'
import type { MasterResult } from '../../../src-contract/report.ts'
import { masterWarnings } from '../../../src-worker/mastering/warnings.ts'

it('a warning of a codec states the worst reading of its encoders, and each codec once', () => {
  const check = (codec: string, true_peak_dbtp: number) => ({ codec, true_peak_dbtp, ceiling_lowered_db: 0 })
  const result = {
    platform: 'spotify',
    verdict: 'on_target',
    target_lufs: -14,
    integrated_lufs: -14,
    codec_checks: [
      check('AAC 256 kbit/s (ffmpeg aac, fast coder)', 0.2),
      check('AAC 256 kbit/s (ffmpeg aac, twoloop coder)', 2.534),
      check('Vorbis quality 9 (ffmpeg libvorbis)', 0.07),
      // Full scale itself is not above it.
      check('MP3 320 kbit/s (ffmpeg libmp3lame, quality 7)', 0),
    ],
  } as unknown as MasterResult
  expect(masterWarnings([result]).map(({ values }) => values)).toEqual([
    { codec: 'AAC 256 kbit/s (ffmpeg aac, twoloop coder)', truePeakDbtp: 2.53 },
    { codec: 'Vorbis quality 9 (ffmpeg libvorbis)', truePeakDbtp: 0.07 },
  ])
})
