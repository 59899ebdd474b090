import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { PLAN_LIMITS, type Plan } from '../../../src-contract/plans.ts'
import { Ledger } from '../../../src-server/credits/ledger.ts'
import { readMigrations } from '../../../src-server/db/migrate.ts'
import { type Db, openDatabase } from '../../../src-server/db/open.ts'
import { seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MIGRATIONS = path.join(import.meta.dirname, '../../../src-server/db/migrations')
const SEED = 7_019
const SEQUENCES = 60
const DAY_MS = 86_400_000

let folder: string
const open: Db[] = []
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
})
afterEach(() => {
  for (const db of open.splice(0)) db.close()
})

/** An account with its ledger, used as the service uses it. */
function newAccount(name: string) {
  const db = openDatabase(path.join(folder, name), readMigrations(MIGRATIONS))
  open.push(db)
  db.pragma('synchronous = OFF')
  const at = { nowMs: Date.UTC(2026, 0, 5), plan: 'studio' as Plan }
  const ledger = new Ledger({ db, clock: { now: () => at.nowMs }, plan: () => at.plan })
  const setPlan = (plan: Plan) => {
    ledger.renew()
    at.plan = plan
  }
  return { at, ledger, setPlan }
}

describe('a refund in a month that nothing has happened in yet', () => {
  test('comes on top of what the month brings, whether somebody has looked before or not', () => {
    for (const isLookedAt of [true, false]) {
      const { at, ledger } = newAccount(`refund-${isLookedAt}`)
      ledger.charge('job')
      at.nowMs = Date.UTC(2026, 1, 1)
      if (isLookedAt) expect(ledger.balance()).toBe(500)
      expect(ledger.refund('job')).toBe(1)
      expect(ledger.balance()).toBe(501)
      expect(ledger.refund('job')).toBe(0)
      expect(ledger.refund('no such job')).toBe(0)
      expect(ledger.list(10).map(({ kind, amount }) => [kind, amount])).toEqual([
        ['refund', 1],
        ['renew', 1],
        ['charge', -1],
        ['renew', 500],
      ])
    }
  })

  test('comes after a change of plan that the month began before', () => {
    const { at, ledger, setPlan } = newAccount('plan')
    ledger.charge('job')
    at.nowMs = Date.UTC(2026, 1, 1)
    setPlan('free')
    ledger.refund('job')
    expect(ledger.balance()).toBe(501)
  })
})

type Step = (account: ReturnType<typeof newAccount>) => void

/** The rules of contract 3 in the plainest words: every month is renewed at its very beginning, whoever looks. */
function plainAccount() {
  const at = { nowMs: Date.UTC(2026, 0, 5), plan: 'studio' as Plan }
  let latest = '2026-01'
  let credits = PLAN_LIMITS.studio.monthlyCredits
  const charged = new Set<string>()
  const refunded = new Set<string>()
  const monthBegins = () => {
    const month = new Date(at.nowMs).toISOString().slice(0, 7)
    if (month > latest) {
      latest = month
      credits = Math.max(credits, PLAN_LIMITS[at.plan].monthlyCredits)
    }
  }
  const ledger: Pick<Ledger, 'balance' | 'charge' | 'refund' | 'grant' | 'renew' | 'list'> = {
    renew: () => {},
    list: () => [],
    balance: () => credits,
    charge(jobId) {
      if (credits < 1) throw new Error('INSUFFICIENT_CREDITS')
      charged.add(jobId)
      credits -= 1
      return credits
    },
    refund(jobId) {
      if (!charged.has(jobId) || refunded.has(jobId)) return 0
      refunded.add(jobId)
      credits += 1
      return 1
    },
    grant(amount) {
      credits += amount
    },
  }
  const setPlan = (plan: Plan) => {
    at.plan = plan
  }
  return { at, ledger: ledger as Ledger, setPlan, monthBegins }
}

test(`${SEQUENCES} random lives of an account (seed ${SEED}): the balance is that of an account renewed at the first moment of each month`, () => {
  const random = seededRandom(SEED)
  const upTo = (count: number) => Math.floor(Math.min(0.999_999, Math.abs(random())) * count)
  const plans = Object.keys(PLAN_LIMITS) as Plan[]
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const plain = plainAccount()
    const real = newAccount(`life-${sequence}`)
    let jobs = 0
    const randomStep = (): Step => {
      const job = `job-${upTo(jobs + 1)}`
      const amount = 1 + upTo(30)
      const plan = plans[upTo(plans.length)]!
      switch (upTo(9)) {
        case 0:
        case 1: {
          const days = upTo(3) === 0 ? upTo(70) : upTo(12) - 2
          return ({ at }) => {
            at.nowMs += days * DAY_MS
          }
        }
        case 2:
          return ({ setPlan }) => setPlan(plan)
        case 3:
          return ({ ledger }) => ledger.grant(amount)
        case 4:
          return ({ ledger }) => void ledger.balance()
        case 5:
        case 6:
          return ({ ledger }) => void ledger.refund(job)
        default: {
          const charges = Array.from({ length: 1 + upTo(8) }, () => `job-${jobs++}`)
          return ({ ledger }) => {
            for (const one of charges) {
              try {
                ledger.charge(one)
              } catch {
                // Both must refuse.
              }
            }
          }
        }
      }
    }
    for (let count = 0; count < 40; count++) {
      const step = randomStep()
      step(plain)
      plain.monthBegins()
      step(real)
    }
    expect([sequence, real.ledger.balance()]).toEqual([sequence, plain.ledger.balance()])
    const entries = real.ledger.list(1000)
    expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(real.ledger.balance())
    expect(entries.every(({ balance }) => balance >= 0)).toBe(true)
  }
})
