import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createHeldEngine } from '../../support/held-engine.ts'
import { masterForm, type Service, startService } from '../../support/service.ts'
import { shiftedClock } from '../../support/shifted-clock.ts'
import { eventually } from '../notify/fixture.ts'

let service: Service
let clock: ReturnType<typeof shiftedClock>
beforeEach(async () => {
  clock = shiftedClock()
  service = await startService({ clock, forkEngine: createHeldEngine().fork })
})
afterEach(() => service.stop())

const account = () => service.get('/api/v1/account').then(({ body }) => body)
const status = async (credential: string, address = '/api/v1/jobs') =>
  (await service.get(address, { credential })).status

/** Sends `POST /api/v1/master`; when the song is half on its way, `meanwhile` happens. */
async function masterSlowly(credential: string, meanwhile: () => Promise<void>) {
  const upload = new Response(masterForm())
  const bytes = new Uint8Array(await upload.clone().arrayBuffer())
  const body = new ReadableStream({
    async start(stream) {
      stream.enqueue(bytes.subarray(0, 1000))
      await eventually(() => service.temporary().length === 1)
      await meanwhile()
      stream.enqueue(bytes.subarray(1000))
      stream.close()
    },
  })
  const headers = { 'content-type': upload.headers.get('content-type') ?? '' }
  const init = { body, headers, credential, duplex: 'half' }
  return service.call('POST', '/api/v1/master', init)
}

