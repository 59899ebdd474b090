import { afterEach, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../src-server/config.ts'
import { createLog, LOG_LEVELS } from '../../src-system/log.ts'
import { systemClock } from '../../src-system/system.ts'
import { startService } from '../support/service.ts'

afterEach(() => vi.unstubAllEnvs())

describe('the environment', () => {
  test('set what they name, and what is empty or absent has its default', () => {
    const set = {
      MASTER_LOG_LEVEL: 'warn',
      MASTER_FFMPEG_PATH: '/opt/ffmpeg',
      MASTER_JOB_TIMEOUT_MS: '60000',
      MASTER_ENGINE_GRACE_MS: '',
      MASTER_AUDITION_IDLE_MS: '500',
    }
    expect(readConfig(set)).toEqual({
      logLevel: 'warn',
      ffmpegPath: '/opt/ffmpeg',
      jobTimeoutMs: 60_000,
      engineGraceMs: 3000,
      auditionIdleMs: 500,
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
    ['MASTER_ENGINE_GRACE_MS', '99999999999999999999'],
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

describe('the log', () => {
  const linesAt = (level: (typeof LOG_LEVELS)[number], tell: (log: ReturnType<typeof createLog>) => void) => {
    const lines: string[] = []
    tell(createLog(level, systemClock, (line) => lines.push(line)))
    return lines
  }

  test('holds what is at its level and above', () => {
    const told = LOG_LEVELS.map((level) =>
      linesAt(level, (log) => {
        for (const own of ['debug', 'info', 'warn', 'error'] as const) log[own](own)
      }).map((line) => JSON.parse(line).level),
    )
    expect(told).toEqual([
      ['debug', 'info', 'warn', 'error'],
      ['info', 'warn', 'error'],
      ['warn', 'error'],
      ['error'],
      [],
    ])
  })

  test('never holds a secret, wherever it stands, and keeps the causes of an error', () => {
    const key = `ams_live_${'0a'.repeat(16)}`
    const cause = new Error(`refused ${key}`, { cause: { token: 'hidden', code: 'EIO' } })
    const [line = ''] = linesAt('info', (log) =>
      log.error(`with ${key}`, { headers: { authorization: `Bearer ${key}` }, key: 'hidden', secret: 'hidden', cause }),
    )
    expect(line).not.toMatch(/hidden|0a0a/)
    expect(line.endsWith('\n')).toBe(true)
    expect(JSON.parse(line)).toMatchObject({
      message: 'with ams_live_[redacted]',
      headers: { authorization: '[redacted]' },
      cause: { kind: 'Error', message: 'refused ams_live_[redacted]', cause: { token: '[redacted]', code: 'EIO' } },
    })
  })

  test('has a line of what cannot be written as JSON too', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const [line = ''] = linesAt('info', (log) => log.warn('round', { circle }))
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', message: 'round' })
  })
})
