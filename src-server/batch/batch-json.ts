/** The batch and its songs as JSON of the API. */
import type { Batch, BatchSong } from '../../src-contract/app.ts'
import { errorText, type Language } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import { AppError } from '../http/app-error.ts'
import type { SourceJobs } from '../jobs/source-jobs.ts'
import type { BatchCommon, BatchRow } from './batch-store.ts'
import type { Sources } from './sources.ts'

/**
 * Returns one song as JSON (schema `BatchSong`); its analysis is inserted as the JSON text that is kept of it. Throws NOT_FOUND for a
 * song that is not stored.
 */
export function songToJson(
  { sources, sourceJobs }: { readonly sources: Sources; readonly sourceJobs: Pick<SourceJobs, 'listOf'> },
  song: BatchRow,
  language: Language,
): string {
  const source = sources.show(song.sourceId)
  if (!source) throw new AppError('NOT_FOUND')
  const { batchId, error, settings, state, metadata, cover } = song
  const shown: Omit<BatchSong, 'analysis'> = {
    source,
    state,
    settings,
    metadata,
    ...(cover ? { cover } : {}),
    job_ids: sourceJobs.listOf(song.sourceId),
    ...(batchId === null ? {} : { batch_id: batchId }),
    ...(error ? { error: errorToWire(error, language) } : {}),
  }
  return withMember(shown, 'analysis', sources.summaryJson(song.sourceId, language))
}

/** Returns the batch as JSON (schema `Batch`) with its songs, each as JSON already. */
export function batchToJson({ isPaused, settings, presets }: BatchCommon, songs: readonly string[]): string {
  const shown: Omit<Batch, 'songs'> = { is_paused: isPaused, settings, presets: [...presets] }
  return withMember(shown, 'songs', `[${songs.join(',')}]`)
}

/** Returns the JSON of a non-empty object with one more member, whose value is JSON already. */
function withMember(object: object, name: string, json: string): string {
  return `${JSON.stringify(object).slice(0, -1)},"${name}":${json}}`
}

function errorToWire(
  { code, values }: NonNullable<BatchRow['error']>,
  language: Language,
): NonNullable<BatchSong['error']> {
  return { code, message: errorText(code, values, language), values: toWireValues(values) }
}