describe('keys (spec 5, contract 3)', () => {
  test('a key is the prefix and 32 lower-case hexadecimal characters, shown once and stored only as its hash', async () => {
    const key = await service.newKey('my script')
    expect(key).toMatch(/^ams_live_[0-9a-f]{32}$/)
    const { body } = await service.get('/app/keys')
    expect(body.keys).toMatchObject([
      { name: 'my script', prefix: 'ams_live_', last_four: key.slice(-4), state: 'active' },
    ])
    expect(body.keys[0]).not.toHaveProperty('last_used_at')
    expect(JSON.stringify(body)).not.toContain(key)
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'), { readonly: true })
    expect(JSON.stringify(db.prepare('SELECT * FROM api_keys').all())).not.toContain(key.slice(9))
    db.close()
  })

  test('a change of the account that nobody can be told of is not made: no key without its secret, no credits twice', async () => {
    service.expectFault('INTERNAL_ERROR')
    const { key_id } = (await service.post('/app/keys', { name: 'kept' })).body
    const { credits } = await account()
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    db.exec("CREATE TRIGGER no_news BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no news'); END")
    const answers = [
      await service.post('/app/keys', { name: 'lost' }),
      await service.call('DELETE', `/app/keys/${key_id}`),
      await service.post('/app/account/credits', { amount: 5 }),
      await service.patch('/app/account', { plan: 'free' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500])
    db.exec('DROP TRIGGER no_news')
    db.close()
    expect((await service.get('/app/keys')).body.keys).toMatchObject([{ name: 'kept', state: 'active' }])
    expect(await account()).toMatchObject({ plan: 'studio', credits })
  })

  test('the scheme word may be written in any case; last use and client are remembered', async () => {
    const key = await service.newKey()
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await service.get('/api/v1/jobs', {
        headers: { authorization: `${scheme} ${key}`, 'user-agent': 'n8n/1' },
      })
      expect(answer.status).toBe(200)
    }
    expect((await service.get('/app/keys')).body.keys[0]).toMatchObject({
      last_client: 'n8n 1',
      last_used_at: expect.any(String),
    })
  })

  test.each([
    ['no credential', {}],
    ['another scheme', { authorization: 'Basic abc' }],
    ['an unknown key', { authorization: `Bearer ams_live_${'0'.repeat(32)}` }],
    ['a malformed key', { authorization: 'Bearer ams_live_xyz' }],
    ['an empty one', { authorization: 'Bearer ' }],
  ])('%s: 401 INVALID_API_KEY with WWW-Authenticate', async (_name, headers) => {
    const { status, body, headers: answered } = await service.get('/api/v1/jobs', { credential: '', headers })
    expect([status, body.error.code, answered.get('www-authenticate')]).toEqual([401, 'INVALID_API_KEY', 'Bearer'])
  })

  test('a key in the query is refused, even beside a valid header', async () => {
    const key = await service.newKey()
    expect((await service.get(`/api/v1/jobs?q=${key}`)).status).toBe(401)
    expect((await service.get(`/api/v1/jobs?q=%61ms%5Flive_${key.slice(9)}`)).status).toBe(401)
  })

  test('revoking ends a key at once and for good, and no other', async () => {
    const other = await service.newKey()
    const key = await service.newKey()
    expect(await status(key)).toBe(200)
    const { key_id } = (await service.get('/app/keys')).body.keys[0]
    expect((await service.call('DELETE', `/app/keys/${key_id}`)).body.state).toBe('revoked')
    expect([await status(key), await status(other)]).toEqual([401, 200])
    expect((await service.call('DELETE', '/app/keys/unknown')).body.error.code).toBe('NOT_FOUND')
  })

  test('a key that is revoked while its song is on the way makes no job, and costs nothing', async () => {
    const { key, key_id } = (await service.post('/app/keys', { name: 'upload' })).body
    const { credits } = (await service.get('/api/v1/account')).body
    const answer = await masterSlowly(key, async () => {
      await service.call('DELETE', `/app/keys/${key_id}`)
    })
    expect([answer.status, answer.body.error?.code]).toEqual([401, 'INVALID_API_KEY'])
    expect((await service.get('/api/v1/account')).body.credits).toBe(credits)
    expect((await service.get('/api/v1/jobs')).body.total).toBe(0)
    expect(service.temporary()).toEqual([])
  })

  test('a key whose end passes while its song is on the way makes no job, and costs nothing', async () => {
    const { key } = (await service.post('/app/keys', { name: 'upload', expires_in: 60 })).body
    const { credits } = await account()
    const answer = await masterSlowly(key, async () => {
      clock.shiftMs = 60_000
    })
    expect([answer.status, answer.body.error?.code]).toEqual([401, 'INVALID_API_KEY'])
    expect((await account()).credits).toBe(credits)
    expect((await service.get('/api/v1/jobs')).body.total).toBe(0)
  })

  test('a key works to its last millisecond', async () => {
    const { key } = (await service.post('/app/keys', { name: 'short', expires_in: 60 })).body
    const { expires_at } = (await service.get('/app/keys')).body.keys[0]
    const status = async () => (await service.get('/api/v1/account', { credential: key })).status
    const now = vi.spyOn(clock, 'now').mockReturnValue(Date.parse(expires_at) - 1)
    expect(await status()).toBe(200)
    now.mockReturnValue(Date.parse(expires_at))
    expect(await status()).toBe(401)
    now.mockRestore()
  })

  test('a key cannot reach /app: 403 FORBIDDEN', async () => {
    const key = await service.newKey()
    for (const address of ['/app/keys', '/app/settings', '/app/desk', '/app/system']) {
      const { status, body } = await service.get(address, { credential: key })
      expect([status, body.error.code]).toEqual([403, 'FORBIDDEN'])
    }
  })

  test('creation is refused at the plan’s count, and on free and starter always (spec 8)', async () => {
    for (const [plan, count] of [
      ['free', 0],
      ['starter', 0],
      ['pro', 5],
    ] as const) {
      await service.patch('/app/account', { plan })
      for (let made = 0; made < count; made++) await service.newKey()
      const { status, body } = await service.post('/app/keys', { name: 'one more' })
      expect([plan, status, body.error.code]).toEqual([plan, 409, 'KEY_LIMIT'])
    }
  })

  test('a downgrade suspends the youngest keys over the count, and an upgrade brings them back', async () => {
    const keys: string[] = []
    for (let made = 0; made < 7; made++) keys.push(await service.newKey())
    const states = async () => Promise.all(keys.map((key) => status(key)))
    await service.patch('/app/account', { plan: 'pro' })
    expect(await states()).toEqual([200, 200, 200, 200, 200, 401, 401])
    await service.patch('/app/account', { plan: 'free' })
    expect(await states()).toEqual(Array(7).fill(401))
    await service.patch('/app/account', { plan: 'studio' })
    expect(await states()).toEqual(Array(7).fill(200))
  })
})

