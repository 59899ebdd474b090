import { type Command, Option } from 'commander'
import type { ApiKey } from '../src-contract/account.ts'
import { ApiError, errorOf } from '../src-contract/client.ts'
import { SCOPES, type Scope } from '../src-contract/endpoint.ts'
import { type ClientOptions, commandGroup } from './client-command.ts'
import { duration } from './duration.ts'
import type { Messages } from './messages.ts'
import { table } from './text-output.ts'

/** Adds `keys create`, `keys list` and `keys revoke`. */
export function registerKeyCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.keys
  const command = commandGroup(program, { name: 'keys', about: say.about, dataDir, messages })
  command(
    'create',
    say.create,
    (client, name: string, { scope, expires }: ClientOptions & { scope: Scope; expires?: number }) =>
      client.call('createKey', { body: { name, scope, ...(expires === undefined ? {} : { expires_in: expires }) } }),
    (created) => `${say.created(created.name, created.key_id)}\n${created.key}`,
  )
    .argument('<name>', say.name)
    .addOption(new Option('--scope <scope>', say.scope).choices(SCOPES).default('all'))
    .option('--expires <time>', say.expires, duration(messages))
  command(
    'list',
    say.list,
    (client) => client.call('listKeys'),
    ({ keys }) => (keys.length === 0 ? say.none : table(keys.map((key) => row(key, messages)))),
  )
  command(
    'revoke',
    say.revoke,
    (client, id: string) => client.call('revokeKey', { params: { key_id: id } }).catch(unknownKey(id, messages)),
    (key) => say.revoked(key.name),
  ).argument('<id>', say.id)
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
