import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Account } from '../contract/account.ts'
import { PLANS } from '../contract/plans.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import { table } from './text-output.ts'

/** Adds `account show`, `account plan` and `account grant`. */
export function registerAccountCommands(program: Command, dataDir: string): void {
  const account = program.command('account').description('Show the account, choose its plan, add credits.')

  withClientOptions(account.command('show'), dataDir)
    .description('Show plan, credits and limits.')
    .action((options: ClientOptions) =>
      runClientCommand(options, (client) => client.call<Account>('readAccount'), describe),
    )

  withClientOptions(account.command('plan').addArgument(new Argument('<plan>', 'which one').choices(PLANS)), dataDir)
    .description('Choose the plan: a local policy, not a purchase.')
    .action((plan: string, options: ClientOptions) =>
      runClientCommand(options, (client) => client.call<Account>('setPlan', { body: { plan } }), describe),
    )

  withClientOptions(account.command('grant').argument('<credits>', 'how many to add', positiveInteger), dataDir)
    .description('Add credits.')
    .action((amount: number, options: ClientOptions) =>
      runClientCommand(options, (client) => client.call<Account>('grantCredits', { body: { amount } }), describe),
    )
}

function positiveInteger(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('A number of credits is 1 or more.')
  return value
}

function describe(account: Account): string {
  const { limits, usage } = account
  return table([
    ['Plan', account.plan],
    ['Credits', `${account.credits} (topped up to ${account.monthly_credits} on ${account.renews_at.slice(0, 10)})`],
    ['API keys', `${usage.keys} of ${limits.keys}`],
    ['Webhooks', `${usage.webhooks} of ${limits.webhooks}`],
    ['Unfinished jobs', `${usage.unfinished_jobs} of ${limits.concurrent_jobs}`],
    ['Requests', `${limits.requests_per_minute} a minute`],
  ])
}
