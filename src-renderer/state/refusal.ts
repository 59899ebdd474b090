/** A failure as the interface keeps it: what to say, and what to quote. */
import { ERROR_CODES } from '../../src-server/contract/errors.ts'
import { errorText, type Language } from '../../src-server/contract/text/text.ts'
import { ApiError } from '../api/client.ts'

export interface Refusal {
  readonly code: string
  readonly message: string
  readonly requestId?: string | undefined
}

/** Failures of which the server knows nothing, and those of which its sentence speaks to a program: of calls and addresses. */
const OWN: Partial<Record<string, Record<Language, string>>> = {
  UNREACHABLE: {
    en: 'Loudsmith does not answer. Start it again; nothing is lost.',
    ko: 'Loudsmith가 응답하지 않아요. 다시 시작하세요. 잃은 것은 없어요.',
  },
  INVALID_API_KEY: {
    en: 'Loudsmith was started again. Open its new link; nothing is lost.',
    ko: 'Loudsmith가 다시 시작됐어요. 새 링크를 여세요. 잃은 것은 없어요.',
  },
  FILE_GONE: {
    en: 'The file was moved or changed after it was chosen. Choose it again.',
    ko: '파일을 고른 뒤에 옮겨졌거나 바뀌었어요. 다시 고르세요.',
  },
  JOB_NOT_FOUND: {
    en: 'This song is not in the history. It may have been deleted.',
    ko: '기록에 없는 곡이에요. 삭제됐을 수 있어요.',
  },
  NOT_FOUND: {
    en: 'This is not there any more. It may have been removed elsewhere.',
    ko: '이제 없는 항목이에요. 다른 곳에서 지웠을 수 있어요.',
  },
}

/** Whether the program never took what was asked, because it was away or had been started again: nothing is wrong with the thing itself. */
export const isNotReached = (code: string | undefined): boolean => code === 'UNREACHABLE' || code === 'INVALID_API_KEY'

/** Words any thrown value: the server's sentence, that of its code, or that of an internal error. Never throws. */
export function refusalOf(error: unknown, language: Language): Refusal {
  if (!(error instanceof ApiError))
    return { code: 'INTERNAL_ERROR', message: errorText('INTERNAL_ERROR', {}, language) }
  const own = OWN[error.code]?.[language]
  if (own) return { code: error.code, message: own, requestId: error.requestId }
  const code = ERROR_CODES.find((known) => known === error.code) ?? 'INTERNAL_ERROR'
  return { code, message: error.message || errorText(code, {}, language), requestId: error.requestId }
}
