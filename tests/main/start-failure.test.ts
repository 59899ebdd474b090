import { describe, expect, it } from 'vitest'
import { startFailureText } from '../../src-contract/text/start-failure.ts'
import { SettingError } from '../../src-server/config.ts'
import { DatabaseError, databaseFault } from '../../src-server/db/fault.ts'
import { DirectoryOwnedError } from '../../src-server/db/owner.ts'
import { PortTakenError } from '../../src-server/http/listen.ts'

const FAULTS = ['busy', 'full', 'read_only', 'corrupt', 'newer', 'changed_migration', 'failed'] as const
const coded = (code: string) => Object.assign(new Error(`${code}: something of the system`), { code })

describe('why the program cannot start', () => {
  it.each(FAULTS)('is said in the language of the window and with what to do: a database that is %s', (fault) => {
    const [english, korean] = (['en', 'ko'] as const).map((one) => startFailureText(new DatabaseError(fault), one))
    expect(english).toMatch(/^[^가-힣]+\. .+\.$/)
    expect(korean).toMatch(/[가-힣].*\. ?.+\.$|[가-힣].*요\.$/)
    expect(korean).not.toBe(english)
  })

  it('has a sentence of its own for each fault', () => {
    const texts = FAULTS.map((fault) => startFailureText(new DatabaseError(fault), 'ko'))
    expect(new Set(texts).size).toBe(FAULTS.length)
    expect(databaseFault(coded('SQLITE_NOTADB'))).toBe('corrupt')
  })

  it('names the one who has the data folder', () => {
    const owned = new DirectoryOwnedError('/data', { pid: 7, port: 4711, controlToken: 't' })
    expect(startFailureText(owned, 'ko')).toMatch(/다른 Loudsmith.*4711/)
    for (const language of ['en', 'ko'] as const)
      expect(startFailureText(new DirectoryOwnedError('/data', undefined), language)).not.toContain('undefined')
  })

  it('names the port, and the variable that cannot be used', () => {
    for (const code of ['EADDRINUSE', 'EACCES'] as const)
      expect(startFailureText(new PortTakenError(4711, code), 'ko')).toMatch(/포트 4711.*--port/)
    expect(startFailureText(new SettingError('MASTER_JOB_TIMEOUT_MS'), 'ko')).toMatch(/^MASTER_JOB_TIMEOUT_MS.*정수/)
    const level = new SettingError('MASTER_LOG_LEVEL', ['warn', 'error'])
    expect(startFailureText(level, 'ko')).toMatch(/^MASTER_LOG_LEVEL.*warn, error/)
    expect(startFailureText(level, 'en')).toBe('MASTER_LOG_LEVEL must be one of warn, error.')
    expect(startFailureText(new PortTakenError(4711, 'EACCES'), 'en')).toMatch(/does not let .* 4711.*--port/)
  })

  it('turns what the system says in codes into a sentence, and leaves others as they are', () => {
    expect(startFailureText(coded('ENOSPC'), 'ko')).toMatch(/디스크가 가득/)
    expect(startFailureText(coded('EACCES'), 'en')).toMatch(/cannot be written/)
    expect(startFailureText(coded('SQLITE_IOERR_READ'), 'en')).toMatch(/disk of the data folder/)
    expect(startFailureText(new Error('--port takes a number'), 'ko')).toBe('--port takes a number')
  })
})
