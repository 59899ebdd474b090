/** Readiness of a release for its receivers: what they ask for, both verdicts, and what is known before anything is written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DISTRIBUTORS, distributorProfile } from '../../../src-contract/distributors/index.ts'
import type { DeliveryCheck } from '../../../src-contract/distributors/rules.ts'
import type { FieldCheck, ReceiverCheck, ReleaseReadiness } from '../../../src-contract/release-exports.ts'
import { LANGUAGES } from '../../../src-contract/text/language.ts'
import { fieldChecks, verdictsOf } from '../../../src-server/releases/readiness.ts'
import type { ReleaseRecord } from '../../../src-server/releases/release.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { clockFrom } from '../../support/shifted-clock.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'

const RELEASE = {
  facts: { title: 'Night', artist: 'Band', kind: 'single', coherence: false },
  tracks: [
    { trackId: '1', facts: { title: 'One', artists: [], composers: ['Kim'], lyricists: [], isrc: 'KRA382400001' } },
    { trackId: '2', facts: { title: 'Two', artists: [], composers: [], lyricists: [] } },
  ],
} as unknown as ReleaseRecord

describe('a field', () => {
  const check = (receiver: (typeof DISTRIBUTORS)[number], field: string, language: 'en' | 'ko' = 'en') =>
    fieldChecks(distributorProfile(receiver), RELEASE, language).find((one) => one.field === field)

  test('that the receiver requires is missing where it is blank, with the tracks and the page', () => {
    expect(check('distrokid', 'composers')).toMatchObject({
      ...{ need: 'required', state: 'missing', tracks: [2], message: 'Missing on track 2. DistroKid requires it.' },
      ...{ read: '2026-11-29', url: expect.stringMatching(/^https:\/\/support\.distrokid\.com/) },
    })
    expect(check('distrokid', 'title')).toMatchObject({ state: 'given', need: 'required' })
    expect(check('distrokid', 'disclosure')).toMatchObject({ state: 'missing', need: 'required' })
  })

  test('that it assigns is answered by that, and one that is given stays given', () => {
    expect(check('landr', 'upc')).toMatchObject({ state: 'assigned', message: 'Assigned by LANDR.' })
    expect(check('landr', 'isrc', 'ko')).toMatchObject({ state: 'assigned', message: '트랙 2: LANDR에서 부여해요.' })
    expect(check('ditto', 'title')).toMatchObject({ state: 'given', need: 'unknown' })
  })

  test('of which no page says anything is unknown, and never invented', () => {
    const fields = fieldChecks(distributorProfile('amuse'), RELEASE, 'en')
    expect(fields.every(({ need, source }) => need === 'unknown' && source === undefined)).toBe(true)
    expect(fields.find(({ field }) => field === 'upc')?.message).toMatch(/not found in what we could read/)
  })

  test('has a sentence in both languages at every receiver', () => {
    for (const receiver of DISTRIBUTORS)
      for (const language of LANGUAGES)
        for (const { message, title } of fieldChecks(distributorProfile(receiver), RELEASE, language)) {
          expect(message).toMatch(/[.]$/)
          expect(/[가-힣]/.test(message)).toBe(language === 'ko')
          expect(title).not.toBe('')
        }
  })
})

test('only rules that a receiver publishes speak against its files, and only what it requires against the release', () => {
  const rule = (outcome: DeliveryCheck['outcome'], confidence: DeliveryCheck['confidence'] = 'published') =>
    ({ rule: 'cover', source: '', outcome, confidence, remedies: [] }) as DeliveryCheck
  const field = (need: FieldCheck['need'], state: FieldCheck['state']) => ({ need, state }) as FieldCheck
  const files = (...checks: DeliveryCheck[]) => verdictsOf(checks, []).files
  expect(files(rule('pass'), rule('remedy', 'our_recommendation'), rule('remedy', 'common_practice'))).toBe('ready')
  expect(files(rule('not_measured'), rule('pass'))).toBe('not_measured')
  expect(files(rule('not_measured'), rule('remedy'))).toBe('not_ready')
  expect(files()).toBe('ready')
  const release = (...fields: FieldCheck[]) => verdictsOf([], fields).release
  expect(release(field('required', 'given'), field('asked', 'missing'), field('unknown', 'missing'))).toBe('ready')
  expect(release(field('assigned', 'assigned'))).toBe('ready')
  expect(release(field('required', 'missing'))).toBe('not_ready')
})

describe('before an export', () => {
  const engine = createHeldEngine({ isAutomatic: true })
  engine.masterBytes = in24Bits(wavSong({ seconds: 1, sampleRateHz: 44_100 }))
  let service: Service
  let releaseId: string
  beforeAll(async () => {
    service = await startService({ forkEngine: engine.fork, clock: clockFrom('2026-12-01') })
    const job = await service.newJob()
    await service.ended(job.job_id)
    const tracks = [{ job_id: job.job_id, title: '첫차' }]
    const made = await service.post('/api/v1/releases', { title: '밤', artist: '하늘', kind: 'single', tracks })
    releaseId = made.body.release_id
  })
  afterAll(() => service.stop())

  const readiness = async (id = releaseId): Promise<ReleaseReadiness> =>
    (await service.get(`/api/v1/releases/${id}/readiness`)).body
  const change = (changes: object) =>
    service.call('PATCH', `/api/v1/releases/${releaseId}`, {
      ...{ body: JSON.stringify(changes), headers: { 'content-type': 'application/json' } },
    })
  const outcomeOf = ({ checks }: ReceiverCheck, rule: string) => checks.find((one) => one.rule === rule)?.outcome

  test('every receiver is told what it would find in the files that an export for it alone writes', async () => {
    const { chosen, receivers } = await readiness()
    expect([chosen, receivers.map(({ receiver }) => receiver)]).toEqual([[], [...DISTRIBUTORS]])
    const of = (id: string) => receivers.find(({ receiver }) => receiver === id)!
    expect(of('cd_baby').upload).toMatchObject({ format: 'wav16_44' })
    expect(
      ['file_type', 'bit_depth', 'sample_rate', 'name_characters'].map((rule) => outcomeOf(of('cd_baby'), rule)),
    ).toEqual(['pass', 'pass', 'pass', 'pass'])
    expect(of('symphonic').upload).toMatchObject({ format: 'wav24', labels: 'none' })
    expect(outcomeOf(of('symphonic'), 'no_tags')).toBe('pass')
    // Silence is measured on the written file alone.
    expect(of('audiomaze')).toMatchObject({ verdicts: { files: 'not_measured' } })
    expect(of('sundesire')).toMatchObject({ verdicts: { files: 'not_ready' } })
    expect(of('distrokid')).toMatchObject({ verdicts: { release: 'not_ready' } })
    expect(of('amuse')).toMatchObject({ verdicts: { files: 'ready', release: 'ready' } })
  })

  test('the chosen receivers are remembered, come first, and alone stand in the certificate', async () => {
    expect((await change({ receivers: ['landr', 'distrokid'] })).body.receivers).toEqual(['landr', 'distrokid'])
    const { chosen, receivers } = await readiness()
    expect([chosen, receivers.slice(0, 2).map(({ receiver }) => receiver), receivers.length]).toEqual([
      ...[['landr', 'distrokid'], ['landr', 'distrokid'], DISTRIBUTORS.length],
    ])
    const again = await service.post('/api/v1/releases', { title: 'x', artist: 'y', kind: 'ep', receivers: ['nobody'] })
    expect(again.status).toBe(400)
    expect((await change({ receivers: [] })).body).not.toHaveProperty('receivers')
    expect((await service.get('/api/v1/releases/none/readiness')).status).toBe(404)
  })

  test('names that receivers reject are told with the change that mends them, which is one PATCH away', async () => {
    const tracks = [
      { title: 'NIGHT BUS (Official Video)', isrc: 'KRA382400001' },
      { title: 'Two', isrc: 'KRA382400001' },
    ]
    const { body } = await service.post('/api/v1/releases', { title: 'x', artist: 'y', kind: 'ep', tracks })
    const remarks = async () => (await readiness(body.release_id)).remarks
    expect((await remarks()).map(({ code, track }) => [code, track])).toEqual([
      ['official_video', 1],
      ['same_isrc', 2],
    ])
    // Without its last words the title has capitals alone, which is told next.
    for (const code of ['official_video', 'all_capitals', 'same_isrc']) {
      const [first] = await remarks()
      expect(first!.code).toBe(code)
      await service.call('PATCH', `/api/v1/releases/${body.release_id}/tracks/${first!.track_id}`, {
        ...{ body: JSON.stringify(first!.mend!.track), headers: { 'content-type': 'application/json' } },
      })
    }
    expect(await remarks()).toEqual([])
    const { body: mended } = await service.get(`/api/v1/releases/${body.release_id}`)
    expect(mended.tracks.map(({ title, isrc }: { title: string; isrc?: string }) => [title, isrc])).toEqual([
      ...[
        ['Night Bus', 'KRA382400001'],
        ['Two', undefined],
      ],
    ])
  })

  test('the disclosure is stated for the record or for a track, and each track has the answers to forms', async () => {
    const none = { vocals: { use: 'none' }, instrumentation: { use: 'none' }, composition: { use: 'none' } }
    const tracks = [{ title: 'A', disclosure: { vocals: { use: 'generated' } } }, { title: 'B' }]
    const { body } = await service.post('/api/v1/releases', {
      title: 'x',
      artist: 'y',
      kind: 'ep',
      disclosure: none,
      tracks,
    })
    expect(body.tracks[0].disclosure).toEqual({ vocals: { use: 'generated' } })
    const stateOf = async () => {
      const { receivers } = await readiness(body.release_id)
      return receivers
        .find(({ receiver }) => receiver === 'distrokid')
        ?.fields?.find(({ field }) => field === 'disclosure')
    }
    expect(await stateOf()).toMatchObject({ state: 'missing', tracks: [1, 2] })
    const patch = (path: string, changes: object) =>
      service.call('PATCH', `/api/v1/releases/${body.release_id}${path}`, {
        ...{ body: JSON.stringify(changes), headers: { 'content-type': 'application/json' } },
      })
    await patch('', { disclosure: { lyrics: { use: 'none' } } })
    expect(await stateOf()).toMatchObject({ state: 'given' })
    const sheet = (await service.get(`/app/releases/${body.release_id}/disclosure`)).body
    expect(sheet.tracks.map(({ answers }: { answers: { distrokid: object } }) => answers.distrokid)).toMatchObject([
      { lyrics: false, music: false, audio: 'part' },
      { lyrics: false, music: false, audio: 'none' },
    ])
    const first = await patch(`/tracks/${body.tracks[0].track_id}`, { disclosure: { vocals: null } })
    expect(first.body.tracks[0]).not.toHaveProperty('disclosure')
  })

  test('nothing is measured of a release without masters, and nothing is blamed', async () => {
    const { body } = await service.post('/api/v1/releases', {
      title: 'Soon',
      artist: 'y',
      kind: 'ep',
      tracks: [{ title: 'A' }],
    })
    const { receivers } = await readiness(body.release_id)
    const found = receivers.find(({ receiver }) => receiver === 'audiomaze')!
    expect(found.verdicts?.files).toBe('not_measured')
    const own = found.checks.filter(({ read }) => read !== undefined)
    expect(new Set(own.map(({ outcome }) => outcome))).toEqual(new Set(['not_measured']))
  })
})
