/** `stems …`: the stored sets of stems. */
import type { Command } from 'commander'
import type { StemSet } from '../src-contract/stems.ts'
import { playingTime } from '../src-contract/text/numbers.ts'
import { commandGroup } from './client-command.ts'
import type { Messages } from './messages.ts'
import { formatBytes, table } from './text-output.ts'

/** Returns notes on a set: converted, padded and silent stems, and their likeness to the song. */
export const stemRemarks = ({ notes, original }: StemSet): string[] => [
  ...notes,
  ...(original?.likeness ? [original.likeness.summary] : []),
]

/** Adds the group `stems`. */
export function registerStemCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.stemSets
  const command = commandGroup(program, { name: 'stems', about: say.about, dataDir, messages })
  command(
    'list',
    say.list,
    (client) => client.call('listStemSets'),
    ({ sources }) =>
      sources.length === 0
        ? say.none
        : table(
            sources.map(({ source_id, title, stems, size_bytes }) => [
              source_id,
              title,
              say.count(stems.length),
              formatBytes(size_bytes),
            ]),
          ),
  )
  command(
    'show',
    say.show,
    (client, id: string) => client.call('readStemSet', { params: { source_id: id } }),
    ({ stems, notes, original }) =>
      [
        table(
          stems.map(({ stem, role, filename, duration_seconds }) => [
            String(stem),
            role,
            filename,
            playingTime(duration_seconds),
          ]),
        ),
        ...notes,
        ...(original?.likeness ? [original.likeness.summary] : []),
      ].join('\n'),
  ).argument('<id>', say.id)
}
