/** Listening tests: the folder, what it says and does not say, and the results that come back. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chanceOf } from '../../../src-server/listening/outcome.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { readByEbur128 } from '../../worker/media/make-audio.ts'

let service: Service
let jobId: string
const folder = temporaryFolder()
const scratch = temporaryFolder()
beforeAll(async () => {
  service = await startService()
  const made = await service.newJob({
    platforms: 'melon,apple_music',
    genre: 'edm',
    file: new Blob([new Uint8Array(wavSong({ seconds: 6 }))]),
    title: 'Night <Train>',
  } as never)
  jobId = made.job_id
  await service.ended(jobId)
})
afterAll(() => service.stop())

const versions = () => [
  { job_id: jobId, master: 'melon', name: 'loud one' },
  { job_id: jobId, master: 'apple_music', name: 'quiet one' },
]
const make = (more: object = {}) =>
  service.post('/api/v1/listening-tests', { versions: versions(), folder, seconds: 3, ...more })

/** The facts in a page's script. */
function factsOf(page: string): { testId: string; data: [string, string][]; trials: number; kind: string } {
  const text = /const \{ testId, kind, trials, texts, data \} = (.*)\n/.exec(page)![1]!
  return JSON.parse(text)
}

describe('the folder of a test', () => {
  test('is one page without any address, with sounds that differ in nothing but themselves', async () => {
    const { status, body } = await make()
    expect([status, path.dirname(path.dirname(body.file))]).toEqual([201, folder])
    expect(readdirSync(path.dirname(body.file))).toEqual(['index.html'])
    const page = readFileSync(body.file, 'utf8')
    expect(page).not.toMatch(/https?:|\bsrc=|href="(?!data:)|url\(|@import|fetch\(|XMLHttp/)
    expect(page).toContain("default-src 'none'")
    expect(page).toContain('<h1>Night &lt;Train&gt;</h1>')
    const { data } = factsOf(page)
    const told = data.reduce((text, [, wav]) => text.replace(wav, ''), page)
    for (const secret of [jobId, 'melon', 'apple', 'loud one', 'quiet one']) expect(told).not.toContain(secret)
    expect(data.map(([token]) => token)).toEqual(data.map(([token]) => token).sort())
    const wavs = data.map(([, wav]) => Buffer.from(wav, 'base64'))
    expect(new Set(wavs.map((wav) => wav.length)).size).toBe(1)
    expect(wavs.map((wav) => wav.subarray(0, 44).toString('hex'))).toEqual(
      Array(2).fill(wavs[0]!.subarray(0, 44).toString('hex')),
    )
    expect(wavs[0]!.equals(wavs[1]!)).toBe(false)
    const levels = wavs.map((wav, i) => {
      const file = path.join(scratch, `${i}.wav`)
      writeFileSync(file, wav)
      return readByEbur128(file).integratedLufs
    })
    expect(Math.abs(levels[0]! - levels[1]!)).toBeLessThanOrEqual(0.1)
    expect(levels[0]).toBeCloseTo(body.loudness_lufs, 0)
  })

  test('is never written over, and for a program only inside the folders that the owner allowed', async () => {
    const [one, other] = [await make({ title: 'Same' }), await make({ title: 'Same' })]
    expect([one, other].map(({ body }) => path.basename(path.dirname(body.file)))).toEqual([
      ...['Same listening test', 'Same listening test 2'],
    ])
    const { key } = (await service.post('/app/keys', { name: 'agent', scope: 'master' })).body
    const asked = { versions: versions(), folder, seconds: 3 }
    const refused = await service.post('/api/v1/listening-tests', asked, { credential: key })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'PATH_NOT_ALLOWED'])
  })

  test.each([
    [
      {
        versions: [
          { job_id: 'x', master: 'melon' },
          { job_id: 'y', master: 'melon' },
        ],
      },
      404,
      undefined,
    ],
    [{ start_seconds: 100 }, 400, 'start_seconds', 'within every master, and one is only 6 s long'],
    [{ seconds: 30 }, 400, 'seconds', 'within every master, and one is only 6 s long'],
    [{ kind: 'abx', versions: 3 }, 400, 'versions'],
    [{ trials: 51 }, 400, 'trials'],
  ])('is refused with the reason: %j', async (more, status, param, reason = '') => {
    const asked =
      'versions' in more && more.versions === 3 ? { ...more, versions: [...versions(), versions()[0]] } : more
    const refused = await make(asked)
    expect([refused.status, refused.body.error.param]).toEqual([status, param])
    expect(refused.body.error.message).toContain(reason)
  })

  test('is refused for a master that the job has not, with those that it has, and for a failed job', async () => {
    const [one] = versions()
    const missing = await make({ versions: [one, { ...one, master: 'spotify' }] })
    expect(missing.body.error).toMatchObject({
      param: 'versions[1].master',
      details: [expect.stringContaining('melon')],
    })
    service.expectFault('a job failed')
    const silent = await service.newJob({
      platforms: 'melon',
      file: new Blob([new Uint8Array(wavSong({ hertz: 0 }))]),
    } as never)
    await service.ended(silent.job_id)
    const failed = await make({ versions: [one, { ...one, job_id: silent.job_id }] })
    expect([failed.status, failed.body.error.code]).toEqual([409, 'JOB_FAILED'])
  })
})

