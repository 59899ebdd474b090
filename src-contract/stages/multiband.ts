import { both } from '../text/sentence.ts'
import type { CompressionBand } from './compression-band.ts'
import type { StageSentences } from './sentences.ts'

/** Compressor of several bands. */
export interface Multiband {
  readonly kind: 'multiband'
  /** Between the bands, ascending, Hz; one fewer than bands. */
  readonly crossoversHz: readonly number[]
  readonly bands: readonly CompressionBand[]
}

/** Decisions about prominent bands. */
export const multibandSentences = {
  dynamics: {
    BANDS_COMPRESSED: () => both('Bands that stand out were compressed gently.', '튀는 대역을 부드럽게 압축했어요.'),
  },
} satisfies StageSentences
