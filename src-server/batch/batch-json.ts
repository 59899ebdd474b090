/** The batch and its songs as JSON of the API. */
import type { Batch, BatchSong } from '../../src-contract/app.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { errorText } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import { isoTime } from '../../src-system/system.ts'
import { AppError } from '../http/app-error.ts'
import type { SourceJobs } from '../jobs/source-jobs.ts'
import type { Sources } from '../sources/sources.ts'
import type { BatchCommon, BatchRow } from './batch-store.ts'

/**
 * Returns songs as JSON (schema `BatchSong`), in their order; the analysis of each is inserted as the JSON text that is kept of it. Throws
 * NOT_FOUND for a song that is not stored.
 */
export function songsToJson(
  {
    sources,
    sourceJobs,
    nowMs,
  }: {
    readonly sources: Sources
    readonly sourceJobs: Pick<SourceJobs, 'listOf' | 'newestBefore'>
    readonly nowMs: number
  },
  songs: readonly BatchRow[],
  language: Language,
): string[] {
  const stored = songs.map((song) => {
    const source = sources.show(song.sourceId)
    if (!source) throw new AppError('NOT_FOUND')
    return { song, source }
  })
  const contents = stored.map(({ source }) => ({ sourceId: source.source_id, sha256: source.sha256 }))
  const earlier = sourceJobs.newestBefore(contents, nowMs)
  return stored.map(({ song, source }) => {
    const { batchId, error, settings, state, metadata, cover, sourceId } = song
    const before = earlier.get(sourceId)
    const stemCount = sources.stems.countOf(sourceId)
    const shown: Omit<BatchSong, 'analysis'> = {
      source,
      state,
      settings,
      metadata,
      ...(cover ? { cover } : {}),
      ...(stemCount > 0 ? { stem_count: stemCount } : {}),
      job_ids: sourceJobs.listOf(sourceId),
      ...(before ? { mastered_before: { job_id: before.jobId, finished_at: isoTime(before.endedAtMs) } } : {}),
      ...(batchId === null ? {} : { batch_id: batchId }),
      ...(error ? { error: errorToWire(error, language) } : {}),
    }
    return withMembers(shown, { analysis: sources.summaryJson(sourceId, language) })
  })
}

/** Returns the batch as JSON (schema `Batch`) with its songs and those of releases, each as JSON already. */
export function batchToJson(
  { isPaused, settings, presets }: BatchCommon,
  songs: readonly string[],
  releaseSongs: readonly string[],
): string {
  const shown: Omit<Batch, 'songs' | 'release_songs'> = { is_paused: isPaused, settings, presets: [...presets] }
  return withMembers(shown, { songs: `[${songs.join(',')}]`, release_songs: `[${releaseSongs.join(',')}]` })
}

/** Returns the JSON of a non-empty object with further members, whose values are JSON already. */
function withMembers(object: object, members: Readonly<Record<string, string>>): string {
  const further = Object.entries(members).map(([name, json]) => `,"${name}":${json}`)
  return `${JSON.stringify(object).slice(0, -1)}${further.join('')}}`
}

function errorToWire(
  { code, values }: NonNullable<BatchRow['error']>,
  language: Language,
): NonNullable<BatchSong['error']> {
  return { code, message: errorText(code, values, language), values: toWireValues(values) }
}
