import type { FastifyInstance } from 'fastify'
import type { Account, ApiKey, CreatedKey } from '../contract/account.ts'
import { accountEndpoints } from '../contract/account.ts'
import { route } from '../http/route.ts'
import { type AccountStore, showAccount } from './account.ts'
import type { Ledger } from './ledger.ts'

/** Serves the account, its ledger and its keys. `changed` is called after every change that others must learn of. */
export function accountRoutes(
  app: FastifyInstance,
  given: {
    account: AccountStore
    ledger: Ledger
    keys: { create(name: string): CreatedKey; list(): ApiKey[]; revoke(keyId: string): ApiKey }
    usage: () => Account['usage']
    changed: () => void
  },
): void {
  const { account, ledger, keys, usage, changed } = given
  const shown = () => ({ status: 200, body: showAccount(account.plan(), ledger, usage()) }) as const

  route(app, accountEndpoints.readAccount, shown)
  route(app, accountEndpoints.setPlan, ({ body }) => {
    // The month began under the plan that still holds.
    ledger.renew()
    account.setPlan(body.plan)
    changed()
    return shown()
  })
  route(app, accountEndpoints.grantCredits, ({ body }) => {
    ledger.grant(body.amount, body.note)
    changed()
    return shown()
  })
  route(app, accountEndpoints.readLedger, ({ query }) => ({
    status: 200,
    body: { entries: ledger.list(query.limit ?? 50, query.before) },
  }))
  route(app, accountEndpoints.listKeys, () => ({ status: 200, body: { keys: keys.list() } }))
  route(app, accountEndpoints.createKey, ({ body }) => {
    const key = keys.create(body.name)
    changed()
    return { status: 201, body: key }
  })
  route(app, accountEndpoints.revokeKey, ({ params }) => {
    const key = keys.revoke(params.key_id)
    changed()
    return { status: 200, body: key }
  })
}