interface Element {
  readonly name: string
  readonly children: Element[]
  textContent: string
  value: string
  onclick: (() => void) | undefined
  readonly setAttribute: () => void
  readonly querySelectorAll: () => Element[]
  readonly append: (...more: Element[]) => void
  readonly replaceChildren: () => void
  readonly click: () => void
}

/** Runs a page's script in a browser of a few lines, answers every comparison by `answer`, and returns the saved file. */
function listen(page: string, answer: (trial: { a: string; b: string; x?: string }) => string | null) {
  let saved: unknown
  const element = (name: string): Element => {
    const made: Element = {
      name,
      children: [],
      textContent: '',
      value: '번개',
      onclick: undefined,
      setAttribute: () => {},
      querySelectorAll: () => [],
      append: (...more) => void made.children.push(...more),
      replaceChildren: () => void made.children.splice(0),
      click: () => {},
    }
    return made
  }
  const main = element('main')
  const script = /<script>([\s\S]*)<\/script>/.exec(page)![1]!
  const context = {
    Audio: class {
      play() {}
      pause() {}
    },
    crypto: globalThis.crypto,
    Uint32Array,
    Uint8Array,
    document: { getElementById: () => main, createElement: element },
    URL: {
      createObjectURL(blob: { text: string }) {
        saved = JSON.parse(blob.text)
      },
    },
    Blob: class {
      text: string
      constructor([text]: [string]) {
        this.text = text
      }
    },
  }
  // The plan of the comparisons is what a listener hears.
  const trials = runInNewContext(`${script}\nplan`, context) as { a: string; b: string; x?: string }[]
  const buttons = () =>
    main.children.flatMap((child) => [child, ...child.children]).filter(({ name }) => name === 'button')
  const press = (text: RegExp) => buttons().find(({ textContent }) => text.test(textContent))!.onclick!()
  for (const trial of trials) {
    const chosen = answer(trial)
    press(chosen === null ? /No difference/ : chosen === trial.a ? /Choose A/ : /Choose B/)
  }
  press(/Save/)
  return saved as {
    test_id: string
    result_id: string
    voter: string
    trials: { a: string; b: string; answer: string | null }[]
  }
}

describe('a result', () => {
  test('of a preference is read into the test, once, and told in a sentence', async () => {
    const { body } = await make({ title: 'Which' })
    const page = readFileSync(body.file, 'utf8')
    const { data } = factsOf(page)
    const favourite = data[0]![0]
    let count = 0
    const result = listen(page, () => (count++ < 5 ? favourite : null))
    expect(result).toMatchObject({ test_id: body.test_id, voter: '번개' })
    expect(result.trials).toHaveLength(7)
    expect(
      new Set(result.trials.map(({ a }) => a)).size + new Set(result.trials.map(({ b }) => b)).size,
    ).toBeGreaterThan(2)
    const address = `/api/v1/listening-tests/${body.test_id}`
    for (let again = 0; again < 2; again++) {
      const read = await service.post(`${address}/results`, result)
      expect([read.status, read.body.results.length]).toEqual([200, 1])
    }
    const told = (await service.get(address)).body
    const best = told.versions.find(({ chosen }: { chosen: number }) => chosen === 5)
    expect(told.summary).toBe(`5 of 7 chose ${best.name}.`)
    expect(told.versions.map(({ compared }: { compared: number }) => compared)).toEqual([7, 7])
    const forged = { ...result, result_id: 'f'.repeat(32), trials: [{ ...result.trials[0], answer: 'e'.repeat(32) }] }
    expect((await service.post(`${address}/results`, forged)).body.error.param).toBe('trials[0]')
    expect((await service.post(`${address}/results`, { ...result, trials: [] })).status).toBe(400)
    const other = (await make({ title: 'Which\nother' })).body.test_id
    const misplaced = (await service.post(`/api/v1/listening-tests/${other}/results`, result)).body.error
    expect(misplaced).toMatchObject({ param: 'test_id', details: [expect.stringContaining('another test')] })
    expect((await service.get(`/api/v1/listening-tests/${other}`)).body.title).toBe('Which other')
    expect((await service.get('/api/v1/listening-tests/x')).status).toBe(404)
  })

  test('of an ABX counts what was found, with the chance of guessing it', async () => {
    const { body } = await make({ title: 'Heard', kind: 'abx', trials: 8 })
    const result = listen(readFileSync(body.file, 'utf8'), ({ x }) => x!)
    const { body: told } = await service.post(`/api/v1/listening-tests/${body.test_id}/results`, result)
    expect(told).toMatchObject({
      correct: 8,
      p_value: 1 / 256,
      summary: 'X was found in 8 of 8: the difference is heard.',
    })
    expect([chanceOf(0, 0), chanceOf(0, 5), chanceOf(5, 10)]).toEqual([1, 1, 638 / 1024])
  })
})
