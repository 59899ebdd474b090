import type { Account } from '../../src-contract/account.ts'
import { PLAN_LIMITS, type Plan } from '../../src-contract/plans.ts'
import { isoTime } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import type { Ledger } from './ledger.ts'

/** The one local account. */
export interface AccountStore {
  plan(): Plan
  setPlan(plan: Plan): void
}

/** Returns the account kept in `db`. */
export function createAccountStore(db: Db): AccountStore {
  const read = db.prepare('SELECT plan FROM account').pluck()
  const write = db.prepare('UPDATE account SET plan = ?')
  return {
    plan: () => read.get() as Plan,
    setPlan(plan) {
      write.run(plan)
    },
  }
}

/** Facts of an account that are known elsewhere. */
export type AccountFacts = Pick<Account, 'usage' | 'expiring'>

/** Returns the account in its public form: plan, live balance, limits and their use, and upcoming expiries. */
export function showAccount(plan: Plan, ledger: Ledger, facts: AccountFacts): Account {
  const limits = PLAN_LIMITS[plan]
  return {
    plan,
    credits: ledger.balance(),
    monthly_credits: limits.monthlyCredits,
    renews_at: isoTime(ledger.renewsAtMs()),
    limits: {
      keys: limits.keys,
      requests_per_minute: limits.requestsPerMinute,
      webhooks: limits.webhooks,
      concurrent_jobs: limits.concurrentJobs,
    },
    ...facts,
  }
}
