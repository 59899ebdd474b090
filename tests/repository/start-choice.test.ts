import { expect, test } from 'vitest'
import { chooseHost } from '../../scripts/start-choice.ts'

const noElectron = () => {
  throw new Error('download failed\nstack')
}

test('with a display and the binary, Loudsmith opens its own window', () => {
  expect(chooseHost('linux', { DISPLAY: ':0' }, () => '/opt/electron')).toEqual({
    kind: 'desktop',
    electronPath: '/opt/electron',
  })
  expect(chooseHost('darwin', {}, () => '/opt/electron').kind).toBe('desktop')
})

test('without a display nothing is downloaded and one sentence says why the browser is used', () => {
  let isAsked = false
  const host = chooseHost('linux', {}, () => {
    isAsked = true
    return '/opt/electron'
  })
  expect(isAsked).toBe(false)
  expect(host).toEqual({ kind: 'browser', reason: expect.stringMatching(/^There is no display here, .*\.$/) })
})

test('without the binary the reason names the cause in one line', () => {
  const host = chooseHost('linux', { WAYLAND_DISPLAY: 'wayland-0' }, noElectron)
  expect(host.kind === 'browser' && host.reason).toMatch(
    /^Electron is not installed .*\(download failed\), so .*browser.*\.$/,
  )
})
