/** The one local account: plan, credits, API keys. Plan and top-ups are a local policy, not a purchase. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull, PageSize, Timestamp, Uuid } from './common.ts'
import { endpoints, SCOPES } from './endpoint.ts'
import { MAX_KEY_SECONDS } from './limits.ts'
import { PLANS } from './plans.ts'

export const Account = exactly({
  plan: oneOf(PLANS),
  credits: Type.Integer(),
  monthly_credits: Type.Integer(),
  renews_at: Timestamp,
  limits: exactly({
    keys: Type.Integer(),
    requests_per_minute: Type.Integer(),
    webhooks: Type.Integer(),
    concurrent_jobs: Type.Integer(),
  }),
  usage: exactly({ keys: Type.Integer(), webhooks: Type.Integer(), unfinished_jobs: Type.Integer() }),
  expiring: orNull(
    exactly(
      {
        results: Type.Integer({ description: 'Number of ended jobs.' }),
        size_bytes: Type.Integer({ description: 'What they take on the disk, songs included.' }),
        first_at: Timestamp,
      },
      'Jobs whose files and stored song are removed within a week, or within the last quarter of a shorter retention; null for none. Those of releases are kept. `account.changed` tells when it changes.',
    ),
  ),
})
export type Account = Static<typeof Account>

const DAY_MS = 86_400_000
/** Notice period before a result expires, ms, and its share of a shorter retention period. */
const NOTICE_MS = 7 * DAY_MS
const NOTICE_PART = 0.25

/** Returns the notice period before a result expires, ms; `retentionDays` is null if results are kept forever. Pure. */
export const expiryNoticeMs = (retentionDays: number | null): number =>
  Math.min(NOTICE_MS, NOTICE_PART * (retentionDays ?? Number.POSITIVE_INFINITY) * DAY_MS)

export const LEDGER_KINDS = ['grant', 'renew', 'charge', 'refund'] as const

export const LedgerEntry = exactly({
  entry_id: Type.Integer(),
  kind: oneOf(LEDGER_KINDS),
  amount: Type.Integer({ description: 'Credits; positive for additions, negative for charges.' }),
  balance: Type.Integer({ description: 'Balance after this entry.' }),
  job_id: Type.Optional(Uuid),
  note: Type.Optional(Type.String()),
  created_at: Timestamp,
})
export type LedgerEntry = Static<typeof LedgerEntry>

const KEY_STATES = ['active', 'suspended', 'expired', 'revoked'] as const

const SCOPE_HELP =
  'Requests that the key permits: `read` reads, analyses and follows events; `master` also masters, previews, retries, works on batches and releases, makes links and cancels the jobs that the key made; `all` also deletes jobs, cancels those of others and changes webhooks.'

export const ApiKey = exactly({
  key_id: Uuid,
  name: Type.String(),
  prefix: Type.String(),
  last_four: Type.String(),
  state: oneOf(KEY_STATES),
  scope: oneOf(SCOPES, SCOPE_HELP),
  created_at: Timestamp,
  expires_at: Type.Optional(
    Type.String({
      ...Timestamp,
      description: 'End of the key by the clock of this machine; absent where it has none.',
    }),
  ),
  last_used_at: Type.Optional(Timestamp),
  last_client: Type.Optional(
    Type.String({ description: 'Short name of the program that used it last, such as `curl 8.5` or `Chrome`.' }),
  ),
})
export type ApiKey = Static<typeof ApiKey>

/** The only answer that contains the key itself. */
export const CreatedKey = exactly({ ...ApiKey.properties, key: Type.String() })
export type CreatedKey = Static<typeof CreatedKey>

const tag = 'Account'

export const accountEndpoints = endpoints({
  readAccount: {
    method: 'GET',
    path: '/api/v1/account',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read plan, live balance and limits (extension)',
    answers: { 200: { description: 'The account.', schema: Account } },
    errors: [],
  },
  setPlan: {
    method: 'PATCH',
    path: '/app/account',
    access: 'session',
    tag,
    summary: 'Choose the plan',
    body: exactly({ plan: oneOf(PLANS) }),
    answers: { 200: { description: 'The account.', schema: Account } },
    errors: [],
  },
  grantCredits: {
    method: 'POST',
    path: '/app/account/credits',
    access: 'session',
    tag,
    summary: 'Add credits',
    body: exactly({
      amount: Type.Integer({ minimum: 1, maximum: 100_000 }),
      note: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    answers: { 200: { description: 'The account.', schema: Account } },
    errors: [],
  },
  readLedger: {
    method: 'GET',
    path: '/app/account/ledger',
    access: 'session',
    tag,
    summary: 'Read the ledger, newest first',
    query: exactly({
      limit: Type.Optional(PageSize),
      before: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Entries older than this entry_id.',
        }),
      ),
    }),
    answers: { 200: { description: 'Entries.', schema: exactly({ entries: Type.Array(LedgerEntry) }) } },
    errors: [],
  },
  exportLedger: {
    method: 'GET',
    path: '/api/v1/account/ledger',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Export the whole ledger, oldest first (extension)',
    query: exactly({ format: Type.Optional(oneOf(['json', 'csv'], 'Form of the answer.', 'json')) }),
    answers: {
      200: {
        description: 'Every entry with the balance after it.',
        schema: exactly({ entries: Type.Array(LedgerEntry) }),
        mediaTypes: ['text/csv'],
      },
    },
    errors: [],
  },
  listKeys: {
    method: 'GET',
    path: '/app/keys',
    access: 'session',
    tag,
    summary: 'List API keys',
    answers: { 200: { description: 'Keys, newest first.', schema: exactly({ keys: Type.Array(ApiKey) }) } },
    errors: [],
  },
  createKey: {
    method: 'POST',
    path: '/app/keys',
    access: 'session',
    tag,
    summary: 'Create an API key; it is shown only once',
    body: exactly({
      name: Type.String({ minLength: 1, maxLength: 80 }),
      scope: Type.Optional(oneOf(SCOPES, SCOPE_HELP, 'all')),
      expires_in: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_KEY_SECONDS,
          description: 'Time after which the key ends, s; it has no end when absent.',
        }),
      ),
    }),
    answers: { 201: { description: 'The key.', schema: CreatedKey } },
    errors: ['KEY_LIMIT'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/app/keys/{key_id}',
    access: 'session',
    tag,
    summary: 'Revoke an API key at once and for good',
    params: exactly({ key_id: Type.String() }),
    answers: { 200: { description: 'The revoked key.', schema: ApiKey } },
    errors: ['NOT_FOUND'],
  },
})
