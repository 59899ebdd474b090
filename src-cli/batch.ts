/** `batch FOLDER`: its songs as one manifest, followed to the end, and the result table beside the masters. */
import { createHash } from 'node:crypto'
import { readdir, realpath, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Manifest, ManifestSong } from '../src-contract/batches.ts'
import { type Accept, isFolderSongName, isSongName } from '../src-contract/song-files.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { wordsOf } from './setting-options.ts'
import { writableFolder } from './unpack.ts'
import { unusable } from './unusable-input.ts'

export interface FolderOrder {
  /** Absolute paths. */
  readonly folder: string
  readonly out: string
  readonly platforms: string
  /** Settings as JSON; absent ones have their defaults. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Files that are accepted besides MP3, WAV and FLAC. */
  readonly accept: Accept
  /** True if this command allows both folders. */
  readonly allows: boolean
  /** True to master previously failed songs again. */
  readonly retries: boolean
}

export interface BatchOutcome {
  readonly batch: Manifest
  /** The first twenty failed songs. */
  readonly failed: readonly ManifestSong[]
  /** The result table, once the batch has ended. */
  readonly table?: string
}

/** Messages, signal and progress callback of the command. */
interface Watch {
  readonly messages: Messages
  /** Aborting ends the command, not the batch. */
  readonly signal: AbortSignal
  readonly onProgress: (batch: Manifest) => void
}

/** Pause between two readings of the progress, ms. */
const POLL_INTERVAL_MS = 500
/** Most failed songs listed individually. */
const MAX_TOLD = 20

/**
 * Masters the songs of a folder, recursively. The same command again continues the same batch. Throws ApiError for refusals of the service,
 * for folders that are not allowed, and if there are no songs.
 */
export async function masterFolder(client: ServiceClient, order: FolderOrder, watch: Watch): Promise<BatchOutcome> {
  const { messages } = watch
  const out = await writableFolder(order.out, messages)
  const folder = await realpath(order.folder).catch(() => {
    throw unusable(messages.batch.noFolder(order.folder))
  })
  await requireAllowed(client, [folder, out], order.allows, messages)
  const songs = await songsIn(folder, out, order.accept ? isFolderSongName : isSongName)
  if (songs.length === 0) throw unusable(messages.batch.noSongs(folder))
  const content = new Blob([manifestOf(order, folder, out, songs)])
  const sent = await client.call('createBatch', { files: { manifest: { content, name: 'manifest' } } })
  const params = { batch_id: sent.batch_id }
  if (order.retries) await client.call('retryBatch', { params })
  // A batch waiting for credits or space continues as far as they reach now.
  else if (sent.status === 'paused') await client.call('resumeBatch', { params })
  const batch = await follow(client, sent.batch_id, watch)
  const query = { status: 'failed' as const, limit: MAX_TOLD }
  const { songs: failed } = await client.call('readBatchSongs', { params, query })
  if (batch.status !== 'ended') return { batch, failed }
  const table = path.join(out, `loudsmith-${batch.batch_id.slice(0, 8)}.csv`)
  const csv = await client.open('readBatchSongs', { params, query: { format: 'csv' } })
  await writeFile(table, Buffer.from(await csv.arrayBuffer()))
  return { batch, failed, table }
}

/** Allows missing folders if `allows`; otherwise throws a sentence with the command that allows the first. */
async function requireAllowed(
  client: ServiceClient,
  folders: readonly string[],
  allows: boolean,
  { batch: say }: Messages,
): Promise<void> {
  const { allowed_folders: allowed } = await client.call('readSettings')
  const isAllowed = (folder: string) => allowed.some((one) => folder === one || folder.startsWith(one + path.sep))
  const missing = folders.filter((folder) => !isAllowed(folder))
  if (missing.length === 0) return
  if (!allows) throw unusable(say.notAllowed(missing[0] ?? ''))
  await client.call('changeSettings', { body: { allowed_folders: [...allowed, ...missing] } })
}

/** Returns the songs of a folder, recursively, as sorted relative paths, without the content of `out`. */
async function songsIn(folder: string, out: string, isSong: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(
      (entry) => entry.isFile() && isSong(entry.name) && !`${entry.parentPath}${path.sep}`.startsWith(out + path.sep),
    )
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    .sort()
}

/** Returns the manifest: the same folders, settings and songs have the same batch_id, and are the same batch. */
function manifestOf(order: FolderOrder, folder: string, out: string, songs: readonly string[]): string {
  const head = {
    platforms: wordsOf(order.platforms),
    ...order.settings,
    ...(order.accept ? { accept: order.accept } : {}),
    ...{ delivery: 'folder', folder: out },
  }
  const lines = songs.map((song) => {
    const subfolder = path.dirname(song).split(path.sep).join('/')
    return { path: path.join(folder, song), ...(subfolder === '.' ? {} : { subfolder }) }
  })
  const hash = createHash('sha256')
    .update(JSON.stringify([head, lines]))
    .digest('hex')
  const batch_id = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
  return [{ batch_id, ...head }, ...lines].map((line) => JSON.stringify(line)).join('\n')
}

/** Follows the batch and returns it once it has ended or paused, or once the command is aborted. */
async function follow(client: ServiceClient, batchId: string, { signal, onProgress }: Watch): Promise<Manifest> {
  for (;;) {
    const batch = await client.call('readBatch', { params: { batch_id: batchId } })
    onProgress(batch)
    if (signal.aborted || batch.status === 'ended') return batch
    // Submitted songs are finished first.
    if (batch.status === 'paused' && batch.songs.queued === 0) return batch
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}
