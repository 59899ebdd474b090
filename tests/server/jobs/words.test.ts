/** `POST /api/v1/words`: words about the sound as settings. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const say = (body: object, init?: { credential: string }) => service.post('/api/v1/words', body, init)

test('words are settings of a job, said in both languages, with the rest named', async () => {
  const { status, body } = await say({ words: 'warmer and less harsh, more crispy-lofi' })
  expect([status, body]).toEqual([
    200,
    {
      settings: { presence_db: -1, warmth: 25 },
      understood: [
        { words: 'warmer', settings: { warmth: 25 } },
        { words: 'less harsh', settings: { presence_db: -1 } },
      ],
      unknown: ['crispy-lofi'],
      limited: [],
      summary: 'Presence −1.0 dB, Warmth 25. Not understood: “crispy-lofi”.',
    },
  ])
  const korean = await say({ words: '저음은 단단하게', language: 'ko', settings: { punch: 90 } })
  expect(korean.body).toMatchObject({ settings: { punch: 100 }, summary: '펀치 100. 설정 범위의 끝: 펀치.' })
  const { body: both } = await say({ words: 'brighter but darker, warmer by 999 dB' })
  expect(both.limited).toEqual([
    { words: 'brighter', setting: 'tilt_db', reason: 'contradiction' },
    { words: 'warmer 999 dB', setting: 'warmth', reason: 'range' },
  ])
  expect(both.summary).toBe(
    'Tilt −1.0 dB, Warmth 100. At the end of its range: Warmth. Left out, since what follows says the opposite: “brighter”.',
  )
})

test('is free, needs only to read, and is bounded', async () => {
  const { key } = (await service.post('/app/keys', { name: 'reader', scope: 'read' })).body
  const before = (await service.get('/api/v1/account')).body.credits
  expect((await say({ words: 'louder' }, { credential: key })).status).toBe(200)
  expect((await service.get('/api/v1/account')).body.credits).toBe(before)
  for (const [body, param] of [
    [{}, 'words'],
    [{ words: '' }, 'words'],
    [{ words: 'x'.repeat(501) }, 'words'],
    [{ words: 'warm', settings: { warmth: 101 } }, 'settings.warmth'],
    [{ words: 'warm', language: 'fr' }, 'language'],
  ] as const) {
    const refused = await say(body)
    expect([refused.status, refused.body.error.param]).toEqual([400, param])
  }
})

test('"like the last one" is the newest job, without the cuts of its song', async () => {
  expect((await say({ words: 'like the last one' })).body.unknown).toEqual(['like the last one'])
  const { job_id } = await service.newJob({ platforms: 'melon', genre: 'kpop', warmth: '30', fade_out_seconds: '1' })
  await service.ended(job_id)
  const { body } = await say({ words: 'like the last one, but warmer' })
  expect(body.settings).toEqual({ platforms: ['melon'], genre: 'kpop', warmth: 55 })
})
