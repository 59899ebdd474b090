/** Formatting of numbers in sentences and reports: minus U+2212, fixed decimals, a dash for missing values. */

/** A level: `−14.00`; −0 is 0; an en dash for null. */
export function decibels(value: number | null | undefined, decimals = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  const text = Math.abs(value).toFixed(decimals)
  return value < 0 && Number(text) !== 0 ? `−${text}` : text
}

/** Formats a change, always with its sign, `+2.7` or `−3.1`; 0 has no sign. */
export function change(value: number | null | undefined, decimals = 1): string {
  const text = decibels(value, decimals)
  return (value ?? 0) > 0 && Number(text) !== 0 ? `+${text}` : text
}

/** Keeps numbers and their units on one line: `22.05 kHz`, `3 dB`. */
export function unbroken(text: string): string {
  return text.replace(/(\d) (?=\p{L})/gu, '$1\u00a0')
}

/** Returns a count with separators: `1,721`. */
export function count(value: number): string {
  return value.toLocaleString('en')
}

/** Formats a sample rate: `44.1 kHz`, `22.05 kHz`. */
export function sampleRate(hz: number): string {
  return `${hz / 1000} kHz`
}

/** Returns the short name of a codec: `Opus 160 kbit/s`, without the encoder in brackets. */
export function codecLabel(codec: string | number | undefined): string {
  return String(codec ?? '').replace(/ \(.*\)$/, '')
}

/** A frequency: `240 Hz`, `6.4 kHz`. */
export function frequency(hz: number): string {
  if (hz < 1000) return `${Math.round(hz)} Hz`
  return `${(hz / 1000).toFixed(hz % 1000 === 0 ? 0 : 1)} kHz`
}

const NOMINAL = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8, 10]

/** The nominal frequency of a third octave as an axis has it: 63, 250, 1k, 12.5k (IEC 61260-1 rounds centres to these). */
export function nominalHz(hz: number): string {
  const [scaled, unit] = hz >= 995 ? [hz / 1000, 'k'] : [hz, '']
  const decade = 10 ** Math.floor(Math.log10(scaled) + 0.02)
  const digit = NOMINAL.reduce((a, b) => (Math.abs(b - scaled / decade) < Math.abs(a - scaled / decade) ? b : a))
  return `${Number((digit * decade).toPrecision(3))}${unit}`
}

/** The same with its unit, for a sentence: `63 Hz`, `12.5 kHz`. */
export function nominalName(hz: number): string {
  const text = nominalHz(hz)
  return text.endsWith('k') ? `${text.slice(0, -1)} kHz` : `${text} Hz`
}

/** Minutes and whole seconds, cut off rather than rounded: `1:14`. */
export function clock(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds) + 1e-6)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** Minutes, seconds and tenths, cut off: `1:14.6`. */
export function clockTenths(seconds: number): string {
  const tenths = Math.floor(Math.max(0, seconds) * 10 + 1e-6)
  return `${clock(tenths / 10)}.${tenths % 10}`
}

/**
 * Returns the length of a song, to the nearest second: `3:28`; below one second with tenths, rounded down, `0:00.5`, which keeps a song
 * that is too short from looking long enough.
 */
export function playingTime(seconds: number): string {
  return seconds < 1 ? clockTenths(seconds) : clock(Math.round(seconds))
}
