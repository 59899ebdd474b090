/** Stems by the API: stored as a set, mastered as their sum, and removed. */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, expect, test } from 'vitest'
import type { MasterOutcome } from '../../../src-cli/master.ts'
import type { StemSet } from '../../../src-contract/stems.ts'
import { wavHead } from '../../../src-worker/media/wav.ts'
import { commandsOf } from '../../support/commands.ts'
import { pngPicture } from '../../support/pictures.ts'
import { type Service, startService } from '../../support/service.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { zipOf } from '../../support/zips.ts'

const service: Service = await startService()
const music = temporaryFolder()
afterAll(() => service.stop())
const key = await service.newKey('programs')

const STEMS = [
  { name: 'Night Drive (Vocals).wav', content: wavSong({ seconds: 2, hertz: 440 }) },
  { name: 'Night Drive (Drums).wav', content: wavSong({ seconds: 1.5, hertz: 90, channels: 1 }) },
  { name: 'Night Drive (Bass).wav', content: in24Bits(wavSong({ seconds: 2, hertz: 55 })) },
]
const blobOf = (bytes: Buffer) => new Blob([new Uint8Array(bytes)])
const RATE_HZ = 8000

function formOf(
  fields: Readonly<Record<string, string>>,
  parts: readonly (readonly [string, Buffer, string])[],
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries({ kind: 'stems', ...fields })) form.append(name, value)
  for (const [part, bytes, filename] of parts) form.append(part, blobOf(bytes), filename)
  return form
}
const store = (body: FormData, credential: string | undefined = key) =>
  service.call('POST', '/api/v1/sources', { body, ...(credential === undefined ? {} : { credential }) })
const asParts = (stems = STEMS) => stems.map(({ name, content }) => ['stems', content, name] as const)
const asZip = (name = 'Night Drive.zip') => [['file', zipOf(STEMS), name] as const]
const storeSet = async (body: FormData, credential?: string) => {
  const { status, body: set } = await store(body, credential)
  expect({ status, set }).toMatchObject({ status: 201 })
  return set as StemSet
}
const sendSet = (set: StemSet, stems: unknown) => {
  const form = new FormData()
  const fields = { platforms: 'spotify', source_id: set.source_id, stems: JSON.stringify(stems) }
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return service.call('POST', '/api/v1/master', { body: form, credential: key })
}
const remove = (sourceId: string) => service.call('DELETE', `/api/v1/sources/${sourceId}`, { credential: key })

/** The sum of the stems by another hand, as a WAV of 32 bit float. */
function sumByHand(gainOf: (index: number) => number = () => 1): Buffer {
  const samples = new Float64Array(2 * 2 * RATE_HZ)
  for (const [index, { content }] of STEMS.entries()) {
    const [channels, bytes] = [content.readUInt16LE(22), content.readUInt16LE(34) / 8]
    const frames = (content.length - 44) / channels / bytes
    for (let i = 0; i < 2 * frames; i++) {
      const at = 44 + bytes * (channels === 1 ? i >> 1 : i)
      samples[i]! += gainOf(index) * (content.readIntLE(at, bytes) / 2 ** (8 * bytes - 1))
    }
  }
  const wav = Buffer.alloc(44 + 4 * samples.length)
  STEMS[0]!.content.copy(wav, 0, 0, 44)
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.writeUInt16LE(3, 20)
  wav.writeUInt32LE(8 * RATE_HZ, 28)
  wav.writeUInt16LE(8, 32)
  wav.writeUInt16LE(32, 34)
  wav.writeUInt32LE(4 * samples.length, 40)
  for (const [i, value] of samples.entries()) wav.writeFloatLE(value, 44 + 4 * i)
  return wav
}

async function samplesOf(jobId: string, name: string): Promise<Buffer> {
  const response = await fetch(new URL(`/api/v1/jobs/${jobId}/files/${name}`, service.baseUrl), {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(response.status).toBe(200)
  const bytes = Buffer.from(await response.arrayBuffer())
  const at = bytes.indexOf('data', 12, 'latin1')
  return bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4))
}

