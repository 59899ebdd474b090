/** The sample song for the first try: a file next to the page, rendered from its score by `scripts/sample-song`. */
import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import type { Repair } from '../../src-contract/report.ts'
import { TEXTS } from '../text/context.tsx'

const stemOf = (filename: string): string => filename.replace(/\.[^.]*$/, '')

/** Tells whether a name is the sample song's in any language, including its WAV in earlier versions. */
export const isSampleName = (filename: string | undefined): boolean =>
  Object.values(TEXTS).some(({ first }) => stemOf(first.sampleName) === stemOf(filename ?? ''))

/** The repairs covered by the advice on the song. */
const SPOKEN_OF: readonly RepairKind[] = ['mud', 'mono_bass']

/** Tells whether a master of the sample song has the repairs covered by the advice: other settings may omit them. */
export const isCuredSample = (filename: string, repairs: readonly Repair[]): boolean =>
  isSampleName(filename) && SPOKEN_OF.every((kind) => repairs.some((repair) => repair.kind === kind))

/** Fetches the sample song shipped with the page as a file of this name. Rejects if the service does not answer. */
export async function fetchSampleSong(filename: string): Promise<File> {
  const response = await fetch(new URL('./sample-song.flac', import.meta.url))
  if (!response.ok) throw new Error(`the sample song answers ${response.status}`)
  return new File([await response.blob()], filename, { type: 'audio/flac' })
}
