/** Refusals name the allowed values in the language of the message, wherever the check is made. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobSettings } from '../../../src-contract/settings.ts'
import { type Detail, detailText } from '../../../src-contract/text/details.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type MasterFields, masterForm, type Service, startService } from '../../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: createHeldEngine({ answersLooks: true }).fork })
})
afterAll(() => service.stop())

const audition = (settings: object) => ({
  source_id: 'unknown',
  platform: 'spotify',
  settings: { ...jobSettings({ platforms: ['spotify'] }), reference_source_id: null, ...settings },
})

async function refusalOf(method: string, address: string, body?: unknown, language = 'en') {
  const isForm = body instanceof FormData
  const headers = { 'accept-language': language, ...(isForm || !body ? {} : { 'content-type': 'application/json' }) }
  const answer = await service.call(method, address, {
    headers,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  return answer.body.error as { message: string; param?: string; details?: string[] }
}

type Refused = [
  method: string,
  address: string,
  given: unknown,
  param: string | undefined,
  english: string,
  korean: string,
]

test.each<Refused>([
  [
    'POST',
    '/api/v1/master',
    { intensity: '101' },
    'intensity',
    'It must be a whole number from 0 to 100.',
    '0부터 100까지의 정수여야 해요.',
  ],
  [
    'POST',
    '/api/v1/master',
    { tier: 'gold' },
    'tier',
    'It must be one of: standard, premium.',
    '다음 중 하나여야 해요: standard, premium.',
  ],
  ['POST', '/api/v1/master', { batch_id: 'x' }, 'batch_id', 'It must be a UUID.', 'UUID여야 해요.'],
  ['POST', '/api/v1/master', { dry_run: 'yes' }, 'dry_run', 'It must be true or false.', 'true 또는 false여야 해요.'],
  [
    'POST',
    '/api/v1/master',
    { title: 'x'.repeat(201) },
    'title',
    'It must have at most 200 characters.',
    '200자 이하여야 해요.',
  ],
  [
    'POST',
    '/api/v1/master',
    { genre: ['pop', 'pop'] },
    'genre',
    'It may be sent only once.',
    '한 번만 보낼 수 있어요.',
  ],
  [
    'POST',
    '/api/v1/master',
    { data: new Blob(['a song under another name']) },
    'data',
    'A file must be sent as one of: file, reference_file, reference_file_2, reference_file_3, reference_file_4, cover_file, recipe.',
    '파일은 다음 이름으로 보내야 해요: file, reference_file, reference_file_2, reference_file_3, reference_file_4, cover_file, recipe.',
  ],
  ...[
    '0',
    '101',
    '1.5',
    '1.0',
    'true',
    '0x10',
    '1e1',
    '',
    '%205',
    '+5',
    '-1',
    '1_0',
    '%D9%A3',
    'many',
    '9'.repeat(30),
  ].map(
    (limit): Refused => [
      'GET',
      `/api/v1/jobs?limit=${limit}`,
      undefined,
      'limit',
      'It must be a whole number from 1 to 100.',
      '1부터 100까지의 정수여야 해요.',
    ],
  ),
  ['GET', '/api/v1/jobs?limit=1&limit=2', undefined, 'limit', 'It may be sent only once.', '한 번만 보낼 수 있어요.'],
  ['GET', '/api/v1/jobs?q=a&q=b', undefined, 'q', 'It may be sent only once.', '한 번만 보낼 수 있어요.'],
  ['GET', '/api/v1/jobs?batch_id=x', undefined, 'batch_id', 'It must be a UUID.', 'UUID여야 해요.'],
  [
    'GET',
    '/app/account/ledger?before=-1',
    undefined,
    'before',
    'It must be a whole number from 1 to 9007199254740991.',
    '1부터 9007199254740991까지의 정수여야 해요.',
  ],
  [
    'POST',
    '/app/account/credits',
    { amount: 1.5 },
    'amount',
    'It must be a whole number from 1 to 100000.',
    '1부터 100000까지의 정수여야 해요.',
  ],
  ['POST', '/api/v1/webhooks', {}, 'url', 'Missing: url.', '빠진 값: url.'],
  [
    'POST',
    '/api/v1/webhooks',
    { url: 'http://127.0.0.1:9/', events: [] },
    'events',
    'It must have at least 1 entry.',
    '항목이 1개 이상이어야 해요.',
  ],
  ['POST', '/app/keys', { name: '' }, 'name', 'It must have at least 1 character.', '1자 이상이어야 해요.'],
  [
    'PATCH',
    '/app/settings',
    { is_offline: 'no' },
    'is_offline',
    'It must be true or false.',
    'true 또는 false여야 해요.',
  ],
  ['PATCH', '/app/settings', [], undefined, 'It must be a JSON object.', 'JSON 객체여야 해요.'],
])('%s %s %j', async (method, address, given, param, english, korean) => {
  const body = address === '/api/v1/master' ? masterForm(given as MasterFields) : given
  expect(await refusalOf(method, address, body)).toMatchObject({ details: [english] })
  const refusal = await refusalOf(method, address, body, 'ko')
  expect(refusal).toMatchObject({ details: [korean], message: expect.stringMatching(/[가-힣]/) })
  expect(refusal.param).toBe(param)
  expect(refusal.message).not.toContain('undefined')
  // The sentence alone says the cause.
  if (param !== undefined) expect(refusal.message).toContain(korean)
})

const RELEASE = { title: 'a', artist: 'b', kind: 'ep' }

/** Place and rule in the refusal of a request that is right except for `wrong`. */
test.each<[place: string, rule: string, address: string, wrong: object]>([
  ['settings.tilt_db', 'a number from -3 to 3', '/api/v1/releases', { ...RELEASE, settings: { tilt_db: 9 } }],
  ['settings.target_lufs', 'a number from', '/api/v1/releases', { ...RELEASE, settings: { target_lufs: 'loud' } }],
  [
    'settings.skip_repairs[1]',
    'one of',
    '/api/v1/releases',
    { ...RELEASE, settings: { skip_repairs: ['mud', 'mood'] } },
  ],
  ['settings.tilt', 'no field of this name', '/api/v1/releases', { ...RELEASE, settings: { tilt: 1 } }],
  ['settings', 'a JSON object', '/api/v1/releases', { ...RELEASE, settings: 5 }],
  ['tracks[1]', 'a JSON object', '/api/v1/releases', { ...RELEASE, tracks: [{ title: 'a' }, 5] }],
  ['tracks[1].fade_in_seconds', 'from 0', '/api/v1/releases', { ...RELEASE, tracks: [{}, { fade_in_seconds: -1 }] }],
  ['tracks[0].artists[1]', 'a string', '/api/v1/releases', { ...RELEASE, tracks: [{ artists: ['a', 5] }] }],
  ['tracks[0].job_id', 'a UUID', '/api/v1/releases', { ...RELEASE, tracks: [{ job_id: 'x' }] }],
  [
    'tracks[0].settings.air_db',
    'a number',
    '/api/v1/releases',
    { ...RELEASE, tracks: [{ settings: { air_db: true } }] },
  ],
  ['tracks[0].isrc', 'An ISRC has', '/api/v1/releases', { ...RELEASE, tracks: [{ isrc: 'x', title: 'a' }] }],
  ['disclosure.lyrics.use', 'Missing: use', '/api/v1/releases', { ...RELEASE, disclosure: { lyrics: {} } }],
  ['disclosure.a/b~c', 'no field of this name', '/api/v1/releases', { ...RELEASE, disclosure: { 'a/b~c': {} } }],
  ['settings.warmth', 'a whole number from 0 to 100', '/app/auditions', audition({ warmth: 101 })],
  ['settings.colour', 'no field of this name', '/app/auditions', audition({ colour: 1 })],
])('%s: %s', async (param, rule, address, wrong) => {
  const refusal = await refusalOf('POST', address, wrong)
  expect(refusal).toMatchObject({ param, details: [expect.stringContaining(rule)] })
  expect(refusal.message).toBe(`The value of "${param}" cannot be used. ${refusal.details?.[0]}`)
})