test('a ZIP of stems is stored as a set, whose master is that of the sum as a float WAV, for one credit', async () => {
  const set = await storeSet(formOf({}, asZip()))
  expect(set).toMatchObject({
    title: 'Night Drive',
    stems: [
      { stem: 1, role: 'voice', filename: 'Night Drive (Vocals).wav', codec: 'pcm_s16', channels: 2 },
      { stem: 2, role: 'drums', filename: 'Night Drive (Drums).wav', channels: 1, duration_seconds: 1.5 },
      { stem: 3, role: 'bass', filename: 'Night Drive (Bass).wav', codec: 'pcm_s24' },
    ],
    sample_rate_hz: RATE_HZ,
    duration_seconds: 2,
    notes: ['The stems differ in length: shorter ones are padded with silence at their end.'],
  })
  expect(Date.parse(set.expires_at!) - Date.parse(set.created_at)).toBe(24 * 3_600_000)
  const waves = set.stems.map(({ waveform_percent }) => waveform_percent!)
  expect(waves.map((wave) => [wave.length, Math.max(...wave) > 15])).toEqual(STEMS.map(() => [200, true]))
  const [listed] = (await service.get('/api/v1/sources')).body.sources
  expect(listed, 'a list has no waveforms').not.toHaveProperty('stems.0.waveform_percent')

  const before = (await service.get('/api/v1/account')).body.credits
  const fields = { platforms: 'spotify', formats: 'wav16_44' }
  const plain = await service.newJob({ ...fields, file: blobOf(sumByHand()) }, { credential: key })
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...fields, source_id: set.source_id })) form.append(name, value)
  const { status, body: job } = await service.call('POST', '/api/v1/master', { body: form, credential: key })
  expect({ status, job }).toMatchObject({ status: 201, job: { credits_used: 1, credits_remaining: before - 2 } })
  await service.ended(plain.job_id)
  const ended = await service.ended(job.job_id)
  expect(ended).toMatchObject({ status: 'done', title: 'Night Drive', stem_count: 3, source_id: set.source_id })
  expect((await samplesOf(job.job_id, 'spotify')).equals(await samplesOf(plain.job_id, 'spotify'))).toBe(true)
  const { body: report } = await service.get(`/api/v1/jobs/${job.job_id}/report`)
  expect(report.stems).toEqual({ count: 3 })
  expect((await service.get(`/api/v1/jobs/${job.job_id}/report?format=html`)).body).toMatch(/from.3.stems/)

  // With a job, a set stays; the job stays without it.
  expect((await service.get(`/api/v1/sources/${set.source_id}`)).body.expires_at).toBeUndefined()
  expect((await remove(set.source_id)).body).toEqual({ deleted: true })
  expect((await service.get(`/api/v1/sources/${set.source_id}`)).status).toBe(404)
  const again = await service.call('POST', `/api/v1/jobs/${job.job_id}/retry`, { credential: key })
  expect(await service.ended(again.body.job_id)).toMatchObject({ status: 'done', stem_count: 3 })
})

test('repeated parts make the same set in any order, and its files are stored once', async () => {
  const one = await storeSet(formOf({}, asParts()))
  const other = await storeSet(formOf({ title: '밤길', webhook_url: 'x' }, asParts([...STEMS].reverse())))
  expect(other.notes[0]).toContain('"webhook_url" does not exist and was ignored')
  const placed = ({ stems }: StemSet) => stems.map(({ stem, role, sha256 }) => [stem, role, sha256])
  expect(placed(other)).toEqual(placed(one))
  expect([one.title, other.title]).toEqual(['Night Drive', '밤길'])
  const files = readdirSync(path.join(service.dataDir, 'sources')).filter((name) => !name.includes('.'))
  // Three stems, and two sums, whose tags differ.
  expect(files.length).toBe(5)
  const sizes = new Map(files.map((name) => [name, statSync(path.join(service.dataDir, 'sources', name)).size]))
  expect(one.stems.map(({ sha256, size_bytes }) => [sizes.get(sha256), size_bytes])).toEqual(
    one.stems.map(({ size_bytes }) => [size_bytes, size_bytes]),
  )
  expect((await service.get('/api/v1/sources', { credential: key })).body.sources.length).toBe(2)

  // Two sets without a job are the limit for programs, and not for the application.
  const { status, body } = await store(formOf({}, asParts()))
  expect([status, body.error.code]).toEqual([409, 'STEM_SET_LIMIT'])
  const own = await storeSet(formOf({ add_to_batch: 'true' }, asParts()), service.sessionCredential)
  expect(own.expires_at).toBeUndefined()
  expect((await service.get('/app/desk')).body.songs.at(-1).source.source_id).toBe(own.source_id)
  expect((await remove(own.source_id)).status).toBe(404)
  for (const { source_id } of [one, other]) await remove(source_id)
  await expect.poll(() => readdirSync(path.join(service.dataDir, 'sources')).length).toBe(4)
})

