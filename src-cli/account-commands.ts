import { Argument, type Command } from 'commander'
import type { Account, LedgerEntry } from '../src-contract/account.ts'
import type { AnswerOf } from '../src-contract/endpoints.ts'
import { PLANS, type Plan } from '../src-contract/plans.ts'
import { type ClientOptions, commandGroup } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import type { Messages } from './messages.ts'
import { writeNew } from './save-file.ts'
import type { ServiceClient } from './service-client.ts'
import { table } from './text-output.ts'
import { wholeNumberFrom } from './whole-number-option.ts'

/** Adds `account show`, `plan`, `grant` and `ledger`. */
export function registerAccountCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.account
  const command = commandGroup(program, { name: 'account', about: say.about, dataDir, messages })
  const shown = (changed: Account) => describe(changed, messages)
  command('show', say.show, (client) => client.call('readAccount'), shown)
  command('plan', say.plan, (client, plan: Plan) => client.call('setPlan', { body: { plan } }), shown).addArgument(
    new Argument('<plan>', say.whichPlan).choices(PLANS),
  )
  command(
    'grant',
    say.grant,
    (client, amount: number) => client.call('grantCredits', { body: { amount } }),
    shown,
  ).argument('<credits>', say.amount, wholeNumberFrom(1, say.aNumber))
  command(
    'ledger',
    say.ledger,
    async (
      client,
      options: ClientOptions & { readonly out?: string },
    ): Promise<AnswerOf<'exportLedger'> | { file: string }> =>
      options.out === undefined ? client.call('exportLedger') : saveLedger(client, options.out, messages),
    (outcome) => ('file' in outcome ? say.written(outcome.file) : ledgerTable(outcome.entries, messages)),
  ).option('--out <file>', say.ledgerOut, absolutePath(messages))
}

/** Writes the ledger into a new file: JSON if its name ends so, else CSV. Throws a sentence. */
async function saveLedger(client: ServiceClient, file: string, messages: Messages): Promise<{ file: string }> {
  const format = /\.json$/i.test(file) ? 'json' : 'csv'
  const { body } = await client.open('exportLedger', { query: { format } })
  await writeNew(file, body ?? '', messages)
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
