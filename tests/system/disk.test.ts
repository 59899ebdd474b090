import { homedir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { inHome, isWithin, whenReleased } from '../../src-system/disk.ts'
import { createFakeClock } from '../support/fake-clock.ts'

/** Asks for something that the system refuses with `code` the first `times`, and says how it ended after five seconds. */
async function ask(code: string, times: number) {
  const clock = createFakeClock()
  let tries = 0
  const end = whenReleased(clock, () => {
    if (++tries <= times) throw Object.assign(new Error(code), { code })
    return 'moved'
  }).catch(({ code }) => code)
  await clock.advance(5000)
  return { end: await end, tries }
}

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'what another program holds for a moment is asked for again (%s)',
  async (code) => {
    expect(await ask(code, 3)).toEqual({ end: 'moved', tries: 4 })
  },
)

test('a file that is held for good is given up within five seconds, with the reason of the system', async () => {
  expect((await ask('EBUSY', Number.POSITIVE_INFINITY)).end).toBe('EBUSY')
})

test('an error that cannot pass is not retried', async () => {
  expect(await ask('ENOSPC', 1)).toEqual({ end: 'ENOSPC', tries: 1 })
})

test.each([
  ['/music', true],
  ['/music/song.wav', true],
  ['/music/..x/song.wav', true],
  ['/music.wav', false],
  ['/', false],
  ['/other/music', false],
])('the folder /music contains %s: %s', (file, isInside) => {
  expect(isWithin('/music', file)).toBe(isInside)
})

test('a leading ~ is the home folder, and nothing else is', () => {
  expect(path.normalize(inHome('~/Music'))).toBe(path.join(homedir(), 'Music'))
  expect(inHome('~')).toBe(homedir())
  expect(['~other/x', '/a/~/b', 'C:\\~'].map(inHome)).toEqual(['~other/x', '/a/~/b', 'C:\\~'])
})