test.each([
  [{ kind: 'song' }, asParts(), 'INVALID_REQUEST', 'kind'],
  [{ original: 'mix.wav' }, asParts(), 'INVALID_REQUEST', 'original'],
  [{ add_to_batch: 'true' }, asParts(), 'INVALID_REQUEST', 'add_to_batch'],
  [{ add_to_batch: 'yes' }, asParts(), 'INVALID_REQUEST', 'add_to_batch'],
  [{}, [], 'INVALID_REQUEST', 'stems'],
  [{}, [...asZip(), ...asParts()], 'INVALID_REQUEST', 'stems'],
  [{}, asParts(STEMS.slice(0, 1)), 'UNUSABLE_STEMS', undefined],
  [{}, [...asParts(), ['stems', Buffer.from('notes'), 'Keys.wav'] as const], 'UNUSABLE_STEMS', undefined],
  [
    {},
    [...asParts(), ['stems', wavSong({ seconds: 602, channels: 1, sampleRateHz: 1000 }), 'Keys.wav'] as const],
    'UNUSABLE_STEMS',
    undefined,
  ],
  [
    {},
    Array.from({ length: 33 }, (_, i) => ['stems', STEMS[0]!.content, `${i}.wav`] as const),
    'INVALID_REQUEST',
    'stems',
  ],
  [{}, [...asParts(), ['vocals', Buffer.from('x'), 'x.wav'] as const], 'INVALID_REQUEST', 'vocals'],
])('%o is refused, and nothing is left', async (fields, parts, code, param) => {
  const { status, body } = await store(formOf(fields, parts))
  expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
  expect(body.error.message).toMatch(/[.]$/)
  await expect.poll(() => service.temporary()).toEqual([])
})

test('a stem that cannot be used is named', async () => {
  const { body } = await store(formOf({}, [...asParts(), ['stems', Buffer.from('notes'), 'Keys.wav'] as const]))
  expect(body.error.message).toMatch(/^“Keys.wav”: /)
})

test('a program masters sets alone: other stored songs are unknown to it', async () => {
  const set = await storeSet(formOf({}, asParts()))
  const master = (sourceId: string, credential: string) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ platforms: 'spotify', dry_run: 'true', source_id: sourceId }))
      form.append(name, value)
    return service.call('POST', '/api/v1/master', { body: form, credential })
  }
  expect((await master(set.source_id, key)).body).toMatchObject({ dry_run: true, would_charge: 1 })
  const stem = set.stems[0]!.source_id
  expect((await master(stem, service.sessionCredential)).status).toBe(200)
  const { status, body } = await master(stem, key)
  expect([status, body.error.param, body.error.details]).toEqual([
    400,
    'source_id',
    [expect.stringMatching('There is no such set of stems')],
  ])
  await remove(set.source_id)
})

test('a manifest of a program masters a set by its identifier', async () => {
  const set = await storeSet(formOf({}, asParts()))
  const head = { platforms: ['spotify'] }
  const send = (sourceId: string) =>
    service.call('POST', '/api/v1/batches', {
      body: [head, { source_id: sourceId }].map((line) => JSON.stringify(line)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
      credential: key,
    })
  const refused = await send(set.stems[0]!.source_id)
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('no such set of stems')])
  const { status, body } = await send(set.source_id)
  expect(status).toBe(201)
  const songs = async () => (await service.get(`/api/v1/batches/${body.batch_id}/songs`)).body.songs
  await expect.poll(async () => (await songs())[0].job_id).toBeTypeOf('string')
  expect(await service.ended((await songs())[0].job_id)).toMatchObject({ status: 'done', stem_count: 3 })
  await remove(set.source_id)
})

