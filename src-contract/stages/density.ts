import { both } from '../text/sentence.ts'
import type { CompressionBand } from './compression-band.ts'
import type { StageSentences } from './sentences.ts'

/** Compressor over the whole band. */
export interface Density {
  readonly kind: 'density'
  readonly compression: CompressionBand
}

/** Decisions about density. */
export const densitySentences = {
  dynamics: {
    DENSITY_RAISED: () =>
      both('The density was raised, so that the limiter need not pump.', '리미터가 출렁이지 않도록 밀도를 높였어요.'),
  },
} satisfies StageSentences
