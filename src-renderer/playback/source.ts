/** Sources of sound: the one module that opens each kind. */
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { CopyCodec } from '../../src-contract/codecs.ts'
import { RELEASE } from '../../src-contract/delivery-target.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import { isNotReached } from '../state/refusal.ts'
import { joinParts, type SequencePart } from './sequence.ts'
import { type OpenFile, openSoundFile, placeTrack, type Track } from './track.ts'
import type { WavLayout } from './wav.ts'

/** A single-file source. */
export type FileSource =
  /** A stored original. */
  | { readonly kind: 'song'; readonly sourceId: string }
  /** A file of a finished job. Without `file`, the master for all services, or the first platform's. */
  | {
      readonly kind: 'master'
      readonly jobId: string
      readonly file?: Platform | typeof RELEASE | 'source' | 'reference' | undefined
    }
  /** A master after a codec. */
  | { readonly kind: 'copy'; readonly jobId: string; readonly platform: Platform; readonly codec: CopyCodec }
  /** A song with its sound, before a job. */
  | { readonly kind: 'audition'; readonly auditionId: string; readonly isExact: boolean; readonly layout: WavLayout }

export type PlaybackSource =
  | FileSource
  /** The tracks of a release in their order. */
  | { readonly kind: 'sequence'; readonly readParts: () => Promise<readonly SequencePart[]> }

/** Position of a source among the others. */
export interface SourcePlace {
  readonly rateHz: number
  /** Start position of the source in the song, s. */
  readonly startSeconds?: number | undefined
}

/** Opens a source until `signal` fires. Rejects with the error of reading it. */
export async function openSource(
  client: Client,
  source: PlaybackSource,
  { rateHz, startSeconds = 0 }: SourcePlace,
  signal: AbortSignal,
): Promise<Track> {
  if (source.kind === 'sequence') return joinParts(await source.readParts())
  const layout = source.kind === 'audition' ? source.layout : undefined
  const file = await openSoundFile(fileOpener(client, source, signal), { layout })
  return placeTrack(await file.track(rateHz), Math.round(startSeconds * rateHz))
}

/** Interval between read attempts while the program is away, ms. */
const AWAY_MS = 1000

/**
 * Returns the opener of a file, which retries while the program is away, until `signal` fires. It throws the ApiError
 * of a refusal.
 */
export function fileOpener(client: Client, source: FileSource, signal: AbortSignal): OpenFile {
  const request = requestOf(client, source)
  return async (range) => {
    const headers: Record<string, string> = range ? { Range: `bytes=${range.from}-${range.to - 1}` } : {}
    for (;;) {
      try {
        const answer = await request({ headers, signal })
        return new Response(await answer.arrayBuffer(), answer)
      } catch (error) {
        // Any error other than ApiError is a broken response.
        if (signal.aborted || (error instanceof ApiError && !isNotReached(error.code))) throw error
        await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
      }
    }
  }
}

interface FileRequest {
  readonly headers: Record<string, string>
  readonly signal: AbortSignal
}

/** Returns the call that answers with the bytes of a file. */
function requestOf(client: Client, source: FileSource): (request: FileRequest) => Promise<Response> {
  switch (source.kind) {
    case 'song':
      return (request) => client.open('readSourceFile', { params: { source_id: source.sourceId }, ...request })
    case 'master': {
      const { jobId: job_id } = source
      let { file }: { file?: typeof source.file } = source
      return async (request) => {
        file ??= await mainMaster(client, job_id)
        return client.open('readJobFile', { params: { job_id, file }, ...request })
      }
    }
    case 'copy': {
      const { jobId: job_id, platform, codec } = source
      return (request) => client.open('readCodedCopy', { params: { job_id, platform, codec }, ...request })
    }
    case 'audition': {
      const call = source.isExact ? 'readExact' : 'readEstimate'
      return (request) => client.open(call, { params: { audition_id: source.auditionId }, ...request })
    }
  }
}

/** Returns the file of a job's master for all services, else that of its first platform. */
async function mainMaster(client: Client, job_id: string): Promise<Platform | typeof RELEASE> {
  const { release, results } = await client.call('readJob', { params: { job_id } })
  return release ? RELEASE : (results?.[0]?.platform ?? RELEASE)
}
