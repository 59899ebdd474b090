/** `loudsmith keys …` and `loudsmith account …`, as a person and as a script call them. */
import { mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandsOf } from '../support/commands.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { type Service, startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: createHeldEngine({ isAutomatic: true }).fork })
})
afterAll(() => service.stop())

const { call, json } = commandsOf(folder, () => service.dataDir)

test('a key is made with a scope and an end, which the list shows', async () => {
  const made = await json('keys', 'create', 'reader', '--scope', 'read', '--expires', '30d')
  expect(made).toMatchObject({ name: 'reader', scope: 'read', key: expect.stringMatching(/^ams_live_/) })
  expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(30 * 86_400_000)
  expect((await service.master({}, { credential: made.key })).status).toBe(403)
  expect(await json('keys', 'create', 'script')).toMatchObject({ scope: 'all' })
  const [script = '', reader = ''] = (await call('C', 'keys', 'list')).out.split('\n')
  expect(script).toMatch(/active +all +ams_live_….{4} +no expiry +never used +script$/)
  expect(reader).toMatch(/active +read +ams_live_….{4} +until \d{4}-\d\d-\d\dT\S+ +used \d{4}\S+ +reader$/)
  for (const [time, told] of [
    ['soon', /such as 90s or 7d/],
    ['30', /such as 90s or 7d/],
    ['-1d', /such as 90s or 7d/],
    ['0s', /value of --expires cannot/],
  ] as const) {
    const refused = await call('C', 'keys', 'create', 'x', `--expires=${time}`)
    expect([time, refused.code, refused.problem]).toEqual([time, 1, expect.stringMatching(told)])
  }
  expect((await call('ko_KR.UTF-8', 'keys', 'create', 'x', '--expires=1')).problem).toContain('예: 90s, 7d')
  expect((await call('C', 'keys', 'create', 'x', '--scope', 'owner')).code).toBe(1)
  expect((await json('keys', 'list')).keys).toHaveLength(2)
})

test('a folder is allowed, listed, and taken off the list, also when it is gone from the disk; one that is not on it is refused', async () => {
  for (const name of ['one', 'two']) mkdirSync(path.join(folder, name))
  expect((await call('C', 'allow')).out).toBe('No folder is allowed.\n')
  const [one, two] = ['one', 'two'].map((name) => path.join(realpathSync(folder), name))
  expect((await call('C', 'allow', 'one')).out).toBe(`${one}\n`)
  expect(await call('C', 'allow', '/')).toMatchObject({
    code: 1,
    problem: expect.stringMatching(/all of \/\. .*--yes/),
  })
  expect(await json('allow', 'two')).toEqual({ allowed_folders: [one, two] })
  expect(await json('allow', 'two', '--remove')).toEqual({ allowed_folders: [one] })
  expect(await call('ko_KR.UTF-8', 'allow', 'two', '--remove')).toMatchObject({
    ...{ code: 1, problem: `${path.join(folder, 'two')} 폴더는 목록에 없어요.\n` },
  })
  rmSync(path.join(folder, 'one'), { recursive: true })
  expect((await call('C', 'allow', one ?? '', '--remove')).out).toBe('No folder is allowed.\n')
})

test('the ledger is shown, and saved as CSV or JSON into a new file', async () => {
  const { job_id } = await service.newJob()
  const shown = (await call('C', 'account', 'ledger')).out
  expect(shown).toMatch(/^\d{4}-\S+ +renewed +500 +500\n/)
  expect(shown).toContain(`charge   -1   499  ${job_id}`)
  const { entries } = await json('account', 'ledger')
  expect(entries).toMatchObject([{ balance: 500 }, { balance: 499, job_id }])
  expect((await call('C', 'account', 'ledger', '--out', 'ledger.csv')).out).toMatch(
    /^The ledger is in .*ledger\.csv\.\n$/,
  )
  expect(readFileSync(path.join(folder, 'ledger.csv'), 'utf8')).toMatch(
    /^\ufeffentry_id,.*\r\n1,\S+,renew,500,500,,\r\n/,
  )
  expect(await json('account', 'ledger', '--out', 'ledger.json')).toMatchObject({
    file: path.join(folder, 'ledger.json'),
  })
  expect(JSON.parse(readFileSync(path.join(folder, 'ledger.json'), 'utf8'))).toEqual({ entries })
  // A file that is there is the owner's.
  const again = await call('ko_KR.UTF-8', 'account', 'ledger', '--out', 'ledger.csv')
  expect([again.code, again.problem]).toEqual([1, expect.stringMatching(/파일이 이미 있어서 덮어쓰지 않았어요/)])
})
