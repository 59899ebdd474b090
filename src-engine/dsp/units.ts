/**
 * `base` to the power of `exponent`, base > 0, by V8's own logarithm and exponential, which give the same bits on every machine. With other
 * than small integer exponents, `**` and Math.pow use the system's library, which differs between machines in the last bits. Never throws.
 */
export function power(base: number, exponent: number): number {
  return Math.exp(exponent * Math.log(base))
}

/** 10 to the power of `exponent`, as {@link power}. Never throws. */
export function powerOfTen(exponent: number): number {
  return Math.exp(exponent * Math.LN10)
}

/** Level in dB (or dBFS, dBTP) of a linear amplitude: 20·log10. 0 gives −Infinity; never throws. */
export function gainToDb(gain: number): number {
  return 20 * Math.log10(gain)
}

/** Linear amplitude of a level in dB. −Infinity gives 0; never throws. */
export function dbToGain(db: number): number {
  return powerOfTen(db / 20)
}

/** Level in dB of a power or energy ratio: 10·log10. 0 gives −Infinity; never throws. */
export function powerToDb(power: number): number {
  return 10 * Math.log10(power)
}

/** Power or energy ratio of a level in dB. −Infinity gives 0; never throws. */
export function dbToPower(db: number): number {
  return powerOfTen(db / 10)
}

/** Value rounded to `decimals`, for display. */
export function rounded(value: number, decimals = 1): number {
  return Number(value.toFixed(decimals))
}

/** The value, or null for infinities and NaN, which JSON lacks; silence has no level. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** Value held inside [low, high]; NaN gives low. */
export function clamp(value: number, low: number, high: number): number {
  return value > low ? (value < high ? value : high) : low
}

/** Linear interpolation from `from` (t = 0) to `to` (t = 1); t is not clamped. */
export function mix(from: number, to: number, t: number): number {
  return from + (to - from) * t
}

/** Rises from 0 at `from` to 1 at `to`, smoothly. */
export function rise(value: number, from: number, to: number): number {
  const t = clamp((value - from) / (to - from), 0, 1)
  return t * t * (3 - 2 * t)
}
