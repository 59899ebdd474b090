/** Gives back, after every file, what it replaced in its process: other files share that. */
import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
