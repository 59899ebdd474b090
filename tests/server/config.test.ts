import { afterEach, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../src-server/config.ts'
import { startService } from '../support/service.ts'

afterEach(() => vi.unstubAllEnvs())

describe('the surroundings', () => {
  test('set what they name, and what is empty or absent has its default', () => {
    const set = {
      MASTER_LOG_LEVEL: 'warn',
      MASTER_FFMPEG_PATH: '/opt/ffmpeg',
      MASTER_JOB_TIMEOUT_MS: '60000',
      MASTER_ENGINE_GRACE_MS: '',
    }
    expect(readConfig(set)).toEqual({
      logLevel: 'warn',
      ffmpegPath: '/opt/ffmpeg',
      jobTimeoutMs: 60_000,
      engineGraceMs: 3000,
      unknownNames: [],
    })
  })

  test.each([
    ['MASTER_LOG_LEVEL', 'loud'],
    ['MASTER_JOB_TIMEOUT_MS', '0'],
    ['MASTER_JOB_TIMEOUT_MS', '1.5'],
    ['MASTER_ENGINE_GRACE_MS', '3s'],
    ['MASTER_ENGINE_GRACE_MS', '3e3'],
    ['MASTER_ENGINE_GRACE_MS', '0x10'],
  ])('with %s=%s are refused by name', (name, text) => {
    expect(() => readConfig({ [name]: text })).toThrow(new RegExp(`^${name} `))
  })

  test('of another program, such as MASTER_PORT of PyTorch, do not keep the service from starting; the log names them', async () => {
    vi.stubEnv('MASTER_PORT', '29500')
    vi.stubEnv('MASTER_LOGLEVEL', 'debug')
    const service = await startService()
    const warnings = service.lines.filter(({ message }) => message === 'not a setting of Loudsmith')
    const named = warnings.map((line) => ({ name: 'none', ...line }).name)
    expect(named.toSorted()).toEqual(['MASTER_LOGLEVEL', 'MASTER_PORT'])
    expect(warnings[0]?.level).toBe('warn')
    await service.stop()
  })
})
