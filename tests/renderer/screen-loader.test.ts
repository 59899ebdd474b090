import { describe, expect, it } from 'vitest'
import { createScreenLoader } from '../../src-renderer/state/screen-loader.ts'

function bench() {
  const program = { isThere: true, has: true }
  let attempts = 0
  const loader = createScreenLoader({ isReachable: async () => program.isThere, pauseMs: 1 })
  const load = async () => {
    attempts += 1
    if (!program.isThere || !program.has) throw new TypeError('Failed to fetch dynamically imported module')
    return 'screen'
  }
  return { program, loader, load, attempts: () => attempts, isAway: () => loader.store.getState().isAway }
}

describe('the code of a screen', () => {
  it('waits for the program and says that it does', async () => {
    const { program, loader, load, attempts, isAway } = bench()
    program.isThere = false
    const part = loader.load(load)
    await expect.poll(attempts).toBeGreaterThan(3)
    expect(isAway()).toBe(true)
    program.isThere = true
    await expect(part).resolves.toBe('screen')
    expect(isAway()).toBe(false)
  })

  it('is read once more when the program came back between its failure and the question', async () => {
    const { loader, load, attempts } = bench()
    let isFirst = true
    const late = async () => {
      if (!isFirst) return load()
      isFirst = false
      throw new TypeError('no network')
    }
    await expect(loader.load(late)).resolves.toBe('screen')
    expect(attempts()).toBe(1)
  })

  it('that the program does not have is given up', async () => {
    const { program, loader, load, attempts, isAway } = bench()
    program.has = false
    await expect(loader.load(load)).rejects.toThrow('Failed to fetch')
    expect(attempts()).toBe(2)
    expect(isAway()).toBe(false)
  })
})