test('an unknown name is told in part where it is as long as a request may be', async () => {
  const { param } = await refusalOf('POST', '/api/v1/releases', { ...RELEASE, settings: { ['x'.repeat(500_000)]: 1 } })
  expect(param).toBe(`settings.${'x'.repeat(100)}`)
})

test('a file that is sent twice is to be sent once', async () => {
  const form = masterForm({})
  form.append('file', new Blob(['another song']), 'b.wav')
  expect(await refusalOf('POST', '/api/v1/master', form)).toMatchObject({
    param: 'file',
    details: ['It may be sent only once.'],
  })
})

test('a field that is too long is named', async () => {
  const form = masterForm({ lyrics: 'la '.repeat(400_000) })
  expect(await refusalOf('POST', '/api/v1/master', form)).toMatchObject({ param: 'lyrics' })
})

test.each(['track.wav', 'null'])(
  'a reference that is the text %j instead of a file is refused, with how to send it',
  async (text) => {
    const refusal = await refusalOf('POST', '/api/v1/master', masterForm({ reference_file: text }))
    expect(refusal).toMatchObject({ param: 'reference_file', message: expect.stringContaining('-F reference_file=@') })
    const blank = await service.master({ reference_file: ' ', dry_run: 'true' })
    expect(blank.status).toBe(200)
  },
)

test('every rule has a sentence of its own in both languages', () => {
  const samples: Detail[] = [
    { rule: 'one_of', words: ['a', 'b'] },
    { rule: 'between', least: 0, most: 9 },
    { rule: 'members', names: ['a'] },
    { rule: 'file_part', names: ['a', 'b'] },
    { rule: 'not_text', name: 'a' },
    { rule: 'references', limit: 4 },
    { rule: 'weight_of_each', count: 2 },
    { rule: 'passage', limit: 2 },
    ...(['at_least', 'at_most', 'characters_at_least', 'characters_at_most'] as const).map((rule) => ({
      rule,
      limit: 2,
    })),
    ...(['items_at_least', 'items_at_most'] as const).map((rule) => ({ rule, limit: 2 })),
    ...(
      [
        'whole_number',
        'number',
        'text',
        'flag',
        'list',
        'object',
        'uuid',
        'each_once',
        'once',
        'unknown_member',
        'language',
        'one_rate',
        'silent_passage',
        'other_test',
        'other_sounds',
        'form',
      ] as const
    ).map((rule) => ({ rule })),
  ]
  const english = samples.map((detail) => detailText(detail, 'en'))
  const korean = samples.map((detail) => detailText(detail, 'ko'))
  for (const text of english) expect(text).toMatch(/^[^가-힣]+\.$/)
  for (const text of korean) expect(text).toMatch(/[가-힣].*\.$|빠진 값: a\.$/)
  expect(new Set(english).size).toBe(samples.length)
  expect(new Set(korean).size).toBe(samples.length)
  const counted = [1, 20].flatMap((limit) =>
    (['characters_at_least', 'items_at_most'] as const).map((rule) => detailText({ rule, limit }, 'en')),
  )
  expect(counted).toEqual([
    'It must have at least 1 character.',
    'It must have at most 1 entry.',
    'It must have at least 20 characters.',
    'It must have at most 20 entries.',
  ])
})
