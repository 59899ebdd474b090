/** Batches and their songs in answers. Pure. */
import type { Manifest, ManifestSong } from '../../src-contract/batches.ts'
import { ERRORS, type ErrorCode, type FailureCode } from '../../src-contract/errors.ts'
import { CREDITS_PER_JOB } from '../../src-contract/plans.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { errorText, failureText } from '../../src-contract/text/text.ts'
import { isoTime } from '../../src-system/system.ts'
import type { BulkBatchRecord, BulkStore, SongError, SongRecord } from './store.ts'

/** Returns a batch; `room` is the current balance and disk space. */
export function manifestPayload(
  manifest: BulkBatchRecord,
  { songs, waitingBytes }: ReturnType<BulkStore['counts']>,
  room: { readonly balance: number; readonly freeBytes: number },
): Manifest {
  const total = Object.values(songs).reduce((sum, count) => sum + count, 0)
  const ended = songs.done + songs.failed + songs.cancelled
  return {
    batch_id: manifest.batchId,
    status: manifest.state,
    ...(manifest.pauseReason === null ? {} : { paused_because: manifest.pauseReason }),
    delivery: manifest.head.delivery ?? 'zip',
    songs: { total, ...songs },
    progress: Math.floor((100 * ended) / total),
    credits_needed: songs.waiting * CREDITS_PER_JOB,
    credits_remaining: room.balance,
    bytes_needed: waitingBytes,
    bytes_free: room.freeBytes,
    created_at: isoTime(manifest.createdAtMs),
    ...(manifest.endedAtMs === null ? {} : { ended_at: isoTime(manifest.endedAtMs) }),
  }
}

/** Returns a row of the result table. */
export function songPayload(song: SongRecord, language: Language): ManifestSong {
  const { line, outcome, error, jobId } = song
  return {
    line: song.place,
    status: song.state,
    ...(line.path === undefined ? {} : { path: line.path }),
    ...(line.source_id === undefined ? {} : { source_id: line.source_id }),
    ...(line.job_id === undefined ? {} : { source_job_id: line.job_id }),
    ...(jobId === null ? {} : { job_id: jobId }),
    ...(outcome ? { title: outcome.title, masters: [...outcome.masters] } : {}),
    ...(outcome?.folder === undefined ? {} : { folder: outcome.folder }),
    ...(error ? { error_code: error.code, error_message: messageOf(error, language) } : {}),
  }
}

function messageOf({ code, values }: SongError, language: Language): string {
  return code in ERRORS
    ? errorText(code as ErrorCode, values, language)
    : failureText(code as FailureCode, values, language)
}