test('the command line masters a ZIP of stems, and removes the set of a refused job', async () => {
  const { json, call } = commandsOf(music, () => service.dataDir)
  const zip = path.join(music, 'Night Drive.zip')
  writeFileSync(zip, zipOf([...STEMS, { name: 'Night Drive (Full mix).wav', content: sumByHand() }]))
  const out = ['--out', path.join(music, 'masters')]
  const told = await call('C', 'master', zip, '--stems', '--platforms', 'spotify', ...out)
  expect(told).toMatchObject({ code: 0, out: expect.stringContaining('Note: from 3 stems\n') })
  expect(told.out).toMatch(/\nNote: The stems are the song: the rest is \d+ dB below it\.\n/)
  const { job, stem_set: set } = (await json('master', zip, '--stems', '--platforms', 'melon', ...out)) as MasterOutcome
  expect(job).toMatchObject({ status: 'done', title: 'Night Drive', stem_count: 3 })
  expect(set).toMatchObject({ source_id: job.source_id, original: { likeness: { is_song: true } } })
  const again = await call('C', 'master', zip, '--stems', '--platforms', 'melon', '--trim-end-seconds', '600', ...out)
  expect(again).toMatchObject({ code: 1, problem: expect.stringContaining('These trims leave') })
  const { body } = await service.get('/api/v1/sources')
  expect(body.sources.filter((set: StemSet) => set.expires_at !== undefined)).toEqual([])
})

