/** Listening tests: made as a folder, and read back from the result files of their listeners. */
import { lstat, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { cleanName } from '../../src-contract/clean-name.ts'
import type { ListeningResult, ListeningTest, ListeningTestRequest } from '../../src-contract/listening-tests.ts'
import { RELEASE } from '../../src-contract/master-name.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { copyPart } from '../../src-system/copy-part.ts'
import { discardFolder } from '../../src-system/disk.ts'
import { withFolder } from '../../src-system/open-folder.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { safeTitle } from '../../src-worker/result/names.ts'
import { AppError, invalidRequest, unusable } from '../http/app-error.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { outcomeOf } from './outcome.ts'
import { listeningPage } from './page.ts'
import { matchedSounds } from './sounds.ts'
import type { KeptVersion, ListeningStore } from './store.ts'

export interface ListeningTestsDeps {
  readonly jobs: Pick<Jobs, 'finished' | 'bringBackFile' | 'facts'>
  readonly store: ListeningStore
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'newUuid' | 'randomBytes'>
  /** Folder for temporary files. */
  readonly tmp: string
  /** Throws INSUFFICIENT_STORAGE unless that many bytes more can be written on the disk. */
  readonly requireDisk: (bytes: number) => void
}

const DEFAULTS = { kind: 'preference', start_seconds: 0, seconds: 15, trials: 7 } as const
/** Name of the folder of a test behind its title, and of the page in it. */
const FOLDER_ENDING = 'listening test'
const PAGE = 'index.html'
/** Longest title in the name of a folder, UTF-16 units. */
const MAX_TITLE_UNITS = 60
/** Errors of a folder that may not be written to. */
const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS']
/** Number of folder names to try. */
const MOST_NAMES = 1000

export class ListeningTests {
  readonly #deps: ListeningTestsDeps

  constructor(deps: ListeningTestsDeps) {
    this.#deps = deps
  }

  /**
   * Makes a test as a new folder in `parent`, a real path. Throws JOB_NOT_FOUND, JOB_NOT_READY, JOB_FAILED or RESULT_EXPIRED for a version
   * without a master, INVALID_REQUEST for one that cannot be compared, and the system's error.
   */
  async make(request: ListeningTestRequest, parent: string, language: Language) {
    const { random, clock, store } = this.#deps
    const { kind, start_seconds: startSeconds, seconds, trials, title: asked, versions } = { ...DEFAULTS, ...request }
    if (kind === 'abx' && versions.length > 2) throw unusable('versions', { rule: 'items_at_most', limit: 2 })
    const found = versions.map((version, index) => this.#masterOf(version, index))
    const title = cleanName(asked ?? '') || found[0]!.title
    const sounds = await this.#withCopies(found, (files) =>
      matchedSounds(
        files,
        { startSeconds, seconds },
        files.map(() => random.randomBytes(4).readInt32LE()),
      ),
    )
    const testId = random.newUuid()
    const kept: KeptVersion[] = versions.map(({ name, job_id, master }, index) => ({
      ...{ token: random.randomBytes(16).toString('hex'), name: name ?? `v${index + 1}`, job_id, master },
      gain_db: Math.round(100 * sounds.sounds[index]!.gainDb) / 100,
    }))
    const page = Buffer.from(
      listeningPage({
        ...{ testId, title, kind, trials, language: request.language ?? language },
        sounds: kept.map(({ token }, index) => ({ token, wav: sounds.sounds[index]!.wav })),
      }),
    )
    this.#deps.requireDisk(page.length)
    const file = await writePage(parent, title, page)
    store.add({ testId, title, kind, versions: kept, createdAtMs: clock.now() })
    const loudness_lufs = Math.round(100 * sounds.loudnessLufs) / 100
    return { test_id: testId, file, size_bytes: page.length, loudness_lufs }
  }

  /** Returns a test with its results. Throws NOT_FOUND. */
  read(testId: string, language: Language): ListeningTest {
    return outcomeOf(this.#require(testId), this.#deps.store.results(testId), language)
  }

  /** Keeps a result once. Throws NOT_FOUND, or INVALID_REQUEST for a result of another test or of other sounds. */
  addResult(testId: string, { test_id, result_id, voter, trials }: ListeningResult, language: Language): ListeningTest {
    const { kind, versions } = this.#require(testId)
    if (test_id !== testId) throw unusable('test_id', { rule: 'other_test' })
    const known = new Set(versions.map(({ token }) => token))
    for (const [index, { a, b, x, answer }] of trials.entries()) {
      const isKnown = known.has(a) && known.has(b) && a !== b
      const isAnswered = answer === null ? kind === 'preference' : answer === a || answer === b
      const hasX = kind === 'abx' ? x === a || x === b : x === undefined
      if (!isKnown || !isAnswered || !hasX) throw unusable(`trials[${index}]`, { rule: 'other_sounds' })
    }
    this.#deps.store.addResult(testId, {
      ...{ resultId: result_id, voter: cleanName(voter), trials, receivedAtMs: this.#deps.clock.now() },
    })
    return this.read(testId, language)
  }

  #require(testId: string) {
    const test = this.#deps.store.find(testId)
    if (!test) throw new AppError('NOT_FOUND')
    return test
  }

  #masterOf({ job_id, master }: ListeningTestRequest['versions'][number], index: number) {
    const { jobs } = this.#deps
    const facts = jobs.facts(job_id)
    if (!facts) throw new AppError('JOB_NOT_FOUND')
    if (facts.state === 'queued') throw new AppError('JOB_NOT_READY')
    if (facts.state === 'failed') throw new AppError('JOB_FAILED')
    const finished = jobs.finished(job_id)
    if (!finished) throw new AppError('RESULT_EXPIRED')
    const { job, result } = finished
    const made = master === RELEASE ? result.release : result.masters.find(({ platform }) => platform === master)
    if (!made) {
      const words = [...result.masters.map(({ platform }) => platform), ...(result.release ? [RELEASE] : [])]
      throw new AppError(
        'INVALID_REQUEST',
        {},
        { param: `versions[${index}].master`, details: [{ rule: 'one_of', words }] },
      )
    }
    return { jobId: job_id, file: made, title: job.shownTitle }
  }

  /** Runs `use` with copies of masters, which are removed afterwards. */
  async #withCopies<Result>(
    masters: readonly { readonly jobId: string; readonly file: { readonly file: string; readonly sha256: string } }[],
    use: (files: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const { tmp, random, jobs, requireDisk } = this.#deps
    const folder = path.join(tmp, random.newUuid())
    await mkdir(folder, { mode: 0o700 })
    try {
      const files: string[] = []
      for (const [index, { jobId, file }] of masters.entries()) {
        const part = await jobs.bringBackFile(jobId, file)
        requireDisk(part.sizeBytes)
        const copy = path.join(folder, `${index}.wav`)
        await copyPart(part, copy)
        files.push(copy)
      }
      return await use(files)
    } finally {
      await discardFolder(folder)
    }
  }
}

/** Writes the page into a new folder and returns its path. An existing folder is left alone: the next free name is taken. */
async function writePage(parent: string, title: string, page: Buffer): Promise<string> {
  const name = `${safeTitle(title, MAX_TITLE_UNITS)} ${FOLDER_ENDING}`
  for (let number = 1; number <= MOST_NAMES; number++) {
    const folder = path.join(parent, number === 1 ? name : `${name} ${number}`)
    const isTaken = await lstat(folder).then(
      () => true,
      () => false,
    )
    if (isTaken) continue
    await withFolder(
      folder,
      async (opened) => {
        const handle = await opened.create(PAGE)
        try {
          await handle.writeFile(page)
          await handle.sync()
        } finally {
          await handle.close()
        }
      },
      { makesMissing: true },
    ).catch((cause: NodeJS.ErrnoException) => {
      if (!UNWRITABLE.includes(String(cause.code))) throw cause
      throw invalidRequest('folder_not_writable', { param: 'folder', cause })
    })
    return path.join(folder, PAGE)
  }
  throw new AppError('FOLDER_TAKEN', { folder: path.basename(name) })
}
