/**
 * What a recipe of the mastering chain says: an ordered list of processing stages with their settings, plain data. The planner
 * writes it from measurements, the chain carries it out, the report may show it. Types only.
 */

/** Raised whenever the same settings would sound different. */
type RecipeVersion = 1

/** One section of a parametric equaliser, after R. Bristow-Johnson's Audio EQ Cookbook. */
export interface EqualiserSection {
  readonly shape: 'peak' | 'high_shelf'
  /** 10 Hz to 0.45 of the sample rate. */
  readonly frequencyHz: number
  /** −12 to 12. */
  readonly gainDb: number
  /** 0.3 to 12. */
  readonly q: number
}

/** Gain over frequency: points ascending in frequency, straight lines between them on a logarithmic axis, flat outside. */
export interface GainCurve {
  readonly frequencyHz: readonly number[]
  /** −12 to 12 each. */
  readonly gainDb: readonly number[]
}

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

/** A band that is turned down, in mid and in side, while it stands out against another band. */
export interface DynamicCut {
  readonly repair: 'resonance' | 'sibilance'
  /** The band: 1 000 to 16 000 Hz. */
  readonly frequencyHz: number
  /** 0.5 to 30. */
  readonly q: number
  /** What it is compared with; both are weighed by their width. */
  readonly referenceHz: number
  readonly referenceQ: number
  /** Band-passes in a row that make the reference: three where the loud band must not leak into it. */
  readonly referenceSections: 1 | 3
  /** How far the band's density may stand above the reference's before it is turned down: −30 to 30. */
  readonly toleranceDb: number
  /** 1 to 500. */
  readonly attackMs: number
  readonly releaseMs: number
  /** Most that mid and side are turned down: 0 to 6 each. */
  readonly maxMidCutDb: number
  readonly maxSideCutDb: number
}

/** Where one channel was cut off. Levels are linear; the negative one is below 0; null where the side is not clipped. */
export interface ClipLevels {
  readonly positive: number | null
  readonly negative: number | null
}

/**
 * Clicks of one channel as [first frame, frame after the last], ascending; frames at the rate of the song's file (above 192 kHz at
 * the engine's).
 */
export type ClickRanges = readonly (readonly [number, number])[]

/** A stage that edits single samples, each channel by its own settings: of the song at the rate of its file, before any conversion. */
type SampleEdit =
  | { readonly kind: 'remove_dc'; readonly offsets: readonly number[] }
  | { readonly kind: 'declip'; readonly levels: readonly ClipLevels[] }
  | { readonly kind: 'declick'; readonly clicks: readonly ClickRanges[] }

export type RecipeStage =
  | SampleEdit
  | {
      readonly kind: 'rumble_filter'
      /** Of a high-pass, 3 to 40: where it has −6 dB with order 8, −3 dB with order 1. */
      readonly frequencyHz: number
      /** 8, without a shift in phase, for rumble; 1 for an offset that moves. */
      readonly order: 1 | 8
      /** Whether it is there for rumble, not for an offset alone. */
      readonly isAgainstRumble: boolean
    }
  | {
      readonly kind: 'mono_bass'
      /** Below this the two channels become one: 40 to 200. */
      readonly frequencyHz: number
      /** Whose bass both have then. */
      readonly from: 'left' | 'right'
    }
  /** The same in both channels. */
  | { readonly kind: 'equalise'; readonly sections: readonly EqualiserSection[] }
  | {
      /** Minimum-phase filter that follows a curve in mid and in side. */
      readonly kind: 'match'
      readonly mid: GainCurve
      readonly side: GainCurve
    }
  | { readonly kind: 'dynamic_cut'; readonly cuts: readonly DynamicCut[] }
  | { readonly kind: 'density'; readonly compression: CompressionBand }
  | {
      readonly kind: 'multiband'
      /** Between the bands, ascending, Hz; one fewer than bands. */
      readonly crossoversHz: readonly number[]
      readonly bands: readonly CompressionBand[]
    }

/** A recipe for everything before the clipper and the limiter. An empty list of stages leaves the audio bit for bit as it is. */
export interface Recipe {
  readonly version: RecipeVersion
  readonly stages: readonly RecipeStage[]
}