test('an agent masters a ZIP of stems; without its confirmation nothing is left', async () => {
  await service.patch('/app/settings', { allowed_folders: [music] }, { credential: service.controlCredential })
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  const address = new URL(`${service.baseUrl}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }) as Transport)
  const zip = path.join(music, 'Agent.zip')
  writeFileSync(zip, zipOf(STEMS))
  const setsBefore = (await service.get('/api/v1/sources')).body.sources.length
  const call = async (given: object) => {
    const args = { file: zip, stems: true, platforms: ['spotify'], ...given }
    const { content } = await client.callTool({ name: 'master', arguments: args })
    return JSON.parse((content as { text: string }[])[0]!.text)
  }
  expect(await call({})).toMatchObject({ dry_run: true, would_charge: 1 })
  expect((await service.get('/api/v1/sources')).body.sources.length).toBe(setsBefore)
  expect(await call({ confirm: true })).toMatchObject({ status: 'done', stem_count: 3, title: 'Agent' })
  await client.close()
})

test('the mix of a job has the settings of its stems, is told in its report, and is made again without the set', async () => {
  const set = await storeSet(formOf({}, asParts()))
  // Half the voice, without the drums; the order of the parts above is that of the numbers.
  const stems = {
    stems: [
      { stem: 1, gain_db: -6 },
      { stem: 2, mute: true },
      { stem: 3, gain_db: 0, tilt_db: 0 },
    ],
  }
  const fields = { platforms: 'spotify', source_id: set.source_id, stems: JSON.stringify(stems) }
  const send = (more: Record<string, string> = {}) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ ...fields, ...more })) form.append(name, value)
    return service.call('POST', '/api/v1/master', { body: form, credential: key })
  }
  expect((await send({ dry_run: 'true' })).body).toMatchObject({ dry_run: true })
  const { body: job } = await send()
  await remove(set.source_id)
  const byHand = sumByHand((index) => [10 ** (-6 / 20), 0, 1][index]!)
  const plain = await service.newJob({ platforms: 'spotify', file: blobOf(byHand) }, { credential: key })
  await service.ended(plain.job_id)
  const ended = await service.ended(job.job_id)
  const chosen = {
    stems: [
      { stem: 1, gain_db: -6 },
      { stem: 2, mute: true },
    ],
  }
  expect(ended).toMatchObject({ status: 'done', stem_count: 3, stem_mix: chosen })
  const [mixed, other] = [await samplesOf(job.job_id, 'spotify'), await samplesOf(plain.job_id, 'spotify')]
  expect(mixed.equals(other)).toBe(true)
  const { body: report } = await service.get(`/api/v1/jobs/${job.job_id}/report`)
  expect(report.stems).toEqual({
    count: 3,
    changed: [
      { stem: 1, gain_db: -6, role: 'voice', filename: STEMS[0]!.name, made: [] },
      { stem: 2, mute: true, role: 'drums', filename: STEMS[1]!.name, made: [] },
    ],
  })
  const page = (await service.get(`/api/v1/jobs/${job.job_id}/report?format=html`)).body as string
  const html = page.replaceAll(/[\u00a0\u202f\u2060]/g, (mark) => (mark === '\u2060' ? '' : ' '))
  expect(html).toContain('Night Drive (Vocals): −6.0 dB; Night Drive (Drums): left out.')
  expect(html).toContain('Night Drive (Vocals): −6.0 dB; Night Drive (Drums): 제외.')
  const again = await service.call('POST', `/api/v1/jobs/${job.job_id}/retry`, { credential: key })
  expect(await service.ended(again.body.job_id)).toMatchObject({ status: 'done', stem_mix: chosen })
  expect((await samplesOf(again.body.job_id, 'spotify')).equals(mixed)).toBe(true)
  await expect.poll(() => service.temporary()).toEqual([])
})

test('a repair that a stem gets is not looked for in the mix, and settings that a set cannot have are named', async () => {
  const set = await storeSet(formOf({}, asParts()))
  const send = (stems: string, sourceId = set.source_id) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ platforms: 'spotify', source_id: sourceId, stems }))
      form.append(name, value)
    return service.call('POST', '/api/v1/master', { body: form, credential: key })
  }
  const refusal = async (stems: unknown) => {
    const { status, body } = await send(typeof stems === 'string' ? stems : JSON.stringify(stems))
    return [status, body.error.code, body.error.param]
  }
  expect(await refusal('{')).toEqual([400, 'INVALID_REQUEST', 'stems'])
  expect(await refusal({ stems: [{ stem: 1, gain_db: 13 }] })).toEqual([
    400,
    'INVALID_REQUEST',
    'stems.stems[0].gain_db',
  ])
  expect(await refusal({ stems: [{ stem: 4, mute: true }] })).toEqual([400, 'INVALID_REQUEST', 'stems.stems[0].stem'])
  expect(await refusal({ stems: [1, 1].map((stem) => ({ stem, gain_db: 1 })) })).toEqual([
    400,
    'INVALID_REQUEST',
    'stems.stems',
  ])
  expect(await refusal({ echo: 1 })).toEqual([400, 'INVALID_REQUEST', 'stems.echo'])
  const bySelf = { stems: [{ stem: 1, role: 'keys' }], voice_forward_db: 2 }
  expect(await refusal(bySelf)).toEqual([400, 'INVALID_REQUEST', 'stems.voice_forward_db'])
  const plain = await service.master({ stems: JSON.stringify({ voice_forward_db: 2 }) }, { credential: key })
  expect([plain.status, plain.body.error.param]).toEqual([400, 'stems'])
  const { body } = await send(JSON.stringify({ stems: [{ stem: 1, repairs: ['sibilance'] }], voice_forward_db: 2 }))
  const ended = await service.ended(body.job_id)
  expect(ended).toMatchObject({ status: 'done', skip_repairs: ['sibilance'] })
  expect((await service.get(`/api/v1/jobs/${body.job_id}/report`)).body.stems.voice_forward_db).toBe(2)
  await remove(set.source_id)
})

test('the repairs of a stem are offered by its analysis', async () => {
  const clicked = wavSong({ seconds: 3, sampleRateHz: 44_100 })
  for (const frame of [30_011, 60_023, 90_037]) for (const c of [0, 2]) clicked.writeInt16LE(30_000, 44 + 4 * frame + c)
  const set = await storeSet(formOf({}, asParts([{ name: 'Keys.wav', content: clicked }, STEMS[0]!])))
  const repairsOf = async (sourceId: string) => {
    const form = new FormData()
    form.append('source_id', sourceId)
    const { status, body } = await service.call('POST', '/api/v1/analyze', { body: form, credential: key })
    expect(status).toBe(200)
    return body.repairs.map(({ kind }: { kind: string }) => kind)
  }
  const [voice, keys] = set.stems
  expect(await repairsOf(keys!.source_id)).toContain('clicks')
  expect(await repairsOf(voice!.source_id)).not.toContain('clicks')
  await remove(set.source_id)
})

test('a file that is named as the mix is compared with the sum and not added; a job restores from it what the stems lack', async () => {
  const half = sumByHand(() => 0.5)
  // A hum that no stem has, 12 dB below a stem.
  for (let i = 0; i < 2 * RATE_HZ; i++)
    for (const c of [0, 4]) {
      const at = 44 + 8 * i + c
      half.writeFloatLE(half.readFloatLE(at) + 0.05 * Math.sin((2 * Math.PI * 1000 * i) / RATE_HZ), at)
    }
  const set = await storeSet(formOf({}, [...asParts(), ['stems', half, 'Night Drive.wav'] as const]))
  expect(set.stems.map(({ role }) => role)).toEqual(['voice', 'drums', 'bass'])
  const { likeness, ...named } = set.original!
  expect(named).toEqual({ source_id: expect.any(String), filename: 'Night Drive.wav' })
  expect(likeness).toMatchObject({ offset_samples: 0, is_inverted: false, is_song: true })
  expect(likeness!.gain_db).toBeCloseTo(-6.02, 1)
  expect(likeness!.summary).toMatch(/^The stems lack \d+ % of the song \(−\d+ dB\), most at 500 Hz to 2 kHz\.$/)
  expect(set.notes.at(-1)).toBe(
    '“Night Drive.wav” is the whole mix: it is compared with the sum of the stems, not added.',
  )
  expect((await service.get(`/api/v1/sources/${set.source_id}`)).body).toEqual(set)

  const { body: job } = await sendSet(set, { restore_missing: true })
  await remove(set.source_id)
  expect(await service.ended(job.job_id)).toMatchObject({ status: 'done', stem_mix: { restore_missing: true } })
  const { body: report } = await service.get(`/api/v1/jobs/${job.job_id}/report`)
  const { residual_db, bands } = likeness!
  const [rounded] = [report.stems.rest.residual_db]
  expect(report.stems).toEqual({ count: 3, restore_missing: true, changed: [], rest: expect.anything() })
  expect([rounded, report.stems.rest.bands.length]).toEqual([expect.closeTo(residual_db, 2), bands.length])
  expect((await service.get(`/api/v1/jobs/${job.job_id}/report?format=html`)).body).toContain(
    'What they lack is restored',
  )
  const again = await service.call('POST', `/api/v1/jobs/${job.job_id}/retry`, { credential: key })
  expect(await service.ended(again.body.job_id)).toMatchObject({ status: 'done' })
  const [one, other] = [await samplesOf(job.job_id, 'spotify'), await samplesOf(again.body.job_id, 'spotify')]
  expect(one.equals(other)).toBe(true)

  const twice = await store(formOf({}, [...asParts(), ['original', half, 'a.wav'], ['stems', half, 'Full mix.wav']]))
  expect(twice.body.error).toMatchObject({ code: 'UNUSABLE_STEMS', message: expect.stringContaining('“a.wav” and') })
  const alone = await storeSet(formOf({}, asParts()))
  const refused = await sendSet(alone, { restore_missing: true })
  expect([refused.status, refused.body.error.param]).toEqual([400, 'stems.restore_missing'])
  await remove(alone.source_id)
  await expect.poll(() => service.temporary()).toEqual([])
})

test('stems of a stored song have its tags and cover, and are compared with it', async () => {
  const sum = sumByHand()
  const cover = { mimeType: 'image/png' as const, bytes: pngPicture(600, 600) }
  const labels = { tags: { title: 'Night Drive (live)', artist: '하늘' }, cover }
  const head = wavHead({ sampleRateHz: RATE_HZ, bitDepth: 32 }, 2 * RATE_HZ, labels)
  const song = Buffer.concat([head, sum.subarray(44)])
  const form = new FormData()
  form.append('purpose', 'song')
  form.append('file', blobOf(song), 'take 3.wav')
  const { body: stored } = await service.call('POST', '/app/sources', { body: form })
  const fields = { original_source_id: stored.source_id }
  const own = await storeSet(formOf({ add_to_batch: 'true', ...fields }, asParts()), service.sessionCredential)
  expect(own.title).toBe('Night Drive (live)')
  expect(own.original).toMatchObject({ filename: 'take 3.wav', likeness: { offset_samples: 0 } })
  expect((await service.get(`/app/sources/${own.source_id}`)).body).toMatchObject({ artist: '하늘', has_cover: true })
  const { body } = await store(formOf(fields, asParts()))
  expect(body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'original_source_id' })
})