describe('requests per minute (spec 8, contract 3)', () => {
  test('on pro the 31st request in a minute is 429 RATE_LIMIT with Retry-After, while the app itself goes on', async () => {
    const key = await service.newKey()
    await service.patch('/app/account', { plan: 'pro' })
    for (let sent = 1; sent <= 30; sent++) {
      const { status, headers } = await service.get('/api/v1/jobs', { credential: key })
      expect(status).toBe(200)
      expect(headers.get('ratelimit-policy')).toBe('"pro";q=30;w=60')
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"pro";r=${30 - sent};t=(60|5\\d)$`))
    }
    const { status, body, headers } = await service.get('/api/v1/jobs', { credential: key })
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await service.get('/api/v1/jobs')).status).toBe(200)
    expect((await service.get('/api/v1/jobs')).headers.get('ratelimit')).toBeNull()
  })

  test('the window slides, and all keys share it', async () => {
    const [first, second] = [await service.newKey(), await service.newKey()]
    await service.patch('/app/account', { plan: 'pro' })
    for (let sent = 0; sent < 15; sent++) await status(first)
    clock.shiftMs += 40_000
    for (let sent = 0; sent < 15; sent++) await status(second)
    const { status: refused, headers } = await service.get('/api/v1/jobs', { credential: first })
    // The first 15 leave the window 60 s after they came.
    const waitSeconds = Number(headers.get('retry-after'))
    expect([refused, waitSeconds > 0 && waitSeconds <= 20]).toEqual([429, true])
    clock.shiftMs += waitSeconds * 1000
    expect(await status(first)).toBe(200)
    clock.shiftMs += 21_000 - waitSeconds * 1000
    for (let sent = 0; sent < 14; sent++) expect(await status(second)).toBe(200)
    expect(await status(first)).toBe(429)
  })

  test('after a change to a smaller plan, Retry-After is the wait that lets in, though the oldest request leaves long before', async () => {
    const key = await service.newKey()
    for (let sent = 0; sent < 20; sent++) await status(key)
    clock.shiftMs += 40_000
    for (let sent = 0; sent < 30; sent++) await status(key)
    await service.patch('/app/account', { plan: 'pro' })
    const { status: refused, headers } = await service.get('/api/v1/jobs', { credential: key })
    const waitSeconds = Number(headers.get('retry-after'))
    expect(refused).toBe(429)
    expect(headers.get('ratelimit')).toBe(`"pro";r=0;t=${waitSeconds}`)
    clock.shiftMs += waitSeconds * 1000
    expect(await status(key)).toBe(200)
  })

  test('refusals do not count: 401, 403, unknown addresses and 429 itself', async () => {
    const key = await service.newKey()
    await service.patch('/app/account', { plan: 'pro' })
    for (let sent = 0; sent < 5; sent++) {
      await status('ams_live_wrong')
      await status(key, '/app/keys')
      await status(key, '/nowhere')
    }
    const left = async () =>
      /r=(\d+)/.exec((await service.get('/api/v1/jobs', { credential: key })).headers.get('ratelimit') ?? '')?.[1]
    expect(await left()).toBe('29')
    for (let sent = 0; sent < 29; sent++) await status(key)
    for (let sent = 0; sent < 5; sent++) expect(await status(key)).toBe(429)
    clock.shiftMs += 61_000
    expect(await left()).toBe('29')
  })

  test('a create that finds no free slot is 429 too and gives its request back', async () => {
    const key = await service.newKey()
    await service.patch('/app/account', { plan: 'pro' })
    for (let made = 0; made < 5; made++) await service.newJob()
    const refused = async () => {
      const { body, headers } = await service.master({}, { credential: key })
      expect(body.error.code).toBe('CONCURRENT_LIMIT')
      expect(headers.get('retry-after')).toBe('5')
      return /r=\d+/.exec(headers.get('ratelimit') ?? '')?.[0]
    }
    expect(await refused()).toBe('r=30')
    await service.get('/api/v1/jobs', { credential: key })
    expect(await refused()).toBe('r=29')
  })

  test('an upload that took more than the minute and is refused gives back no other request', async () => {
    const key = await service.newKey()
    await service.patch('/app/account', { plan: 'pro' })
    for (let made = 0; made < 5; made++) await service.newJob()
    const { body } = await masterSlowly(key, async () => {
      clock.shiftMs += 61_000
      for (let sent = 0; sent < 30; sent++) expect(await status(key)).toBe(200)
    })
    expect(body.error.code).toBe('CONCURRENT_LIMIT')
    expect(await status(key)).toBe(429)
  })
})

describe('the account (contract 3)', () => {
  test('starts on studio with its monthly credits, its limits and nothing used', async () => {
    expect(await account()).toMatchObject({
      plan: 'studio',
      credits: 500,
      monthly_credits: 500,
      limits: { keys: 20, requests_per_minute: 100, webhooks: 10, concurrent_jobs: 20 },
      usage: { keys: 0, webhooks: 0, unfinished_jobs: 0 },
      expiring: null,
    })
  })

  test('charges one credit whatever the platforms and the tier, and shows it in the ledger', async () => {
    const all = 'spotify,apple_music,youtube,melon,soundcloud'
    const { job_id } = await service.newJob({ platforms: all, tier: 'premium' })
    expect((await account()).credits).toBe(499)
    const { entries } = (await service.get('/app/account/ledger')).body
    expect(entries).toMatchObject([
      { kind: 'charge', amount: -1, balance: 499, job_id },
      { kind: 'renew', amount: 500, balance: 500 },
    ])
    clock.shiftMs += 32 * 86_400_000
    const [latest] = (await service.get('/app/account/ledger?limit=1')).body.entries
    expect(latest).toMatchObject({ kind: 'renew', amount: 1, balance: 500 })
  })

  test('refuses a job without credits: 402 INSUFFICIENT_CREDITS, and takes one after a grant', async () => {
    await service.patch('/app/account', { plan: 'free' })
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', -500, 0)").run()
    db.close()
    const { status, body } = await service.master()
    expect([status, body.error.code]).toEqual([402, 'INSUFFICIENT_CREDITS'])
    await service.post('/app/account/credits', { amount: 1 })
    expect((await service.master()).body.credits_remaining).toBe(0)
  })

  test('credits, slots and room are looked at in this order, and by a dry run as well (contract 1)', async () => {
    await service.patch('/app/account', { plan: 'free' })
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', -499, 0)").run()
    db.close()
    await service.newJob()
    await service.patch('/app/settings', { disk_quota_bytes: 1 })
    const refusals = async () => {
      const answers = [await service.master(), await service.master({ dry_run: 'true' })]
      return answers.map(({ status, body }) => `${status} ${body.error?.code}`)
    }
    expect(await refusals()).toEqual(Array(2).fill('402 INSUFFICIENT_CREDITS'))
    await service.post('/app/account/credits', { amount: 1 })
    expect(await refusals()).toEqual(Array(2).fill('429 CONCURRENT_LIMIT'))
    await service.patch('/app/account', { plan: 'starter' })
    expect(await refusals()).toEqual(Array(2).fill('507 INSUFFICIENT_STORAGE'))
    expect((await account()).credits).toBe(1)
  })

  test('tops the balance up to the allotment once per calendar month, never twice, never after the clock went back', async () => {
    await service.newJob()
    await service.patch('/app/account', { plan: 'starter' })
    expect((await account()).credits).toBe(499)
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', -490, 0)").run()
    expect((await account()).credits).toBe(9)
    clock.shiftMs += 32 * 86_400_000
    expect((await account()).credits).toBe(20)
    db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', -20, 0)").run()
    db.close()
    expect((await account()).credits).toBe(0)
    clock.shiftMs -= 64 * 86_400_000
    expect((await account()).credits).toBe(0)
  })

  test('says when credits really come next, also after the clock was in a later month and went back', async () => {
    const renewsAt = async () => (await account()).renews_at
    const before = await renewsAt()
    clock.shiftMs += 100 * 86_400_000
    const later = await renewsAt()
    expect(later > before).toBe(true)
    clock.shiftMs -= 100 * 86_400_000
    expect(await renewsAt()).toBe(later)
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', -500, 0)").run()
    db.close()
    clock.shiftMs += Date.parse(later) - clock.now() - 1000
    expect((await account()).credits).toBe(0)
    clock.shiftMs += 2000
    expect((await account()).credits).toBe(500)
  })

  test('adds a grant to the month’s credits, also when it is the first that the month sees', async () => {
    const granted = await service.post('/app/account/credits', { amount: 5 })
    expect([granted.body.credits, (await account()).credits]).toEqual([505, 505])
    clock.shiftMs += 32 * 86_400_000
    expect((await service.post('/app/account/credits', { amount: 5 })).body.credits).toBe(510)
  })

  test('a month that began under a plan has that plan’s credits, also when the plan changes before anybody looked', async () => {
    expect((await service.patch('/app/account', { plan: 'free' })).body.credits).toBe(500)
    clock.shiftMs += 32 * 86_400_000
    expect((await service.patch('/app/account', { plan: 'studio' })).body.credits).toBe(500)
    const { entries } = (await service.get('/app/account/ledger')).body
    expect(entries.map(({ amount }: { amount: number }) => amount)).toEqual([0, 500])
  })

  test('keeps a ledger that nobody can rewrite', async () => {
    await account()
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    expect(() => db.exec('UPDATE ledger SET amount = 9000')).toThrow('append-only')
    expect(() => db.exec('DELETE FROM ledger')).toThrow('append-only')
    db.close()
  })
})

test('stored files are private to this user: folders 0700, files 0600 (contract 7)', async () => {
  await service.newJob()
  const modes = readdirSync(service.dataDir, { recursive: true, withFileTypes: true }).map((entry) => {
    const mode = (statSync(path.join(entry.parentPath, entry.name)).mode & 0o777).toString(8)
    return `${entry.isDirectory() ? 'folder' : 'file'} ${mode}`
  })
  expect(new Set(modes)).toEqual(new Set(['folder 700', 'file 600']))
  expect((statSync(service.dataDir).mode & 0o777).toString(8)).toBe('700')
})
