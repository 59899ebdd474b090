/** Gives back, after every file, what it replaced in its process, which other files share; tells the reporter what the file cost. */
import { afterAll, vi } from 'vitest'
import './same-bytes.ts'
import { processorSeconds } from './processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a file and of the programs that it waited for, seconds. */
    processorSeconds?: number
  }
}

const before = processorSeconds()

// biome-ignore lint/correctness/noEmptyPattern: vitest wants the fixtures of a hook destructured.
afterAll(({}, file) => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  file.meta.processorSeconds = processorSeconds() - before
})
