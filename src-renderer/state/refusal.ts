/** A failure as facts, worded on display in the current language. */

import { ApiError } from '../../src-contract/client.ts'
import { ERROR_CODES, type ErrorParams, FAILURE_CODES } from '../../src-contract/errors.ts'
import type { Job } from '../../src-contract/jobs.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { errorText, failureText } from '../../src-contract/text/text.ts'

export interface Refusal {
  /** From the contract's catalogues, or one of those below. */
  readonly code: string
  /** Values that the sentence of the code mentions. */
  readonly values?: ErrorParams | undefined
  readonly requestId?: string | undefined
}

type Sentence = string | ((values: ErrorParams) => string)

/** Failures unknown to the server, and those whose server text addresses programs (calls and addresses). */
const OWN: Partial<Record<string, Record<Language, Sentence>>> = {
  UNREACHABLE: {
    en: 'Loudsmith does not answer. Start it again; nothing is lost.',
    ko: 'Loudsmith가 응답하지 않아요. 다시 시작하세요. 작업은 그대로 남아 있어요.',
  },
  INVALID_API_KEY: {
    en: 'Loudsmith was started again. Open its new link; nothing is lost.',
    ko: 'Loudsmith가 다시 시작됐어요. 새 링크를 여세요. 작업은 그대로 남아 있어요.',
  },
  FILE_GONE: {
    en: 'The file was moved or changed after it was chosen. Choose it again.',
    ko: '파일을 고른 뒤에 옮겨졌거나 바뀌었어요. 다시 고르세요.',
  },
  UNREADABLE: {
    en: 'The file cannot be opened. Check that it still exists and that you may read it.',
    ko: '파일을 열 수 없어요. 파일이 있는지, 읽기 권한이 있는지 확인하세요.',
  },
  NO_SONGS: {
    en: 'No MP3, WAV or FLAC found.',
    ko: 'MP3, WAV, FLAC 파일이 없어요.',
  },
  TOO_MANY_SONGS: {
    en: ({ limit }) => `Only ${limit} songs can be added at a time.`,
    ko: ({ limit }) => `한 번에 ${limit}곡까지만 추가할 수 있어요.`,
  },
  MASTERS_GONE: {
    en: 'The masters are no longer in that folder.',
    ko: '그 폴더에 마스터가 없어요.',
  },
  STEMS_GONE: {
    en: 'The stems of this song are no longer in the list, only their plain sum is left. Add the stems again to master this mix.',
    ko: '이 곡의 스템이 목록에 없고 그냥 더한 소리만 남아 있어요. 이 믹스로 마스터링하려면 스템을 다시 추가하세요.',
  },
  JOB_NOT_FOUND: {
    en: 'This song is not in the history. It may have been deleted.',
    ko: '기록에 없는 곡이에요. 삭제됐을 수 있어요.',
  },
  NOT_FOUND: {
    en: 'This no longer exists. It may have been removed elsewhere.',
    ko: '이제 없는 항목이에요. 다른 곳에서 지웠을 수 있어요.',
  },
}

/**
 * Tells whether a request never reached the program because it was away or had restarted; the request itself may be
 * valid.
 */
export const isNotReached = (code: string | undefined): boolean => code === 'UNREACHABLE' || code === 'INVALID_API_KEY'

/** The facts of any thrown value; anything but a failed call is an internal error. Never throws. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError)) return { code: 'INTERNAL_ERROR' }
  const { code, values, requestId } = error
  return { code, ...(values ? { values } : {}), ...(requestId ? { requestId } : {}) }
}

/** The facts of a job's failure. */
export const failureOf = ({ failure_code: code = 'ENGINE_FAILED' }: Pick<Job, 'failure_code'>): Refusal => ({ code })

/** Returns the failure and its remedy in words; an unknown code reads as an internal error. Never throws. */
export function refusalText({ code, values = {} }: Refusal, language: Language): string {
  const own = OWN[code]?.[language]
  if (own) return typeof own === 'string' ? own : own(values)
  const failure = FAILURE_CODES.find((known) => known === code)
  if (failure) return failureText(failure, values, language)
  return errorText(ERROR_CODES.find((known) => known === code) ?? 'INTERNAL_ERROR', values, language)
}
