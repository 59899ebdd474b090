/** Settings of one band of a compressor. */
export interface CompressionBand {
  /** Level of the band, dBFS of its mean square, above which it is turned down: as low or high as the song lies. */
  readonly thresholdDb: number
  /** 1 to 8; 1 leaves the band alone. */
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
