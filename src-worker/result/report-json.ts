import type { Report } from '../../src-contract/report.ts'

/** Decimals that mean something: meters are good to 0.01, and every digit is stored for each point of each curve. */
const DECIMALS = 3
const CURVE_DECIMALS = 2

/**
 * Returns the same report with numbers rounded to 3 decimals (curves: 2) and with null for levels that are not finite, as JSON has
 * no −∞. Never throws.
 */
export function roundReport(report: Report): Report {
  return rounded(report, DECIMALS) as Report
}

function rounded(value: unknown, decimals: number): unknown {
  if (typeof value === 'number') return roundNumber(value, decimals)
  if (Array.isArray(value)) return value.map((item) => rounded(item, decimals))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      // Numbers in a list are those of a curve.
      rounded(member, Array.isArray(member) ? CURVE_DECIMALS : DECIMALS),
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
  // Lists of plain numbers on one line: a curve of six hundred lines helps nobody.
  return `${text.replace(/\[\s+((?:-?[\d.e+-]+|null)(?:,\s+(?:-?[\d.e+-]+|null))*)\s+\]/g, (_, list: string) => `[${list.replace(/\s+/g, ' ')}]`)}\n`
}
