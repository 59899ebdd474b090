import { writeFile } from 'node:fs/promises'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Account, LedgerEntry } from '../src-contract/account.ts'
import type { AnswerOf } from '../src-contract/endpoints.ts'
import { PLANS, type Plan } from '../src-contract/plans.ts'
import { wholeNumber } from '../src-contract/whole-number.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { type Messages, messagesFor } from './messages.ts'
import { notSaved } from './save-file.ts'
import type { ServiceClient } from './service-client.ts'
import { table } from './text-output.ts'

/** Adds `account show`, `plan`, `grant` and `ledger`. */
export function registerAccountCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.account
  const account = program
    .command('account')
    .description(say.about)
    .helpCommand('help [command]', messages.commander.help)
  const shown = (changed: Account) => describe(changed, messages)

  withClientOptions(account.command('show'), dataDir, messages)
    .description(say.show)
    .action((options: ClientOptions) =>
      runClientCommand(options, messages, (client) => client.call('readAccount'), shown),
    )

  withClientOptions(
    account.command('plan').addArgument(new Argument('<plan>', say.whichPlan).choices(PLANS)),
    dataDir,
    messages,
  )
    .description(say.plan)
    .action((plan: Plan, options: ClientOptions) =>
      runClientCommand(options, messages, (client) => client.call('setPlan', { body: { plan } }), shown),
    )

  withClientOptions(
    account.command('grant').argument('<credits>', say.amount, positiveInteger(messages)),
    dataDir,
    messages,
  )
    .description(say.grant)
    .action((amount: number, options: ClientOptions) =>
      runClientCommand(options, messages, (client) => client.call('grantCredits', { body: { amount } }), shown),
    )

  withClientOptions(account.command('ledger'), dataDir, messages)
    .description(say.ledger)
    .option('--out <file>', say.ledgerOut, absolutePath(messages))
    .action((options: ClientOptions & { readonly out?: string }) =>
      runClientCommand(
        options,
        messages,
        async (client): Promise<AnswerOf<'exportLedger'> | { file: string }> =>
          options.out === undefined
            ? client.call('exportLedger')
            : saveLedger(client, options.out, messagesFor(messages, options)),
        (outcome) => ('file' in outcome ? say.written(outcome.file) : ledgerTable(outcome.entries, messages)),
      ),
    )
}

/** Writes the ledger into a new file: JSON if its name ends so, else CSV. Throws a sentence. */
async function saveLedger(client: ServiceClient, file: string, messages: Messages): Promise<{ file: string }> {
  const format = /\.json$/i.test(file) ? 'json' : 'csv'
  const { body } = await client.open('exportLedger', { query: { format } })
  await writeFile(file, body ?? '', { flag: 'wx' }).catch((cause: unknown) => {
    throw notSaved(file, cause, messages)
  })
  return { file }
}

function ledgerTable(entries: readonly LedgerEntry[], { account: say }: Messages): string {
  if (entries.length === 0) return say.noEntries
  return table(
    entries.map(({ created_at, kind, amount, balance, job_id, note }) => [
      ...[created_at, say.kinds[kind], String(amount), String(balance), job_id ?? note ?? ''],
    ]),
  )
}

function positiveInteger({ account: say }: Messages): (text: string) => number {
  return (text) => {
    const value = wholeNumber(text) ?? 0
    if (value < 1) throw new InvalidArgumentError(say.aNumber)
    return value
  }
}

function describe(account: Account, { account: say }: Messages): string {
  const { limits, usage } = account
  return table([
    [say.rows.plan, account.plan],
    [say.rows.credits, say.topUp(account.credits, account.monthly_credits, account.renews_at.slice(0, 10))],
    [say.rows.keys, say.of(usage.keys, limits.keys)],
    [say.rows.webhooks, say.of(usage.webhooks, limits.webhooks)],
    [say.rows.unfinished, say.of(usage.unfinished_jobs, limits.concurrent_jobs)],
    [say.rows.requests, say.aMinute(limits.requests_per_minute)],
  ])
}
