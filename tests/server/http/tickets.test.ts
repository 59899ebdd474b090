/** The way into the page: a one-time ticket for the session's credential, and what only the owner's credential may. */
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkOf, ticketIn } from '../../../src-contract/session.ts'
import { createTickets } from '../../../src-server/access/tickets.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const asOwner = () => ({ credential: service.controlCredential })
const newTicket = async () => (await service.post('/app/tickets', {}, asOwner())).body.ticket as string
const exchange = (ticket: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', '/app/session', {
    body: JSON.stringify({ ticket }),
    headers: { 'content-type': 'application/json', ...headers },
    credential: '',
  })

test('a ticket opens the page once: the second time it is 410 TICKET_SPENT and names the command for another', async () => {
  const ticket = await newTicket()
  const { status, body, headers } = await exchange(ticket)
  expect([status, body]).toEqual([200, { credential: service.sessionCredential }])
  expect(headers.get('cache-control')).toBe('no-store')
  for (const spent of [ticket, 'made-up']) {
    const again = await exchange(spent)
    expect([again.status, again.body.error.code]).toEqual([410, 'TICKET_SPENT'])
    expect(again.body.error.message).toContain('loudsmith open')
  }
  const korean = await exchange(ticket, { 'accept-language': 'ko' })
  expect(korean.body.error.message).toMatch(/[가-힣].*loudsmith open/)
})

test('two that exchange one ticket at the same moment: one gets the credential', async () => {
  const ticket = await newTicket()
  const statuses = (await Promise.all([exchange(ticket), exchange(ticket)])).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 410])
})

test('a ticket is exchanged within five minutes, however the clock is set and however long the machine sleeps', () => {
  const clock = { wallMs: 1e12, awakeMs: 5, now: () => clock.wallMs, monotonicMs: () => clock.awakeMs }
  const tickets = createTickets({ clock, random: systemRandom })
  const after = (wallMs: number, awakeMs: number) => {
    const ticket = tickets.mint()
    clock.wallMs += wallMs
    clock.awakeMs += awakeMs
    return tickets.redeem(ticket)
  }
  expect([after(299_999, 299_999), after(300_000, 300_000)]).toEqual([true, false])
  expect(after(-86_400_000, 300_000), 'set back meanwhile').toBe(false)
  expect(after(300_000, 1000), 'asleep meanwhile').toBe(false)
})

test('tickets that nobody exchanges are not kept without end', () => {
  const tickets = createTickets({ clock: { now: () => 0, monotonicMs: () => 0 }, random: systemRandom })
  const made = Array.from({ length: 150 }, () => tickets.mint())
  expect(new Set(made).size).toBe(150)
  expect([tickets.redeem(made[0] ?? ''), tickets.redeem(made.at(-1) ?? '')]).toEqual([false, true])
})

test('a ticket is made for the owner alone: neither for the page, nor for an API key, nor for nobody', async () => {
  const key = await service.newKey()
  for (const [credential, status, code] of [
    [service.sessionCredential, 403, 'OWNER_REQUIRED'],
    [key, 403, 'FORBIDDEN'],
    ['', 401, 'INVALID_API_KEY'],
  ] as const) {
    const refused = await service.post('/app/tickets', {}, { credential })
    expect([refused.status, refused.body.error.code]).toEqual([status, code])
  }
})

test.each([
  ['of another site', { origin: 'http://evil.example' }],
  ['of another program on this machine that serves a page', { origin: 'http://127.0.0.1:1' }],
  ['without an origin of its own', { origin: 'null' }],
  ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
])('a page %s exchanges no ticket, and the ticket is not spent by that', async (_, headers) => {
  const ticket = await newTicket()
  const refused = await exchange(ticket, headers)
  expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN'])
  expect((await exchange(ticket)).status).toBe(200)
})

test.each([[''], [7], [null], ['x'.repeat(201)]])('what cannot be a ticket (%j) is 400', async (ticket) => {
  expect((await exchange(ticket)).status).toBe(400)
})

test('a form of another page, which asks nobody first, is no exchange', async () => {
  const headers = { 'content-type': 'text/plain' }
  expect((await exchange(await newTicket(), headers)).status).toBe(415)
})

test('the owner file holds a credential of its own, which opens what the page may do, and is readable by its owner alone', async () => {
  const file = path.join(service.dataDir, 'owner.json')
  const text = readFileSync(file, 'utf8')
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(text).controlToken).toBe(service.controlCredential)
  expect(service.controlCredential).not.toBe(service.sessionCredential)
  expect(text).not.toContain(service.sessionCredential)
  for (const address of ['/app/desk', '/api/v1/account', '/app/settings'])
    expect((await service.get(address, asOwner())).status).toBe(200)
})

test('the log of a service that gave a link away holds neither ticket nor credential', async () => {
  const link = service.newLink()
  const ticket = ticketIn(new URL(link).hash) ?? ''
  expect(link).toBe(linkOf(service.baseUrl, ticket))
  await exchange(ticket)
  await exchange(ticket)
  await service.get(`/app/session?ticket=${ticket}`)
  const log = JSON.stringify(service.lines)
  for (const secret of [ticket, service.sessionCredential, service.controlCredential]) expect(log).not.toContain(secret)
})
