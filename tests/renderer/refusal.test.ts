import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src-renderer/api/client.ts'
import { refusalOf } from '../../src-renderer/state/refusal.ts'
import { errorText } from '../../src-server/contract/text/text.ts'

const failure = (code: ApiError['code'], message = '') => new ApiError({ code, message, requestId: 'r' })

describe('a failure that the page tells', () => {
  it.each(['en', 'ko'] as const)('speaks in %s to a person, not to a program', (language) => {
    for (const code of ['UNREACHABLE', 'FILE_GONE', 'JOB_NOT_FOUND', 'NOT_FOUND'] as const) {
      const { message } = refusalOf(failure(code, 'See GET /api/v1/jobs and /docs.'), language)
      expect(message).toMatch(language === 'ko' ? /[가-힣]/ : /^[A-Z][^가-힣]+\.$/)
      expect(message).not.toContain('/')
    }
  })

  it("keeps the server's own sentence and the request, and has one where the server has none", () => {
    expect(refusalOf(failure('FILE_TOO_LONG', 'It is 11:00 long.'), 'en')).toEqual({
      code: 'FILE_TOO_LONG',
      message: 'It is 11:00 long.',
      requestId: 'r',
    })
    expect(refusalOf(failure('UNAVAILABLE'), 'ko').message).toBe(errorText('UNAVAILABLE', {}, 'ko'))
    expect(refusalOf(failure('JOB_NOT_FOUND', 'x'), 'en')).toMatchObject({ code: 'JOB_NOT_FOUND', requestId: 'r' })
    expect(refusalOf(new TypeError('broken'), 'en').code).toBe('INTERNAL_ERROR')
  })
})
