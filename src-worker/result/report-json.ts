import type { Pictured, Report } from '../../src-contract/report.ts'

/** Decimals of a number, and of one in a list. */
interface Decimals {
  readonly single: number
  readonly inList: number
}

/** Meaningful decimals: meters are good to 0.01, and every digit is stored for each point of each curve. */
const MEASURED: Decimals = { single: 3, inList: 2 }
/** Decimals of settings: times to less than a sample. */
const PRESCRIBED: Decimals = { single: 6, inList: 6 }

/** Members of a report that contain processing parameters; those of the recipe are not rounded: it is a request. */
const PRESCRIBED_MEMBERS: ReadonlySet<string> = new Set(['settings'])
const WHOLE_MEMBER = 'recipe'

/**
 * Returns the same report, or figures of it, with numbers rounded to 3 decimals (curves: 2, settings: 6, the recipe not at all) and with null for levels that are not
 * finite, as JSON has no −∞. Never throws.
 */
export function roundReport<Part extends Report | Partial<Pictured>>(report: Part): Part {
  return rounded(report, MEASURED) as Part
}

function rounded(value: unknown, decimals: Decimals, isInList = false): unknown {
  if (typeof value === 'number') return roundNumber(value, isInList ? decimals.inList : decimals.single)
  if (Array.isArray(value)) return value.map((item) => rounded(item, decimals, true))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === WHOLE_MEMBER ? member : rounded(member, PRESCRIBED_MEMBERS.has(key) ? PRESCRIBED : decimals),
    ]),
  )
}

function roundNumber(value: number, decimals: number): number | null {
  if (!Number.isFinite(value)) return null
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}

/** Returns the text of report.json: readable, but each curve on one line. */
export function reportJson(report: Report): string {
  const text = JSON.stringify(report, null, 2)
  // Lists of plain numbers go on one line: a curve over six hundred lines is unreadable.
  return `${text.replace(/\[\s+((?:-?[\d.e+-]+|null)(?:,\s+(?:-?[\d.e+-]+|null))*)\s+\]/g, (_, list: string) => `[${list.replace(/\s+/g, ' ')}]`)}\n`
}
