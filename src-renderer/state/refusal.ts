/** A failure as the interface keeps it: what to say, and what to quote. */
import { ERRORS, type ErrorCode } from '../../src-server/contract/errors.ts'
import { errorText, type Language } from '../../src-server/contract/text/text.ts'
import { ApiError } from '../api/client.ts'

export interface Refusal {
  readonly code: string
  readonly message: string
  readonly requestId?: string | undefined
}

/** Failures of which the server knows nothing. */
const OWN: Record<'UNREACHABLE' | 'FILE_GONE', Record<Language, string>> = {
  UNREACHABLE: {
    en: 'Loudsmith does not answer. Start it again; nothing is lost.',
    ko: 'Loudsmith가 응답하지 않아요. 다시 시작하세요. 잃은 것은 없어요.',
  },
  FILE_GONE: {
    en: 'The file was moved or changed after it was chosen. Choose it again.',
    ko: '파일을 고른 뒤에 옮겨졌거나 바뀌었어요. 다시 고르세요.',
  },
}

/** Words any thrown value: the server's sentence, that of its code, or that of an internal error. Never throws. */
export function refusalOf(error: unknown, language: Language): Refusal {
  if (!(error instanceof ApiError))
    return { code: 'INTERNAL_ERROR', message: errorText('INTERNAL_ERROR', {}, language) }
  if (error.code === 'UNREACHABLE' || error.code === 'FILE_GONE')
    return { code: error.code, message: OWN[error.code][language] }
  const code: ErrorCode = error.code in ERRORS ? error.code : 'INTERNAL_ERROR'
  return { code, message: error.message || errorText(code, {}, language), requestId: error.requestId }
}
