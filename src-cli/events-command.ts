/** `events`: live events, as lines for another program. */
import { type Command, Option } from 'commander'
import type { LiveEvent } from '../src-contract/events.ts'
import { followEvents } from '../src-contract/follow-events.ts'
import { type ClientOptions, streamCommand, withClientOptions } from './client-command.ts'
import type { Messages } from './messages.ts'
import { wholeNumberFrom } from './whole-number-option.ts'

interface EventsOptions extends ClientOptions {
  readonly follow?: true
  readonly after?: string
  readonly count?: number
}

/** Adds `events`. */
export function registerEventsCommand(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.events
  withClientOptions(program.command('events'), dataDir, messages)
    .description(say.about)
    .option('--follow', say.follow)
    .option('--after <id>', say.after)
    .addOption(new Option('--count <n>', say.count).argParser(wholeNumberFrom(1, say.aNumber)).conflicts('follow'))
    .action((options: EventsOptions) =>
      streamCommand(options, messages, async ({ client, signal, print }) => {
        let count = 0
        for await (const { id, event } of followEvents(client, { lastId: options.after, signal })) {
          print({ ...event, ...(id === undefined ? {} : { id }) }, lineOf(event, id))
          count += 1
          if (count === options.count) return
        }
      }),
    )
}

/** Returns an event as a line: its stored number or a dash, its name, its subject, and the progress. */
function lineOf(event: LiveEvent, id: string | undefined): string {
  const about = event.job_id ?? event.source_id ?? event.audition_id ?? event.release_id
  const progress = event.progress === undefined ? undefined : `${event.progress} %`
  return [id ?? '-', event.event, about, progress, event.stage].filter((word) => word !== undefined).join('  ')
}
