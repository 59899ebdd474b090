import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src-contract/client.ts'
import { errorText, failureText } from '../../src-contract/text/text.ts'
import { failureOf, refusalOf, refusalText } from '../../src-renderer/state/refusal.ts'

const OWN = [
  'UNREACHABLE',
  'FILE_GONE',
  'UNREADABLE',
  'NO_SONGS',
  'MASTERS_GONE',
  'STEMS_GONE',
  'JOB_NOT_FOUND',
  'NOT_FOUND',
]

describe('a failure that the page tells', () => {
  it.each(['en', 'ko'] as const)('speaks in %s to a person, not to a program', (language) => {
    for (const code of OWN) {
      const text = refusalText({ code }, language)
      expect(text).toMatch(language === 'ko' ? /[가-힣].*\.$/ : /^[A-Z][^가-힣]+\.$/)
      expect(text).not.toContain('/')
    }
    expect(refusalText({ code: 'TOO_MANY_SONGS', values: { limit: 500 } }, language)).toContain('500')
  })

  it('is kept as what it is and worded in the language in which it is shown', () => {
    const values = { duration: '11:20' }
    const refusal = refusalOf(new ApiError({ code: 'FILE_TOO_LONG', values, requestId: 'r' }))
    expect(refusal).toEqual({ code: 'FILE_TOO_LONG', values, requestId: 'r' })
    for (const language of ['en', 'ko'] as const)
      expect(refusalText(refusal, language)).toBe(errorText('FILE_TOO_LONG', values, language))
    expect(refusalText(failureOf({ failure_code: 'TOO_SHORT' }), 'ko')).toBe(failureText('TOO_SHORT', {}, 'ko'))
  })

  it('is an internal error where nobody named it', () => {
    expect(refusalOf(new TypeError('broken'))).toEqual({ code: 'INTERNAL_ERROR' })
    expect(refusalText({ code: 'of another version' }, 'en')).toBe(errorText('INTERNAL_ERROR', {}, 'en'))
  })
})
