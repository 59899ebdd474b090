/** `listening-test …`: masters compared blind, in a folder for any browser. */
import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { RELEASE } from '../src-contract/delivery-target.ts'
import {
  LISTENING_KINDS,
  type ListeningResult,
  type ListeningTest,
  type ListeningTestRequest,
} from '../src-contract/listening-tests.ts'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { type ClientOptions, commandGroup, runClientCommand } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import type { Messages } from './messages.ts'
import { unusable } from './unusable-input.ts'

interface NewOptions extends ClientOptions {
  readonly master: ListeningTestRequest['versions'][number]['master']
  readonly kind?: ListeningTestRequest['kind']
  readonly out: string
}

const summaryOf = ({ summary }: ListeningTest) => summary

/** Adds the group `listening-test`. */
export function registerListeningCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.listening
  const command = commandGroup(program, { name: 'listening-test', about: say.about, dataDir, messages })
  command('new', say.create)
    .argument('<job...>', say.job)
    .addOption(new Option('--master <platform>', say.master).choices([...PLATFORMS, RELEASE]).default(PLATFORMS[0]))
    .addOption(new Option('--kind <kind>', say.kind).choices(LISTENING_KINDS))
    .option('--out <folder>', say.out, absolutePath(messages), process.cwd())
    .action((jobs: string[], { master, kind, out, ...options }: NewOptions) =>
      runClientCommand(
        options,
        messages,
        (client) =>
          client.call('createListeningTest', {
            body: {
              versions: jobs.map((job_id) => ({ job_id, master })),
              language: messages.language,
              folder: out,
              ...(kind ? { kind } : {}),
            },
          }),
        ({ test_id, file }) => `${test_id}\n${file}`,
      ),
    )
  command(
    'show',
    say.show,
    (client, id: string) => client.call('readListeningTest', { params: { test_id: id } }),
    summaryOf,
  ).argument('<id>', say.id)
  command(
    'add',
    say.add,
    async (client, id: string, file: string) =>
      client.call('addListeningResult', { params: { test_id: id }, body: await resultIn(file, messages) }),
    summaryOf,
  )
    .argument('<id>', say.id)
    .argument('<file>', say.file, absolutePath(messages))
}

/** Returns the result in a file, which the service checks. */
async function resultIn(file: string, messages: Messages): Promise<ListeningResult> {
  const text = await readFile(file, 'utf8').catch(() => null)
  try {
    return JSON.parse(text ?? '')
  } catch {
    throw unusable(messages.listening.unreadable(file))
  }
}
