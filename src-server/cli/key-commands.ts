import type { Command } from 'commander'
import type { ApiKey, CreatedKey } from '../contract/account.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import { ServiceError } from './service-error.ts'
import { table } from './text-output.ts'

/** Adds `keys create`, `keys list` and `keys revoke`. */
export function registerKeyCommands(program: Command, dataDir: string): void {
  const keys = program.command('keys').description('Create, list and revoke API keys.')

  withClientOptions(keys.command('create').argument('<name>', 'what the key is for'), dataDir)
    .description('Create a key. It is shown this once, alone on the last line.')
    .action((name: string, options: ClientOptions) =>
      runClientCommand(
        options,
        (client) => client.call<CreatedKey>('createKey', { body: { name } }),
        (created) => `Key "${created.name}" (${created.key_id}). It is shown this once:\n${created.key}`,
      ),
    )

  withClientOptions(keys.command('list'), dataDir)
    .description('List the keys, newest first.')
    .action((options: ClientOptions) =>
      runClientCommand(
        options,
        (client) => client.call<{ keys: ApiKey[] }>('listKeys'),
        ({ keys: found }) => (found.length === 0 ? 'There are no keys.' : table(found.map(row))),
      ),
    )

  withClientOptions(keys.command('revoke').argument('<id>', 'as "keys list" shows it'), dataDir)
    .description('Revoke a key at once and for good.')
    .action((id: string, options: ClientOptions) =>
      runClientCommand(
        options,
        (client) => client.call<ApiKey>('revokeKey', { params: { key_id: id } }).catch(unknownKey(id)),
        (key) => `Key "${key.name}" is revoked.`,
      ),
    )
}

/** The service's own sentence speaks of an address, which nobody has typed here. */
function unknownKey(id: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ServiceError) || error.envelope.error.code !== 'NOT_FOUND') throw error
    const message = `There is no key ${id}. See its identifier in "keys list".`
    throw new ServiceError({ error: { ...error.envelope.error, message } })
  }
}

function row(key: ApiKey): string[] {
  const lastUse = key.last_used_at ? `used ${key.last_used_at}` : 'never used'
  return [key.key_id, key.state, `${key.prefix}…${key.last_four}`, lastUse, key.name]
}
