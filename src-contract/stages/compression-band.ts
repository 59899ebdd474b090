/** Settings of one band of a compressor. */
export interface CompressionBand {
  /** Threshold of the band, dBFS of its mean square; it follows the level of the song. */
  readonly thresholdDb: number
  /** 1 to 8; 1 disables the band. */
  readonly ratio: number
  /** 0 to 24. */
  readonly kneeDb: number
  /** 0.5 to 200. */
  readonly attackMs: number
  /** 10 to 2000. */
  readonly releaseMs: number
  /** Most the band is ever turned down: 0 to 12. */
  readonly maxReductionDb: number
}
