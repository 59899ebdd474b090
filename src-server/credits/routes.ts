import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { ApiKey, CreatedKey } from '../../src-contract/account.ts'
import { accountEndpoints } from '../../src-contract/account.ts'
import { cleanName } from '../../src-contract/clean-name.ts'
import { DEFAULT_PAGE_SIZE } from '../../src-contract/common.ts'
import type { Scope } from '../../src-contract/endpoint.ts'
import { requireName } from '../http/display-name.ts'
import { route } from '../http/route.ts'
import { type AccountFacts, type AccountStore, showAccount } from './account.ts'
import type { Ledger } from './ledger.ts'
import { ledgerCsv, ledgerJson } from './ledger-export.ts'

/** A requested key; `expiresInSeconds` is absent for an unlimited one. */
interface KeyWish {
  readonly name: string
  readonly scope: Scope
  readonly expiresInSeconds?: number
}

/** Serves the account, its ledger and its keys. */
export function accountRoutes(
  app: FastifyInstance,
  deps: {
    account: AccountStore
    ledger: Ledger
    keys: { create(wish: KeyWish): CreatedKey; list(): ApiKey[]; revoke(keyId: string): ApiKey }
    facts: () => AccountFacts
    /** Runs a change in one transaction with the event that reports it. */
    change: <Result>(run: () => Result) => Result
  },
): void {
  const { account, ledger, keys, facts, change } = deps
  const shown = () => ({ status: 200, body: showAccount(account.plan(), ledger, facts()) }) as const

  route(app, accountEndpoints.readAccount, shown)
  route(app, accountEndpoints.setPlan, ({ body }) => {
    change(() => {
      // Renews under the current plan, which was valid when the month began.
      ledger.renew()
      account.setPlan(body.plan)
    })
    return shown()
  })
  route(app, accountEndpoints.grantCredits, ({ body }) => {
    change(() => ledger.grant(body.amount, cleanName(body.note ?? '') || undefined))
    return shown()
  })
  route(app, accountEndpoints.readLedger, ({ query }) => ({
    status: 200,
    body: { entries: ledger.list(query.limit ?? DEFAULT_PAGE_SIZE, query.before) },
  }))
  route(app, accountEndpoints.exportLedger, ({ query }) => {
    const isCsv = query.format === 'csv'
    return {
      status: 200,
      bytes: Readable.from(isCsv ? ledgerCsv(ledger.all()) : ledgerJson(ledger.all())),
      headers: {
        'content-type': `${isCsv ? 'text/csv' : 'application/json'}; charset=utf-8`,
        'content-disposition': `attachment; filename="loudsmith-ledger.${isCsv ? 'csv' : 'json'}"`,
      },
    }
  })
  route(app, accountEndpoints.listKeys, () => ({ status: 200, body: { keys: keys.list() } }))
  route(app, accountEndpoints.createKey, ({ body: { name, scope = 'all', expires_in } }) => ({
    status: 201,
    body: change(() =>
      keys.create({
        ...{ name: requireName(name, 'name'), scope },
        ...(expires_in === undefined ? {} : { expiresInSeconds: expires_in }),
      }),
    ),
  }))
  route(app, accountEndpoints.revokeKey, ({ params }) => ({
    status: 200,
    body: change(() => keys.revoke(params.key_id)),
  }))
}
