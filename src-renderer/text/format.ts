/** Numbers, sizes, lengths and times in the reader's language. Minus is U+2212 and ranges use an en dash. */

import type { Language } from '../../src-contract/text/language.ts'
import { playingTime } from '../../src-contract/text/numbers.ts'

const LOCALE: Record<Language, string> = { en: 'en-GB', ko: 'ko-KR' }
const JUST_NOW: Record<Language, string> = { en: 'just now', ko: '방금' }
const DAY_MS = 86_400_000

/** Replaces a hyphen by the minus sign, and drops it before a zero. */
const withMinus = (text: string) => text.replace(/^-(?=.*[1-9])/, '−').replace(/^-/, '')

/** Number of midnights between two moments, in the reader's time zone. */
const daysBetween = (then: Date, now: Date) =>
  Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(then).setHours(0, 0, 0, 0)) / DAY_MS)

/** Creates the formatting functions of a language. They never throw; a missing level is an en dash. */
export function createFormat(language: Language) {
  return { ...createNumberFormat(LOCALE[language]), duration: playingTime, ...createTimeFormat(language) }
}

export type Format = ReturnType<typeof createFormat>

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

function createNumberFormat(locale: string) {
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
  const tenth = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const short = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  return {
    count: (value: number) => whole.format(value),
    /** A measured level with one decimal: −14.0. */
    level: (value: number | null | undefined) => (value == null ? '–' : withMinus(tenth.format(value))),
    /** A target as written: −14, −9.5. */
    target: (value: number) => withMinus(short.format(value)),
    /** A change with its sign: +2.7, −1. */
    signed(value: number) {
      const text = withMinus(short.format(value))
      return value > 0 && text !== '0' ? `+${text}` : text
    },
    /** Bytes in the unit that leaves up to three figures; powers of 1 000, as file managers count. */
    bytes(bytes: number) {
      let value = bytes
      let unit = 0
      while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
        value /= 1000
        unit += 1
      }
      return `${value < 10 && unit > 1 ? short.format(value) : whole.format(value)} ${BYTE_UNITS[unit]}`
    },
  }
}

function createTimeFormat(language: Language) {
  const locale = LOCALE[language]
  const hourAndMinute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const clock = new Intl.DateTimeFormat(locale, hourAndMinute)
  const clockWithSeconds = new Intl.DateTimeFormat(locale, { ...hourAndMinute, second: '2-digit' })
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: language === 'ko' ? 'long' : 'short' })
  const longDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const capital = (text: string) => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)

  /** A day: Today, Yesterday, 21 Oct. */
  function day(iso: string, now: Date) {
    const then = new Date(iso)
    const days = daysBetween(then, now)
    if (days === 0 || days === 1) return capital(relative.format(-days, 'day'))
    return (then.getFullYear() === now.getFullYear() ? shortDay : longDay).format(then)
  }

  return {
    day,
    time: (iso: string) => clock.format(new Date(iso)),
    /** A moment for a log: the time today, otherwise the day. */
    moment(iso: string, now: Date) {
      const then = new Date(iso)
      return daysBetween(then, now) === 0 ? clockWithSeconds.format(then) : day(iso, now)
    },
    /** Time since a moment: 4 min ago. */
    ago(iso: string, now: Date) {
      const seconds = (now.getTime() - new Date(iso).getTime()) / 1000
      if (seconds < 60) return JUST_NOW[language]
      if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute')
      if (seconds < 86_400) return relative.format(-Math.floor(seconds / 3600), 'hour')
      return day(iso, now)
    },
    /** Whole days from now; 0 for a time in the past. */
    daysUntil: (iso: string, now: Date) => Math.max(0, Math.ceil((new Date(iso).getTime() - now.getTime()) / DAY_MS)),
    shortDate: (iso: string) => shortDay.format(new Date(iso)),
  }
}

/** Name of a codec in musicians' terms: `WAV` for any PCM, else its name in `names`, else its own in capitals. */
export function codecName(codec: string, names: Readonly<Record<string, string>>): string {
  return names[codec] ?? (codec.startsWith('pcm') ? 'WAV' : codec.toUpperCase())
}
