import type { Repair, RepairKind } from '../report.ts'
import { change, decibels } from './numbers.ts'

const removed: readonly RepairKind[] = ['dc_offset', 'clicks']
const below: readonly RepairKind[] = ['rumble', 'mono_bass']

/** What a repair took: the level of what was removed, `−35.5 dBFS`, or the change, `−3.1 dB`; undefined where it has no amount. */
export function repairAmount({ kind, amount_db }: Repair): string | undefined {
  if (amount_db === undefined) return undefined
  return removed.includes(kind) ? `${decibels(amount_db, 1)} dBFS` : `${change(amount_db)} dB`
}

/** Whether the frequency of a repair is the one from which downwards it works. */
export function worksBelow({ kind }: Repair): boolean {
  return below.includes(kind)
}
