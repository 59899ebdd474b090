import { describe, expect, it, vi } from 'vitest'
import { createClient } from '../../src-contract/client.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { linkOf, ticketIn } from '../../src-contract/session.ts'
import { createSaver, filenameIn } from '../../src-renderer/api/save.ts'
import { openSession } from '../../src-renderer/api/session.ts'
import { recorded } from '../support/recorded-client.ts'

describe('the ticket in the address', () => {
  it('is found in the fragment of a link and nowhere else', () => {
    expect(ticketIn(new URL(linkOf('http://127.0.0.1:1', 'abc_-1')).hash)).toBe('abc_-1')
    expect(ticketIn('#x=1&ticket=a%2Bb')).toBe('a+b')
    expect(ticketIn('#/history')).toBeNull()
    expect(ticketIn('#myticket=abc')).toBeNull()
    expect(ticketIn('#ticket=%')).toBeNull()
  })
})

describe('a tab opened by a link', () => {
  /** Opens a tab whose ticket the service answers like this; returns its state, address and stored session. */
  async function opened(hash: string, kept: string | null, answer: () => Response) {
    const stored = new Map(kept === null ? [] : [['loudsmith.session', kept]])
    let address = `/${hash}`
    vi.stubGlobal('location', { hash, pathname: '/', search: '' })
    vi.stubGlobal('history', { replaceState: (_: unknown, __: string, to: string) => (address = to) })
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
    })
    const sent: unknown[] = []
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path, init) => {
        sent.push([path, init?.method, JSON.parse(String(init?.body))])
        return answer()
      },
    })
    const opening = await openSession(client)
    vi.unstubAllGlobals()
    return { ...opening, address, sent, kept: stored.get('loudsmith.session') ?? null }
  }
  const granted = () => Response.json({ credential: 'new' })
  const spent = () => Response.json({ error: { code: 'TICKET_SPENT', message: '' } }, { status: 410 })

  it('exchanges its ticket, which leaves the address, and keeps the credential for a reload', async () => {
    expect(await opened('#ticket=abc', 'old', granted)).toEqual({
      ...{ session: 'new', kept: 'new', isTicketSpent: false, address: '/#/' },
      sent: [['/app/session', 'POST', { ticket: 'abc' }]],
    })
  })

  it('goes on with what it has where the ticket is spent, and says so where it has nothing', async () => {
    expect(await opened('#ticket=abc', 'old', spent)).toMatchObject({ session: 'old', isTicketSpent: false })
    expect(await opened('#ticket=abc', null, spent)).toMatchObject({
      session: null,
      isTicketSpent: true,
      address: '/#/',
    })
  })

  it('asks for nothing without a ticket', async () => {
    expect(await opened('#/history', 'old', spent)).toMatchObject({ session: 'old', sent: [], address: '/#/history' })
  })

  it('does not call a ticket spent that never reached the service', async () => {
    const unreachable = () => {
      throw new TypeError('fetch failed')
    }
    expect(await opened('#ticket=abc', null, unreachable)).toMatchObject({ session: null, isTicketSpent: false })
  })
})

describe('the name of a saved file', () => {
  it('is the encoded one, so that Korean titles survive', () => {
    const header = `attachment; filename="___master.zip"; filename*=UTF-8''${encodeURIComponent('모래시계_master.zip')}`
    expect(filenameIn(header)).toBe('모래시계_master.zip')
  })

  it('falls back to the plain one, and to nothing', () => {
    expect(filenameIn('attachment; filename="a b.zip"')).toBe('a b.zip')
    expect(filenameIn('attachment; filename=a.zip')).toBe('a.zip')
    expect(filenameIn('inline')).toBeNull()
    expect(filenameIn(null)).toBeNull()
  })
})

describe('a file that is asked for again while it is on its way', () => {
  it('is fetched once, and once more afterwards', async () => {
    const asked: string[] = []
    const { promise: failure, reject: fail } = Promise.withResolvers<Response>()
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: (path) => {
        asked.push(String(path))
        return failure
      },
    })
    const saver = createSaver(client)
    const saves = [saver.saveZip('a'), saver.saveZip('a'), saver.saveMaster('a', 'spotify'), saver.saveZip('b')]
    const ends = Promise.allSettled(saves)
    expect(asked).toEqual(['/api/v1/jobs/a/download', '/api/v1/jobs/a/files/spotify', '/api/v1/jobs/b/download'])
    fail(new TypeError('no network'))
    expect((await ends).map((end) => end.status)).toEqual(Array(4).fill('rejected'))
    await expect(saver.saveZip('a')).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(asked).toHaveLength(4)
  })
})

describe('masters that the desktop shows in its file manager', () => {
  it('are missed aloud where they are no longer there', async () => {
    const { client } = recorded(() => Response.json({}))
    const saver = createSaver(client, { revealMasters: async (jobId) => jobId === 'there' })
    await expect(saver.reveal('there')).resolves.toBeUndefined()
    await expect(saver.reveal('gone')).rejects.toMatchObject({ code: 'MASTERS_GONE' })
  })
})

describe('the master for all services', () => {
  it('is saved as FLAC where the job made one, else as WAV', async () => {
    const { client, calls } = recorded(() => new Response(new Blob([])))
    vi.stubGlobal('document', { createElement: () => ({ click: () => {} }) })
    const saver = createSaver(client)
    const files = [{ format: 'flac24' }]
    await saver.saveRelease({ job_id: 'a', release: { files } } as unknown as Job)
    await saver.saveRelease({ job_id: 'b', release: {} } as unknown as Job)
    expect(calls.map(({ path }) => path)).toEqual([
      '/api/v1/jobs/a/files/release?format=flac24',
      '/api/v1/jobs/b/files/release',
    ])
    vi.unstubAllGlobals()
  })
})
