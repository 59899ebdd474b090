/** Meter columns: zones, scales and labels. Pure. */

/** A scale from top to bottom in dB. */
export interface MeterScale {
  readonly topDb: number
  readonly bottomDb: number
}

export const LOUDNESS_SCALE: MeterScale = { topDb: 0, bottomDb: -36 }
export const PEAK_SCALE: MeterScale = { topDb: 3, bottomDb: -24 }

/** Boundaries between under and near, and between near and over. */
export interface MeterZones {
  readonly nearDb: number
  readonly overDb: number
}

/**
 * Excess over the target from which each window counts as over, LU. A song on its target has louder moments: EBU R 128
 * s1 allows 8 LU for 400 ms and 5 LU for 3 s. If playback begins in a chorus, the integrated loudness is that of a
 * passage too.
 */
const OVER_LU = { M: 8, S: 5, I: 5 } as const

/** Loudness is near from 3 LU below the target. */
export function loudnessZones(targetLufs: number, window: keyof typeof OVER_LU): MeterZones {
  return { nearDb: targetLufs - 3, overDb: targetLufs + OVER_LU[window] }
}

/** Peaks are near from 5 dB below the ceiling and over above it. */
export function peakZones(ceilingDbtp: number): MeterZones {
  return { nearDb: ceilingDbtp - 5, overDb: ceilingDbtp }
}

/** Returns the pixel of a level in a track from `top` to `bottom`, clamped to it. −Infinity is the bottom. */
export function meterY(levelDb: number, { topDb, bottomDb }: MeterScale, top: number, bottom: number): number {
  const held = Math.max(bottomDb, Math.min(topDb, levelDb))
  return top + ((topDb - held) / (topDb - bottomDb)) * (bottom - top)
}

export interface MeterPart {
  readonly y: number
  readonly height: number
}

export interface MeterColumn {
  readonly under: MeterPart
  readonly near: MeterPart
  readonly over: MeterPart
}

/** Gap between two zones, px, which separates them without colour. */
const GAP = 2

/** Returns the three zones of a column filled up to `levelDb`; an unreached zone has height 0. */
export function meterColumn(
  levelDb: number,
  { nearDb, overDb }: MeterZones,
  scale: MeterScale,
  top: number,
  bottom: number,
): MeterColumn {
  const y = (db: number) => meterY(db, scale, top, bottom)
  const part = (from: number, to: number, gap: number): MeterPart => {
    const upper = y(Math.min(levelDb, to))
    const lower = y(from) - gap
    return { y: upper, height: levelDb > from ? Math.max(0, lower - upper) : 0 }
  }
  return {
    under: part(scale.bottomDb, nearDb, 0),
    near: part(nearDb, overDb, GAP),
    over: part(overDb, scale.topDb, GAP),
  }
}
