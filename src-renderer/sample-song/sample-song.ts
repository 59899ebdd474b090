/** The sample song for the first try: a file beside the page, which `scripts/sample-song` renders from its score. */
import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import type { Repair } from '../../src-contract/report.ts'
import { TEXTS } from '../text/context.tsx'

const stemOf = (filename: string): string => filename.replace(/\.[^.]*$/, '')

/** Returns true for a name that the sample song has, or had as a WAV in earlier versions, in any language. */
export const isSampleName = (filename: string | undefined): boolean =>
  Object.values(TEXTS).some(({ first }) => stemOf(first.sampleName) === stemOf(filename ?? ''))

/** The repairs that the advice on the song speaks of. */
const SPOKEN_OF: readonly RepairKind[] = ['mud', 'mono_bass']

/** Returns true for a master of the sample song in which what the advice speaks of was repaired: other settings may leave it. */
export const isCuredSample = (filename: string, repairs: readonly Repair[]): boolean =>
  isSampleName(filename) && SPOKEN_OF.every((kind) => repairs.some((repair) => repair.kind === kind))

/** Fetches the sample song, which the page carries, as a file of this name. Rejects where the service does not answer. */
export async function fetchSampleSong(filename: string): Promise<File> {
  const response = await fetch(new URL('./sample-song.flac', import.meta.url))
  if (!response.ok) throw new Error(`the sample song answers ${response.status}`)
  return new File([await response.blob()], filename, { type: 'audio/flac' })
}
