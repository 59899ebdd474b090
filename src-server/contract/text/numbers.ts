/** How measured numbers are written in sentences and reports: minus U+2212, fixed decimals, nothing for what was not measured. */

/** A level: `−14.00`; −0 is 0; an en dash for null. */
export function decibels(value: number | null | undefined, decimals = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  const text = Math.abs(value).toFixed(decimals)
  return value < 0 && Number(text) !== 0 ? `−${text}` : text
}

/** A change: always with its sign, `+2.7` or `−3.1`; 0 has none. */
export function change(value: number | null | undefined, decimals = 1): string {
  const text = decibels(value, decimals)
  return (value ?? 0) > 0 && Number(text) !== 0 ? `+${text}` : text
}

/** How many there are: `1,721`. */
export function count(value: number): string {
  return value.toLocaleString('en')
}

/** A sample rate as it is named: `44.1 kHz`, `22.05 kHz`. */
export function sampleRate(hz: number): string {
  return `${hz / 1000} kHz`
}

/** What a musician calls a codec: `Opus 160 kbit/s`, without the encoder that stands behind it in brackets. */
export function codecLabel(codec: string | number | undefined): string {
  return String(codec ?? '').replace(/ \(.*\)$/, '')
}

/** A frequency: `240 Hz`, `6.4 kHz`. */
export function frequency(hz: number): string {
  if (hz < 1000) return `${Math.round(hz)} Hz`
  return `${(hz / 1000).toFixed(hz % 1000 === 0 ? 0 : 1)} kHz`
}
