import type { RepairKind } from '../repair-kinds.ts'
import type { Repair } from '../report.ts'
import { change, decibels } from './numbers.ts'

const removed: readonly RepairKind[] = ['dc_offset', 'clicks']
const below: readonly RepairKind[] = ['rumble', 'mono_bass']

/** Returns the amount of a repair: the removed level, `−35.5 dBFS`, or the change, `−3.1 dB`; undefined without an amount. */
export function repairAmount({ kind, amount_db }: Repair): string | undefined {
  if (amount_db === undefined) return undefined
  return removed.includes(kind) ? `${decibels(amount_db, 1)} dBFS` : `${change(amount_db)} dB`
}

/** Returns whether a repair works below its frequency. */
export function worksBelow({ kind }: Repair): boolean {
  return below.includes(kind)
}
