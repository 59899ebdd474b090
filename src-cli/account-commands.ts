import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Account } from '../src-contract/account.ts'
import { PLANS, type Plan } from '../src-contract/plans.ts'
import { wholeNumber } from '../src-contract/whole-number.ts'
import { type ClientOptions, runClientCommand, withClientOptions } from './client-command.ts'
import type { Messages } from './messages.ts'
import { table } from './text-output.ts'

/** Adds `account show`, `account plan` and `account grant`. */
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
