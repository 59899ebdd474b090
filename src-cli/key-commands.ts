import { type Command, Option } from 'commander'
import type { ApiKey } from '../src-contract/account.ts'
import { ApiError, errorOf } from '../src-contract/client.ts'
import { SCOPES, type Scope } from '../src-contract/endpoint.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import { duration } from './duration.ts'
import { type Messages, messagesFor } from './messages.ts'
import { table } from './text-output.ts'

/** Adds `keys create`, `keys list` and `keys revoke`. */
export function registerKeyCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.keys
  const keys = program.command('keys').description(say.about).helpCommand('help [command]', messages.commander.help)

  withClientOptions(keys.command('create').argument('<name>', say.name), dataDir, messages)
    .addOption(new Option('--scope <scope>', say.scope).choices(SCOPES).default('all'))
    .option('--expires <time>', say.expires, duration(messages))
    .description(say.create)
    .action((name: string, { scope, expires, ...options }: ClientOptions & { scope: Scope; expires?: number }) =>
      runClientCommand(
        options,
        messages,
        (client) =>
          client.call('createKey', {
            body: { name, scope, ...(expires === undefined ? {} : { expires_in: expires }) },
          }),
        (created) => `${say.created(created.name, created.key_id)}\n${created.key}`,
      ),
    )

  withClientOptions(keys.command('list'), dataDir, messages)
    .description(say.list)
    .action((options: ClientOptions) =>
      runClientCommand(
        options,
        messages,
        (client) => client.call('listKeys'),
        ({ keys: found }) => (found.length === 0 ? say.none : table(found.map((key) => row(key, messages)))),
      ),
    )

  withClientOptions(keys.command('revoke').argument('<id>', say.id), dataDir, messages)
    .description(say.revoke)
    .action((id: string, options: ClientOptions) =>
      runClientCommand(
        options,
        messages,
        (client) =>
          client.call('revokeKey', { params: { key_id: id } }).catch(unknownKey(id, messagesFor(messages, options))),
        (key) => say.revoked(key.name),
      ),
    )
}

/** Replaces the sentence of the service, which mentions a URL unknown to the user. */
function unknownKey(id: string, messages: Messages): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || error.envelope?.error.code !== 'NOT_FOUND') throw error
    const message = messages.keys.unknown(id)
    throw errorOf({ error: { ...error.envelope.error, message } })
  }
}

function row(key: ApiKey, { keys: say }: Messages): string[] {
  const lastUse = key.last_used_at ? say.used(key.last_used_at) : say.neverUsed
  const end = key.expires_at ? say.until(key.expires_at) : say.noEnd
  return [key.key_id, say.states[key.state], key.scope, `${key.prefix}…${key.last_four}`, end, lastUse, key.name]
}
