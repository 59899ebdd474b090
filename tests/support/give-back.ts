/** Gives back, after every file, what it replaced in its process, which other files share; tells the reporter what the file cost; compares sound at once. */
import { afterAll, expect, vi } from 'vitest'
import { processorSeconds } from './processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a file and of the programs that it waited for, seconds. */
    processorSeconds?: number
  }
}

/** Whether two arrays of numbers hold the same bytes, undefined where the comparison one by one must tell: it takes seconds for a song. */
function areSameBytes(one: unknown, other: unknown): true | undefined {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other) || one.constructor !== other.constructor) return undefined
  const [a, b] = [one, other].map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength))
  return a!.equals(b!) || undefined
}
expect.addEqualityTesters([areSameBytes])

const before = processorSeconds()

// biome-ignore lint/correctness/noEmptyPattern: vitest wants the fixtures of a hook destructured.
afterAll(({}, file) => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  file.meta.processorSeconds = processorSeconds() - before
})
