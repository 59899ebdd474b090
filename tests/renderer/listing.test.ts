import { describe, expect, it } from 'vitest'
import { createListing } from '../../src-renderer/state/listing.ts'
import { settle } from '../support/fake-clock.ts'

describe('a list of the server', () => {
  it('is as it was read last, however late an older answer comes', async () => {
    const kept = ['a']
    const answers: (() => void)[] = []
    const listing = createListing(async () => {
      const answer = [...kept]
      await new Promise<void>((resolve) => answers.push(resolve))
      return answer
    })
    const readings = [listing.read()]
    await settle()
    kept.push('b')
    readings.push(listing.read())
    for (await settle(); answers.length > 0; await settle()) answers.pop()?.()
    await Promise.all(readings)
    expect(listing.store.getState().items).toEqual(['a', 'b'])
  })

  it('stays when it cannot be read, and can be read again', async () => {
    let isAway = false
    const listing = createListing(async () => {
      if (isAway) throw new Error('away')
      return ['a']
    })
    expect(listing.store.getState().items).toBeNull()
    await listing.read()
    isAway = true
    await listing.read()
    expect(listing.store.getState().items).toEqual(['a'])
    isAway = false
    await listing.read()
    expect(listing.store.getState().items).toEqual(['a'])
  })
})
