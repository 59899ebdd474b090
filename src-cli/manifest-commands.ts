/** `batches …`: batches of songs named by path, from any client. */
import { type Command, Option } from 'commander'
import type { Manifest, ManifestEvent, ManifestSong } from '../src-contract/batches.ts'
import { openedStream } from '../src-contract/client.ts'
import { type AddCommand, type ClientOptions, commandGroup, runClientCommand, streamCommand } from './client-command.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { table } from './text-output.ts'

interface SongOptions extends ClientOptions {
  readonly failed?: true
  readonly csv?: true
}

/** Songs on one page of a table. */
const PAGE = 1000

/** Adds the group `batches`. */
export function registerManifestCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.batches
  const command = commandGroup(program, { name: 'batches', about: say.about, dataDir, messages })
  command(
    'list',
    say.list,
    (client) => client.call('listBatches'),
    ({ batches }) => (batches.length === 0 ? say.none : table(batches.map((batch) => rowOf(batch, messages)))),
  )
  for (const [name, endpoint] of CHANGES) {
    command(`${name} <id>`, say[name]).action((id: string, options: ClientOptions) => {
      let before: Manifest | undefined
      return runClientCommand(
        options,
        messages,
        async (client) => {
          const params = { batch_id: id }
          if (name !== 'show') before = await client.call('readBatch', { params })
          return client.call(endpoint, { params })
        },
        (batch) => [table([rowOf(batch, messages)]), ...unchanged(name, messages, before)].join('\n'),
      )
    })
  }
  command(
    'delete <id>',
    say.delete,
    async (client, id: string) =>
      (await client.call('deleteBatch', { params: { batch_id: id } })) ?? { batch_id: id, deleted: true },
    (outcome) => ('status' in outcome ? table([rowOf(outcome, messages)]) : say.deleted),
  )
  registerSongs(command, messages)
  registerFollow(command, messages)
}

/** Commands that take a batch and show it. */
const CHANGES = [
  ['show', 'readBatch'],
  ['pause', 'pauseBatch'],
  ['resume', 'resumeBatch'],
  ['cancel', 'cancelBatch'],
  ['retry', 'retryBatch'],
] as const

/** Returns a line that says why a change of a batch had no effect; no line if it had. */
function unchanged(name: (typeof CHANGES)[number][0], { batches: say }: Messages, before?: Manifest): string[] {
  if (name === 'retry') return before?.songs.failed === 0 ? [say.noneFailed] : []
  return before?.status === 'ended' ? [say.hadEnded] : []
}

/** Adds `batches songs`. */
function registerSongs(command: AddCommand, messages: Messages): void {
  const say = messages.batches
  command(
    'songs <id>',
    say.songs,
    async (client, id: string, options: SongOptions) => {
      if (!options.csv) return { songs: await allSongs(client, id, options.failed === true) }
      const answer = await client.open('readBatchSongs', { params: { batch_id: id }, query: { format: 'csv' } })
      return { csv: (await answer.text()).trimEnd() }
    },
    (outcome) => ('csv' in outcome ? outcome.csv : table(outcome.songs.map(songRow))),
  )
    .option('--failed', say.failed)
    .addOption(new Option('--csv', say.csv).conflicts(['failed', 'json']))
}

async function allSongs(client: ServiceClient, id: string, onlyFailed: boolean): Promise<ManifestSong[]> {
  const found: ManifestSong[] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const query = { limit: PAGE, after_line: after, ...(onlyFailed ? { status: 'failed' as const } : {}) }
    const page: { songs: ManifestSong[]; next_line?: number } = await client.call('readBatchSongs', {
      params: { batch_id: id },
      query,
    })
    found.push(...page.songs)
    after = page.next_line
  }
  return found
}

/** Adds `batches follow`. */
function registerFollow(command: AddCommand, messages: Messages): void {
  command('follow <id>', messages.batches.follow).action((id: string, options: ClientOptions) =>
    streamCommand(options, messages, async ({ client, signal, print }) => {
      const stream = openedStream(await client.open('streamBatch', { params: { batch_id: id }, signal }))
      for await (const messages of stream.messages)
        for (const { data } of messages) {
          const event = JSON.parse(data) as ManifestEvent
          print(event, event.song ? songRow(event.song).join('  ') : event.event)
          if (event.event === 'batch.ended') return stream.close()
        }
    }),
  )
}

const songRow = ({ line, status, path, title, job_id, source_job_id, error_message }: ManifestSong) => [
  ...[String(line), status, path ?? title ?? source_job_id ?? ''],
  error_message ?? job_id ?? '',
]

function rowOf({ batch_id, status, songs, paused_because }: Manifest, { batches: say, batch }: Messages): string[] {
  const reason = status === 'paused' ? batch.paused[paused_because ?? 'caller'] : ''
  return [batch_id, say.states[status], say.count(songs.done, songs.total, songs.failed), reason]
}
