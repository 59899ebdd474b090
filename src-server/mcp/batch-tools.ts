/** Tools for batches: many songs of this machine by one manifest. */
import Type from 'typebox'
import { batchEndpoints, ManifestHead, ManifestLine } from '../../src-contract/batches.ts'
import type { Client } from '../../src-contract/client.ts'
import { exactly } from '../../src-contract/common.ts'
import { MAX_MANIFEST_SONGS } from '../../src-contract/limits.ts'
import { CREDITS_PER_JOB } from '../../src-contract/plans.ts'
import { fullPath } from './files.ts'
import { Confirm, DEFAULT_ROWS, PageSize } from './shared-arguments.ts'
import { type ToolAnswer, tool } from './tool.ts'

const BatchId = Type.String({ description: 'Identifier of the batch.' })
const ofBatch = exactly({ batch_id: BatchId })
const confirmed = exactly({ batch_id: BatchId, confirm: Confirm })
const { status, after_line } = batchEndpoints.readBatchSongs.query.properties
const { source_id: _, ...lineMembers } = ManifestLine.properties

/** Answers with the maximum price of a batch's songs. */
async function cost(client: Client, songs: number, signal: AbortSignal, facts: object = {}): Promise<ToolAnswer> {
  const { credits } = await client.call('readAccount', { signal })
  const would_charge = songs * CREDITS_PER_JOB
  return { value: { dry_run: true, ...facts, songs, would_charge, credits_remaining: credits } }
}

export const BATCH_TOOLS = [
  tool({
    name: 'create_batch',
    title: 'Master many songs',
    description:
      'Masters the songs of a list one after the other; 1 credit each. Settings and tags beside `songs` count for all of them, those of a song for it alone. Without `confirm` it says what it would cost. A song that fails is refunded and told by `read_batch`.',
    input: exactly({
      ...ManifestHead.properties,
      songs: Type.Array(exactly(lineMembers), {
        minItems: 1,
        maxItems: MAX_MANIFEST_SONGS,
        description: 'The songs, each by its `path` or by the `job_id` of a job whose song it is.',
      }),
      confirm: Confirm,
    }),
    effect: 'spends',
    endpoint: 'createBatch',
    run: async ({ songs, confirm, ...given }, { client, signal }) => {
      const head = given.folder === undefined ? given : { ...given, folder: fullPath(given.folder, 'folder') }
      const lines = songs.map((song, index) =>
        song.path === undefined ? song : { ...song, path: fullPath(song.path, `songs[${index}].path`) },
      )
      if (!confirm) return cost(client, lines.length, signal)
      const content = new Blob([[head, ...lines].map((line) => JSON.stringify(line)).join('\n')])
      return { value: await client.call('createBatch', { files: { manifest: { content, name: 'manifest' } } }) }
    },
  }),
  tool({
    name: 'list_batches',
    title: 'List batches',
    description: 'Batches and how far they are, newest first.',
    input: exactly({ limit: PageSize }),
    effect: 'reads',
    endpoint: 'listBatches',
    run: async ({ limit = DEFAULT_ROWS }, { client, signal }) => {
      const { batches } = await client.call('listBatches', { signal })
      return { value: { batches: batches.slice(0, limit), total: batches.length } }
    },
  }),
  tool({
    name: 'read_batch',
    title: 'Read a batch',
    description: 'How far a batch is, and a page of its songs with their results; a failed one says why.',
    input: exactly({ batch_id: BatchId, status, after_line, limit: PageSize }),
    effect: 'reads',
    endpoint: 'readBatch',
    run: async ({ batch_id, limit = DEFAULT_ROWS, ...page }, { client, signal }) => {
      const params = { batch_id }
      const batch = await client.call('readBatch', { params, signal })
      const table = await client.call('readBatchSongs', { params, query: { ...page, limit }, signal })
      return { value: { batch, ...table } }
    },
  }),
  tool({
    name: 'pause_batch',
    title: 'Pause a batch',
    description: 'Starts no more songs of a batch. Songs in progress go on.',
    input: ofBatch,
    effect: 'changes',
    endpoint: 'pauseBatch',
    run: async (params, { client }) => ({ value: await client.call('pauseBatch', { params }) }),
  }),
  tool({
    name: 'resume_batch',
    title: 'Let a batch go on',
    description:
      'Lets a paused batch go on; 1 credit for each song that waits. Without `confirm` it says what it would cost.',
    input: confirmed,
    effect: 'spends',
    endpoint: 'resumeBatch',
    run: async ({ batch_id, confirm }, { client, signal }) => {
      const params = { batch_id }
      if (confirm) return { value: await client.call('resumeBatch', { params }) }
      const { status, songs } = await client.call('readBatch', { params, signal })
      return cost(client, songs.waiting, signal, { status })
    },
  }),
  tool({
    name: 'cancel_batch',
    title: 'Cancel a batch',
    description: 'Cancels and refunds the unfinished songs of a batch; finished songs stay.',
    input: ofBatch,
    effect: 'ends',
    endpoint: 'cancelBatch',
    run: async (params, { client }) => ({ value: await client.call('cancelBatch', { params }) }),
  }),
  tool({
    name: 'retry_batch',
    title: 'Master failed songs again',
    description:
      'Masters the failed songs of a batch again; 1 credit each. Without `confirm` it says what it would cost.',
    input: confirmed,
    effect: 'spends',
    endpoint: 'retryBatch',
    run: async ({ batch_id, confirm }, { client, signal }) => {
      const params = { batch_id }
      if (confirm) return { value: await client.call('retryBatch', { params }) }
      const { status, songs } = await client.call('readBatch', { params, signal })
      return cost(client, songs.failed, signal, { status })
    },
  }),
]
