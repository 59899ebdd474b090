/** One rule for whatever a person names: composed, on one line, without blanks around it. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_TITLE_LENGTH } from '../../../src-contract/limits.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: createHeldEngine().fork })
})
afterAll(() => service.stop())

const preset = async (name: string) => {
  const { settings } = (await service.get('/app/desk')).body
  return service.patch('/app/desk', { presets: [{ name, settings }] })
}

/** Gives a name to each kind of thing, and returns the answer and the name that is then read. */
const named: Record<string, (name: string) => Promise<{ status: number; name: unknown; param?: string }>> = {
  async 'a song'(name) {
    const { status, body } = await service.master({ title: name, artist: name })
    const { title, artist } = await service.job(body.job_id)
    expect(artist ?? '').toBe(name.trim() === '' ? '' : title)
    return { status, name: title }
  },
  async 'a key'(name) {
    const { status, body } = await service.post('/app/keys', { name })
    return { status, name: (await service.get('/app/keys')).body.keys[0]?.name, param: body.error?.param }
  },
  async 'a preset'(name) {
    const { status, body } = await preset(name)
    return { status, name: (await service.get('/app/desk')).body.presets[0]?.name, param: body.error?.param }
  },
  async 'a grant'(note) {
    const { status } = await service.post('/app/account/credits', { amount: 1, note })
    return { status, name: (await service.get('/app/account/ledger?limit=1')).body.entries[0].note }
  },
}

test.each(Object.keys(named))(
  '%s is named in composed letters, on one line, without blanks around it',
  async (kind) => {
    const { status, name } = (await named[kind]?.(` 밤\u001b[31m의\r\n\t노래\u0085 ${'e\u0301'}\u3000`)) ?? {}
    expect([Math.floor(Number(status) / 100), name]).toEqual([2, '밤 [31m의 노래  é'])
  },
)

test.each([
  ['a key', 'name'],
  ['a preset', 'presets'],
])('%s without a name is refused', async (kind, param) => {
  for (const blank of [' ', '\u3000\n', '\u0000\u0007']) {
    expect(await named[kind]?.(blank)).toMatchObject({ status: 400, param })
  }
})

test('a blank note is none, and a blank title is the name of the file', async () => {
  expect(await named['a grant']?.(' \n')).toEqual({ status: 200, name: undefined })
  expect(await named['a song']?.(' \n')).toEqual({ status: 201, name: 'song' })
})

test('a title may have as many characters as /docs says, whatever they are made of', async () => {
  expect(await named['a song']?.('🎵'.repeat(MAX_TITLE_LENGTH))).toMatchObject({ status: 201 })
  expect((await service.master({ title: '🎵'.repeat(MAX_TITLE_LENGTH + 1) })).status).toBe(400)
})

test('two presets of one name are refused, however it is written, and those that were there stay', async () => {
  const { settings } = (await service.get('/app/desk')).body
  const put = (...names: string[]) =>
    service.patch('/app/desk', { is_paused: true, presets: names.map((name) => ({ name, settings })) })
  const known = async () => {
    const { presets, is_paused } = (await service.get('/app/desk')).body
    return [is_paused, presets.map(({ name }: { name: string }) => name)]
  }
  await put('Night', 'É')
  await service.patch('/app/desk', { is_paused: false })
  for (const [first, second] of [
    ['Night', 'Night'],
    ['Night', ' Night\n'],
    ['É', 'E\u0301'],
  ] as const) {
    const { status, body } = await put(first, 'Day', second)
    expect([status, body.error.code, body.error.param]).toEqual([409, 'PRESET_NAME_TAKEN', 'presets'])
    expect(body.error.message).toContain(`“${first}”`)
  }
  expect(await known()).toEqual([false, ['Night', 'É']])
  expect((await put('Night', 'night')).status).toBe(200)
})

test('presets of one name from an earlier version may stay, and hold up no other change', async () => {
  const { settings } = (await service.get('/app/desk')).body
  const put = (...names: string[]) => service.patch('/app/desk', { presets: names.map((name) => ({ name, settings })) })
  await put('Old', 'Other')
  const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
  db.prepare("UPDATE desk SET presets = replace(presets, 'Other', 'Old')").run()
  db.close()
  expect((await put('Old', 'Old', 'New')).status).toBe(200)
  expect((await put('Old', 'Old', 'Old')).status).toBe(409)
  expect((await put('Old', 'New')).status).toBe(200)
  expect((await put('Old', 'Old', 'New')).status).toBe(409)
})
