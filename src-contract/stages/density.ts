import { both, db } from '../text/sentence.ts'
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
    // Reports from before 1.27.0 name no density: it was planned from the song.
    DENSITY_RAISED: (v) =>
      v.density === undefined
        ? both(
            'The density was raised, so that the limiter need not pump.',
            '리미터가 출렁이지 않도록 밀도를 높였어요.',
          )
        : both(
            `The density was raised as set: the highest peaks come down by up to ${db(v.mostReductionDb)}.`,
            `설정대로 밀도를 높였어요. 가장 높은 피크가 최대 ${db(v.mostReductionDb)} 내려가요.`,
          ),
  },
} satisfies StageSentences
