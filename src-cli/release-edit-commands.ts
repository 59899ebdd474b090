/** `release set`, `track`, `duplicate`, `order`, `remove` and `cover`: a release changed in place. */
import { openAsBlob } from 'node:fs'
import type { TObject, TSchema } from 'typebox'
import type { CallArguments } from '../src-contract/client.ts'
import { type Release, ReleaseChange, TrackChange } from '../src-contract/releases.ts'
import { type AddCommand, type ClientOptions, runClientCommand } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { withInputs } from './input-file.ts'
import type { Messages } from './messages.ts'
import { describeRelease } from './release-text.ts'
import { saveNew } from './save-file.ts'
import type { ServiceClient } from './service-client.ts'
import { unusable } from './unusable-input.ts'

interface CoverOptions extends ClientOptions {
  readonly save?: string
  readonly remove?: true
}

/** Adds the commands. */
export function registerEditing(command: AddCommand, messages: Messages): void {
  const say = messages.editing
  const shown = (release: Release) => describeRelease(release, messages)
  const run = (options: ClientOptions, work: (client: ServiceClient) => Promise<Release>) =>
    runClientCommand(options, messages, work, shown)
  command('set <id> <facts...>', say.set).action((id: string, facts: string[], options: ClientOptions) =>
    run(options, async (client) => {
      const body = factsOf(facts, ReleaseChange, messages) as CallArguments<'changeRelease'>['body']
      return client.call('changeRelease', { params: { release_id: id }, body })
    }),
  )
  command('track <id> <track> <facts...>', say.track).action(
    (id: string, track: string, facts: string[], options: ClientOptions) =>
      run(options, async (client) => {
        const body = factsOf(facts, TrackChange, messages) as CallArguments<'changeTrack'>['body']
        return client.call('changeTrack', { params: { release_id: id, track_id: track }, body })
      }),
  )
  command('duplicate <id>', say.duplicate)
    .option('--title <title>', say.title)
    .action((id: string, options: ClientOptions & { readonly title?: string }) =>
      run(options, (client) => {
        const body = options.title === undefined ? {} : { title: options.title }
        return client.call('duplicateRelease', { params: { release_id: id }, body })
      }),
    )
  command('order <id> <tracks...>', say.order).action((id: string, tracks: string[], options: ClientOptions) =>
    run(options, (client) => client.call('orderTracks', { params: { release_id: id }, body: { track_ids: tracks } })),
  )
  command('remove <id> <track>', say.remove).action((id: string, track: string, options: ClientOptions) =>
    run(options, (client) => client.call('removeTrack', { params: { release_id: id, track_id: track } })),
  )
  registerCover(command, messages)
}

/** Adds `release cover`. */
function registerCover(command: AddCommand, messages: Messages): void {
  const say = messages.editing
  command('cover <id>', say.cover)
    .argument('[picture]', say.coverFile, absolutePath(messages))
    .option('--save <file>', say.coverSave, absolutePath(messages))
    .option('--remove', say.coverRemove)
    .action((id: string, picture: string | undefined, options: CoverOptions) =>
      runClientCommand(
        options,
        messages,
        (client) => changeCover(client, { id, picture, ...options }, messages),
        (outcome) =>
          'file' in outcome
            ? messages.file.saved(outcome.file)
            : options.remove
              ? say.coverRemoved
              : describeRelease(outcome, messages),
      ),
    )
}

async function changeCover(
  client: ServiceClient,
  { id, picture, save, remove }: CoverOptions & { readonly id: string; readonly picture: string | undefined },
  messages: Messages,
): Promise<Release | { file: string }> {
  const params = { release_id: id }
  if ([picture, save, remove].filter((one) => one !== undefined).length !== 1) throw unusable(messages.editing.coverOne)
  if (remove) return client.call('removeReleaseCover', { params })
  if (save !== undefined) {
    await saveNew(await client.open('readReleaseCover', { params }), save, messages)
    return { file: save }
  }
  const { signal } = new AbortController()
  return withInputs([{ path: picture ?? '' }], { messages, signal }, async ([input]) => {
    const file = { content: await openAsBlob(input?.path ?? ''), name: input?.name ?? '' }
    return client.call('putReleaseCover', { params, files: { file } })
  })
}

/**
 * Returns the members named by `FIELD=VALUE`: JSON if the field of `schema` is not a text and the value is JSON, else the text; the service
 * refuses wrong ones by name. Throws a sentence for any other word.
 */
function factsOf(words: readonly string[], schema: TObject, messages: Messages): Record<string, unknown> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name = '', text = ''] = /^(\w+)=([\s\S]*)$/.exec(word) ?? []
      if (name === '') throw unusable(messages.editing.pair(word))
      // A title or a UPC may look like a number.
      return [name, isText(schema.properties[name]) && text !== 'null' ? text : jsonOr(text)]
    }),
  )
}

function isText(field: TSchema | undefined): boolean {
  const { type, anyOf = [] } = (field ?? {}) as { type?: string; anyOf?: TSchema[] }
  return type === 'string' || anyOf.some(isText)
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
