/** Covers of releases: converted where they are stored, told, and exported as they are stored. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COVER_CHANGES } from '../../../src-contract/covers.ts'
import { COVER_CHANGE_WORDS } from '../../../src-contract/text/color-models.ts'
import { pictureFacts } from '../../../src-worker/media/picture.ts'
import { DISPLAY_P3, inkPicture, pixelPicture } from '../../support/color-profiles.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'

const engine = createHeldEngine({ isAutomatic: true })
engine.masterBytes = in24Bits(wavSong({ seconds: 1, sampleRateHz: 44_100 }))
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
})
afterAll(() => service.stop())

async function put(releaseId: string, picture: Buffer) {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(picture)]), 'cover')
  return service.call('PUT', `/api/v1/releases/${releaseId}/cover`, { body: form })
}

test('a cover is stored and exported as sRGB, and what was changed is told', async () => {
  const job = await service.newJob()
  await service.ended(job.job_id)
  const wanted = { title: 'Inks', artist: 'A', kind: 'single', tracks: [{ job_id: job.job_id }] }
  const { release_id: id } = (await service.post('/api/v1/releases', wanted)).body
  expect((await put(id, inkPicture())).body.cover).toMatchObject({
    ...{ media_type: 'image/jpeg', color_model: 'rgb', changes: ['colors', 'assumed_inks'] },
  })
  const parent = mkdtempSync(path.join(tmpdir(), 'loudsmith-cover-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const { body } = await service.post(`/api/v1/releases/${id}/export`, { folder: parent, receivers: ['distrokid'] })
  expect(pictureFacts(readFileSync(path.join(body.folder, 'cover.jpg')))?.colorModel).toBe('rgb')
  const check = body.certificate.receivers[0].checks.find(({ rule }: { rule: string }) => rule === 'cover_color')
  expect(check.outcome).toBe('pass')
})

test('a cover that shops take as it is keeps its bytes, and its changes are told with the release until another comes', async () => {
  const { release_id: id } = (await service.post('/api/v1/releases', { title: 'x', artist: 'y', kind: 'ep' })).body
  const plain = pixelPicture({ width: 2, height: 2, channels: 3 }, Buffer.alloc(12, 99))
  expect((await put(id, plain)).body.cover).not.toHaveProperty('changes')
  const { body } = await service.get(`/api/v1/releases/${id}`)
  expect(body.cover).toMatchObject({ size_bytes: plain.length })
  await put(id, pixelPicture({ width: 2, height: 2, channels: 3 }, Buffer.alloc(12, 99), { icc: DISPLAY_P3 }))
  expect((await service.get(`/api/v1/releases/${id}`)).body.cover).toMatchObject({ changes: ['colors'] })
  const copy = await service.post(`/api/v1/releases/${id}/duplicate`, {})
  expect(copy.body.cover).toMatchObject({ changes: ['colors'] })
  const refused = await put(id, Buffer.from('no picture'))
  expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
})

test('every change has a sentence in both languages', () => {
  for (const change of COVER_CHANGES) {
    expect(COVER_CHANGE_WORDS[change].en).toMatch(/\.$/)
    expect(COVER_CHANGE_WORDS[change].ko).toMatch(/[가-힣].*요\.$/)
  }
})
