import { describe, expect, it } from 'vitest'
import { startFailureText } from '../../src-main/start-failure.ts'
import { wordsOf } from '../../src-main/text.ts'
import { DatabaseError, databaseFault } from '../../src-server/db/fault.ts'
import { DirectoryOwnedError } from '../../src-server/db/owner.ts'

const FAULTS = ['busy', 'full', 'read_only', 'corrupt', 'newer', 'changed_migration', 'failed'] as const
const coded = (code: string) => Object.assign(new Error(`${code}: something of the system`), { code })

describe('why the program cannot start', () => {
  it.each(FAULTS)('is said in the language of the window and with what to do: a database that is %s', (fault) => {
    const [english, korean] = (['en', 'ko'] as const).map((one) =>
      startFailureText(new DatabaseError(fault), wordsOf(one)),
    )
    expect(english).toMatch(/^[^가-힣]+\. .+\.$/)
    expect(korean).toMatch(/[가-힣].*\. ?.+\.$|[가-힣].*요\.$/)
    expect(korean).not.toBe(english)
  })

  it('has a sentence of its own for each fault', () => {
    const texts = FAULTS.map((fault) => startFailureText(new DatabaseError(fault), wordsOf('ko')))
    expect(new Set(texts).size).toBe(FAULTS.length)
    expect(databaseFault(coded('SQLITE_NOTADB'))).toBe('corrupt')
  })

  it('names the one who has the data folder', () => {
    const owned = new DirectoryOwnedError('/data', { pid: 7, port: 4711, controlToken: 't' })
    expect(startFailureText(owned, wordsOf('ko'))).toMatch(/다른 Loudsmith.*4711/)
    expect(startFailureText(new DirectoryOwnedError('/data', undefined), wordsOf('en'))).not.toContain('undefined')
  })

  it('turns what the system says in codes into a sentence, and leaves others as they are', () => {
    expect(startFailureText(coded('ENOSPC'), wordsOf('ko'))).toMatch(/디스크가 가득/)
    expect(startFailureText(coded('EACCES'), wordsOf('en'))).toMatch(/cannot be written/)
    expect(startFailureText(coded('SQLITE_IOERR_READ'), wordsOf('en'))).toMatch(/disk of the data folder/)
    expect(startFailureText(new Error('--port takes a number'), wordsOf('ko'))).toBe('--port takes a number')
  })
})
