/** 계약의 모든 코드에 대한 한국어 문장: 원인, 그다음 해결 방법. */
import type { ErrorCode, ErrorParams, FailureCode } from '../errors.ts'
import type { WarningCode } from '../report.ts'
import { colorModelWords } from './color-models.ts'
import { FORMAT_REASONS, type FormatReason } from './format-reasons.ts'
import { codecLabel, count, decibels, frequency, sampleRate } from './numbers.ts'
import { REQUEST_REASONS, type RequestReason, WEBHOOK_REASONS, type WebhookReason } from './reasons.ts'
import { stemReason } from './stem-reasons.ts'

const clause = (reason: unknown) => {
  const text = WEBHOOK_REASONS[reason as WebhookReason]?.ko
  return text === undefined ? '' : `: ${text}`
}

type Sentence = string | ((values: ErrorParams) => string)

const formatReason = (reason: unknown) => (FORMAT_REASONS[reason as FormatReason] ?? FORMAT_REASONS.unknown).ko

const coverFault: Record<string, string> = {
  format: 'JPEG, PNG, WebP, GIF, BMP, TIFF가 아니라서',
  size: '너무 커서',
  broken: '읽을 수 없어서',
}

const who = (values: ErrorParams) => (values.field === 'reference_file' ? '레퍼런스가' : '파일이')

const loss: Record<string, string> = {
  stopped: '멈춰졌어요',
  disk_full: '디스크가 가득 찼어요',
  ffmpeg: '쓸 수 있는 ffmpeg가 없었어요',
  files: '곡을 받거나 마스터를 보내지 못했어요',
}

const noFfmpeg = 'ffmpeg를 찾지 못했어요. ffmpeg 5.1 이상을 설치하거나 설정에서 지정하세요.'
const ffmpegToConfirm = (lack: string) =>
  `${lack === 'ffmpeg_changed' ? '설정한 ffmpeg가 확인한 파일과 달라서' : '설정한 ffmpeg를 아직 확인하지 않아서'} 실행하지 않아요. 확인하는 방법은 설정에 있어요.`
const brokenFfmpeg =
  'ffmpeg가 동작하지 않아요. 데이터 폴더의 파일을 읽거나 쓰지 못하거나, 정상 파일도 디코딩하지 못해요. 설정에서 다른 ffmpeg를 고르세요. 무엇이 문제인지는 `loudsmith doctor`에 나와요.'

export const errors: Record<ErrorCode, Sentence> = {
  FILE_TOO_LARGE: (v) => `${who(v)} ${v.maxMegabytes ?? 50} MB보다 커요. FLAC이나 더 낮은 해상도로 내보내세요.`,
  UNSUPPORTED_FORMAT: (v) => formatReason(v.reason),
  FILE_TOO_LONG: (v) =>
    `${who(v)} ${v.duration ? `${v.duration}예요` : '너무 길어요'}. 한도는 10분이니 줄여서 다시 보내세요.`,
  INVALID_PLATFORM: (v) =>
    `${v.platform ? `"${v.platform}"은(는) 플랫폼이 아니에요.` : v.sentAs ? `플랫폼이 "${v.sentAs}"(으)로 왔어요. 대괄호 없이 "platforms"로 보내세요.` : '플랫폼이 없어요.'} 쉼표로 나눠 적으세요: ${v.allowed}.`,
  INVALID_API_KEY:
    'API 키가 없거나, 등록되지 않았거나, 폐기 또는 정지됐어요. 설정에서 만든 키를 "Authorization: Bearer <키>"로 보내세요.',
  INSUFFICIENT_CREDITS: (v) =>
    `${Number(v.cost ?? 1) === 1 ? '이 작업은' : '이 릴리스는'} ${v.cost ?? 1}크레딧인데 잔액이 ${v.balance ?? 0}이에요. 설정에서 크레딧을 추가하세요.`,
  CONCURRENT_LIMIT: (v) =>
    v.reason === 'sessions'
      ? `이 키로 열린 MCP 세션이 한도인 ${v.limit}개예요. DELETE /mcp와 Mcp-Session-Id로 하나를 끝내세요. 10분 동안 쓰지 않은 세션은 새 세션에 자리를 내줘요.`
      : v.reason === 'links_of_job'
        ? `이 키로 만든 이 결과의 링크가 한도인 ${v.limit}개예요. DELETE /api/v1/jobs/{job_id}/links/{link_id}로 하나를 끝내세요. 목록은 GET /api/v1/jobs/{job_id}/links에 있어요.`
        : v.reason === 'links'
          ? `이 키로 만든 링크가 한도인 ${v.limit}개예요. DELETE /api/v1/jobs/{job_id}/links/{link_id}로 끝내거나 만료될 때까지 기다리세요.`
          : v.reason === 'streams'
            ? `이 키로 열린 이벤트 스트림이 한도인 ${v.limit}개예요. 하나를 닫으세요. Last-Event-ID로 이어서 받을 수 있어요.`
            : `${v.limit ? `끝나지 않은 작업이 플랜 한도인 ${v.limit}개예요.` : '다른 작업이 아직 진행 중이에요.'} 하나가 끝나면 다시 시도하세요.`,
  RATE_LIMIT: (v) => `플랜 한도는 분당 ${v.limit}회예요. ${v.retryAfterSeconds}초 뒤에 다시 시도하세요.`,
  INVALID_REQUEST: (v) =>
    REQUEST_REASONS[v.reason as RequestReason]?.ko ??
    `"${v.param}" 값을 쓸 수 없어요. ${v.cause ?? '어떻게 적었는지 확인해 주세요.'}`,
  INVALID_WEBHOOK_URL: (v) =>
    `웹훅 주소를 쓸 수 없어요${clause(v.reason)}. 이 서버가 아닌 http 또는 https 절대 주소를 쓰세요.`,
  TRIMMED_AWAY: (v) => `이렇게 자르면 곡이 ${v.leftSeconds}초만 남아요. ${v.seconds}초 이상 남겨야 해요.`,
  FADES_OVERLAP: (v) => `두 페이드가 모두 ${v.seconds}초인데 곡은 ${v.leftSeconds}초만 남아요. 하나를 줄이세요.`,
  UNUSABLE_STEMS: (v) => stemReason(v, 'ko'),
  FORBIDDEN: (v) =>
    v.neededScope
      ? `이 키의 권한 범위는 "${v.scope}"인데, "${v.neededScope}" 권한이 필요한 일이에요. 그 권한이 있는 키를 쓰세요. 설정이나 "loudsmith keys create"로 만들 수 있어요.`
      : '이 컴퓨터나 Loudsmith에서 보낸 요청만 처리해요. http://127.0.0.1로 직접 호출하고, /app은 앱에서만 쓰세요.',
  OWNER_REQUIRED:
    '소유자만 할 수 있는 일이에요. 앱의 창이나 터미널의 "loudsmith" 명령(소스 폴더에서는 "npm run cli --")을 쓰세요.',
  PATH_NOT_ALLOWED:
    '소유자가 허용한 폴더 안에 그런 파일이나 폴더가 없어요. 전체 경로를 확인하거나 "loudsmith allow FOLDER"로 폴더를 허용하세요.',
  NOT_FOUND: (v) =>
    v.reason === 'session'
      ? '이 MCP 세션은 끝났어요. Loudsmith를 다시 시작하면 세션이 끝나요. Mcp-Session-Id 없이 "initialize"를 보내 새로 시작하세요.'
      : v.reason === 'trailing_slash'
        ? '주소가 슬래시(/)로 끝나서 찾을 수 없어요. 끝의 슬래시를 빼고 보내세요.'
        : v.reason === 'preset'
          ? '이 이름의 프리셋이 없어요. 목록은 GET /api/v1/presets에 있어요.'
          : '없는 주소예요. 쓸 수 있는 주소는 /docs에서 확인하세요.',
  JOB_NOT_FOUND: '그런 작업이 없어요. 삭제됐을 수 있으니 GET /api/v1/jobs에서 확인하세요.',
  RELEASE_NOT_FOUND: '그런 릴리스나 트랙이 없어요. 삭제됐을 수 있으니 GET /api/v1/releases에서 확인하세요.',
  BATCH_NOT_FOUND: '그런 일괄 작업이 없어요. GET /api/v1/batches에서 최근 것을 확인하세요.',
  LINK_NOT_FOUND: '쓸 수 없는 링크예요. 만료됐거나 취소됐거나 결과가 사라졌어요. 새 링크를 받으세요.',
  METHOD_NOT_ALLOWED: (v) => `이 주소에서는 ${v.allow}만 쓸 수 있어요.`,
  REQUEST_TIMEOUT: '요청이 중간에 멈췄어요. 끊김 없이 다시 보내세요.',
  JOB_NOT_READY: '작업이 아직 끝나지 않았어요. 잠시 뒤 다시 시도하세요.',
  JOB_FAILED: '작업이 실패해서 결과가 없어요. 작업을 조회하면 이유가 있어요.',
  AUDITION_NOT_READY: '정확한 마스터를 아직 만들고 있어요. 미리 듣기를 재생하거나 잠시 뒤 다시 시도하세요.',
  CEILING_NOT_HELD: '이 설정으로는 마스터를 트루 피크 한도 아래로 유지할 수 없어요. 강도나 음량을 낮추세요.',
  IDEMPOTENCY_IN_PROGRESS: '이 Idempotency-Key의 요청이 아직 진행 중이에요. 잠시 뒤 다시 시도하세요.',
  KEY_LIMIT: (v) =>
    v.limit === 0
      ? `${v.plan} 플랜에는 API 키가 없어요. 상위 플랜을 고르세요.`
      : `${v.plan} 플랜의 API 키는 최대 ${v.limit}개예요. 하나를 폐기하거나 상위 플랜을 고르세요.`,
  WEBHOOK_LIMIT: (v) =>
    v.limit === 0
      ? `${v.plan} 플랜에는 웹훅이 없어요. 상위 플랜을 고르세요.`
      : `${v.plan} 플랜의 웹훅은 최대 ${v.limit}개예요. 하나를 지우거나 상위 플랜을 고르세요.`,
  STEM_SET_LIMIT: (v) =>
    `${v.reason === 'bytes' ? `스템 세트는 모두 합해 ${v.gigabytes} GB까지인데 이 세트가 들어갈 자리가 없어요` : `작업이 없는 스템 세트가 한도인 ${v.limit}개예요`}. 하나를 마스터링하거나 DELETE /api/v1/sources/{source_id}로 지우세요. 목록은 GET /api/v1/sources에 있어요.`,
  PRESET_NAME_TAKEN: (v) => `“${v.name}” 프리셋이 이미 있어요. 다른 이름을 쓰세요.`,
  TRACK_LIMIT: (v) => `릴리스 하나에는 트랙을 최대 ${v.limit}개 넣을 수 있어요. 몇 개를 빼거나 릴리스를 새로 만드세요.`,
  RELEASE_NOT_READY: (v) => {
    if (v.reason === 'no_platform')
      return '모든 트랙에 마스터가 있는 플랫폼이 없어요. 한 플랫폼으로 모든 트랙을 마스터링하세요.'
    if (v.track === undefined) return '릴리스에 트랙이 없어요. 먼저 트랙을 추가하세요.'
    const track = `트랙 ${v.track}${v.title ? `(“${v.title}”)` : ''}에`
    if (v.format !== undefined)
      return `${track} ${v.format} 파일이 없고, 만들 수 있는 마스터도 없어요. 이 형식을 넣어 마스터링하거나 형식을 빼세요.`
    if (v.reason === 'no_song') return `${track} 곡이 없거나 곡 파일이 사라졌어요. 저장된 곡이나 작업을 넣으세요.`
    return v.reason === 'no_release_master'
      ? `${track} 릴리스 마스터가 없어요. 릴리스 마스터를 넣어 마스터링하거나 플랫폼 마스터를 내보내세요.`
      : `${track} 완성된 마스터가 없어요. 마스터링하거나 끝난 작업을 트랙에 넣으세요.`
  },
  TRACKS_NOT_CONTINUOUS: (v) => {
    const track = `트랙 ${v.track}${v.title ? `(“${v.title}”)` : ''}`
    if (v.reason === 'length')
      return `트랙 ${v.track}부터 이어지는 곡들을 합친 길이가 ${v.seconds}초를 넘어요. 그중 한 곡의 이어짐을 끄세요.`
    const both = `${track}에서 다음 트랙으로 이을 수 없어요.`
    if (v.reason === 'rate') return `${both} 두 곡의 샘플레이트가 달라요. 같은 샘플레이트의 곡을 넣으세요.`
    if (v.reason === 'channels') return `${both} 한 곡은 모노이고 다른 곡은 스테레오예요. 채널 수를 같게 하세요.`
    if (v.reason === 'gap') return `${both} 두 곡 사이에 간격이 있어요. 다음 트랙 앞 간격을 0초로 하세요.`
    if (v.reason === 'fade')
      return `${both} 두 곡 사이에 페이드가 있어요. 이 트랙의 페이드 아웃과 다음 트랙의 페이드 인을 0초로 하세요.`
    return `${both} 이어지는 곡은 소리를 함께 쓰는데 트랙별 설정이 달라요. 설정을 같게 하거나 지우세요.`
  },
  RELEASE_BUSY: '릴리스를 마스터링하는 중이에요. 끝날 때까지 기다리거나 먼저 취소하세요.',
  FOLDER_TAKEN: (v) =>
    v.file !== undefined
      ? `“${v.folder}” 폴더의 “${v.file}” 파일이 바뀌어 있어서 덮어쓰지 않았어요. 그 파일을 옮기거나 다른 폴더로 내보내세요.`
      : `“${v.folder ?? '같은 이름의'}” 폴더가 이미 있고 다른 파일이 들어 있어요. 이름을 바꾸거나 옮기고, 아니면 다른 폴더로 내보내세요.`,
  RESULT_EXPIRED: '보관 기간이 지나 결과가 더는 없어요. 곡을 다시 마스터링하세요.',
  FILE_GONE: (v) =>
    `${v.file === undefined ? '' : `“${v.file}” `}파일이 없어졌어요. 일괄 작업 뒤에 옮겨졌거나 지워졌거나 바뀌었거나, 그 폴더가 허용 목록에서 빠졌어요. 원래대로 되돌려 놓거나 곡을 다시 마스터링하세요.`,
  TICKET_SPENT: '이미 사용했거나 5분이 지난 링크예요. "loudsmith open"을 실행해 새 링크를 여세요.',
  UNSUPPORTED_MEDIA_TYPE: (v) =>
    v.encoding === undefined
      ? `이 요청은 ${v.expected} 형식으로 보내세요.`
      : `본문이 ${v.encoding}로 압축되어 있어 처리할 수 없어요. Content-Encoding 없이 보내세요.`,
  PRECONDITION_FAILED: 'If-Match에 적은 파일이 아니에요. If-Match 없이 다시 요청하세요.',
  RANGE_NOT_SATISFIABLE: '요청한 범위가 파일을 벗어났어요. 파일 크기는 Content-Range에 있어요.',
  IDEMPOTENCY_MISMATCH: (v) =>
    v.name === undefined
      ? '이 Idempotency-Key는 이미 다른 요청에 쓰였어요. 새 키를 쓰세요.'
      : `이 ${v.name}은(는) 이미 다른 목록에 쓰였어요. 새 ID를 쓰세요.`,
  INTERNAL_ERROR: 'Loudsmith 내부에서 오류가 났어요. 다시 시도해 보고, 계속되면 요청 ID를 알려 주세요.',
  UNAVAILABLE: (v) =>
    v.reason === 'ffmpeg_missing'
      ? noFfmpeg
      : v.reason === 'ffmpeg_unconfirmed' || v.reason === 'ffmpeg_changed'
        ? ffmpegToConfirm(v.reason)
        : v.reason === 'ffmpeg_broken'
          ? brokenFfmpeg
          : v.reason === 'no_encoder'
            ? `지금 쓰는 ffmpeg에는 ${v.codec} 인코더가 없어요. 설정에서 인코더가 있는 ffmpeg을 고르세요.`
            : v.reason === 'signing_key'
              ? `인증서에 서명하는 키가 손상됐어요: ${v.file}. 백업에서 되돌리거나, 지우지 말고 다른 곳으로 옮기세요. 옮기면 새 키를 만들고, 지금까지의 인증서는 다른 키로 서명한 것으로 나와요.`
              : 'Loudsmith가 시작 중이거나 종료 중이거나 다른 작업으로 바빠요. 잠시 뒤 다시 시도하세요.',
  AUDITION_ENDED:
    '새 설정으로 곡을 들려주던 엔진이 멈췄어요. 다시 시도하면 새로 시작해요. 작업, 크레딧, 파일에는 영향이 없어요.',
  INSUFFICIENT_STORAGE: '디스크 공간이 부족해요. 공간을 비우거나 설정에서 한도를 늘리세요.',
}

export const failures: Record<FailureCode, Sentence> = {
  CANCELLED: '취소됨',
  DIGITAL_SILENCE: '곡이 무음이거나 무음에 가까워요. 소리가 들어 있는지 확인하고 다시 내보내세요.',
  TOO_SHORT: '곡이 1초보다 짧아요. 곡 전체를 내보내세요.',
  UNREADABLE_AUDIO:
    '저장된 곡이 추가했을 때와 달라져서 읽을 수 없어요. 다시 추가하고, 그래도 안 되면 곡을 다시 내보내세요.',
  INVALID_SAMPLES: (v) =>
    `파일의 샘플${v.percent === undefined ? '이' : ` 중 ${v.percent} %가`} 숫자가 아니거나 정상 범위를 크게 벗어나 쓸 수 있는 소리가 없어요. 곡을 다시 내보내세요.`,
  CEILING_BROKEN: (v) =>
    `${v.platform ?? '한 플랫폼'}의 마스터가 트루 피크 한도를 넘어서 결과를 만들지 않았어요. 강도를 낮춰 보세요.`,
  ENGINE_CRASHED: '이 곡을 처리하다 엔진이 세 번 멈췄어요. 다시 시도하거나 다른 ffmpeg를 쓰세요. 원인은 로그에 있어요.',
  OUT_OF_MEMORY:
    '이 곡을 마스터링하다 컴퓨터의 메모리가 세 번 부족했어요. 다른 프로그램을 닫거나 동시에 마스터링하는 곡 수를 줄인 뒤 다시 시도하세요.',
  MACHINES_LOST: (v) =>
    `컴퓨터들이 이 곡을 열 번 끝내지 못했어요. 마지막 컴퓨터는 ${loss[v.reason ?? ''] ?? '응답하지 않았어요'}. 컴퓨터들을 확인하고 다시 시도하세요.`,
  ENGINE_TIMEOUT: '처리 시간이 한도를 넘어 엔진을 중단했어요. 컴퓨터가 덜 바쁠 때 다시 시도하세요.',
  SOURCE_LOST: '저장된 곡이 디스크에서 사라졌어요. 다시 추가하세요.',
  REFERENCE_LOST: '저장된 레퍼런스가 디스크에서 사라졌어요. 다시 추가하거나 레퍼런스 없이 마스터링하세요.',
  REFERENCE_UNREADABLE: (v) =>
    v.percent !== undefined
      ? `레퍼런스의 샘플 중 ${v.percent} %가 숫자가 아니거나 정상 범위를 크게 벗어나요. 다시 내보내거나, 다른 곡을 고르거나, 레퍼런스 없이 마스터링하세요.`
      : '저장된 레퍼런스가 추가했을 때와 달라져서 읽을 수 없어요. 다시 추가하거나, 다른 곡을 고르거나, 레퍼런스 없이 마스터링하세요.',
  DISK_FULL: '마스터를 쓰는 중에 디스크가 가득 찼어요. 공간을 비우고 다시 시도하세요.',
  FFMPEG_MISSING:
    '실행할 수 있는 ffmpeg가 없었어요. ffmpeg 5.1 이상을 설치하거나 설정에서 지정 또는 확인한 뒤 다시 시도하세요.',
  FFMPEG_BROKEN: brokenFfmpeg,
  ENCODER_MISSING: (v) =>
    `이 ffmpeg로는 ${v.codec ?? '요청한 형식'} 파일을 만들 수 없어요. 설정에서 다른 ffmpeg를 고르거나 그 형식을 빼세요.`,
  ENGINE_FAILED: '엔진이 이 곡을 처리하지 못했어요. 곡을 다시 내보내서 시도해 보세요. 원인은 로그에 있어요.',
}

export const warnings: Record<WarningCode, Sentence> = {
  INPUT_CLIPPED: (v) =>
    v.perSecond === undefined
      ? `피크 ${v.count === undefined ? '여러 ' : count(Number(v.count))}곳이 잘렸어요. 복원해서 마스터링해요.`
      : '곡 전체에 클리핑이 있어 의도한 소리로 처리해요. 의도한 것이 아니라면 게인을 낮춰 다시 내보내세요.',
  INPUT_LIMITED: '이미 강하게 리미팅된 곡이에요. 음량을 더 높일 여지가 적어요.',
  INPUT_OTHER_TRACKS: (v) =>
    `소리 트랙이 ${v.count}개 있는 파일이에요. 재생기가 고르는 ${v.track}번 트랙을 썼어요. 다른 트랙이 필요하면 따로 내보내세요.`,
  INPUT_LOSSY: (v) => `${v.codec ? `${v.codec}로` : '손실'} 압축된 곡이에요. WAV나 FLAC으로 내보내면 음질이 더 좋아요.`,
  INPUT_RESAMPLED: (v) => `${sampleRate(Number(v.fromHz))}에서 ${sampleRate(Number(v.toHz))}로 리샘플링했어요.`,
  INPUT_CUT_SHORT: (v) =>
    `파일에는 길이가 ${v.claimed}로 적혀 있지만 ${v.held}만 들어 있어요. 끝이 잘렸다면 다시 내보내거나 내려받으세요.`,
  INPUT_HOLDS_MORE: (v) =>
    `파일에는 길이가 ${v.counted}로 적혀 있지만 그 뒤에 약 ${v.more}가 더 있고, 그 부분은 쓰지 않아요. 곡이 더 길다면 다시 내보내세요.`,
  INPUT_DAMAGED: (v) =>
    `파일이 손상되어 약 ${v.seconds}초를 읽지 못했어요. 그 부분은 비어 있거나 빠져 있으니 다시 내보내거나 내려받으세요.`,
  INPUT_SAMPLES_DAMAGED: (v) =>
    `손상된 샘플 ${count(Number(v.count))}개를 앞뒤 소리로 메웠어요. 숫자가 아니거나 음악보다 훨씬 큰 값이에요. 위치: ${v.places}${v.morePlaces === undefined ? '' : ` 외 ${v.morePlaces}곳`}. 이상하게 들리면 곡을 다시 내보내세요.`,
  INPUT_MONO: '모노 곡이에요. 마스터의 두 채널에 같은 소리가 들어가요.',
  INPUT_DEAD_CHANNEL: (v) => `${v.channel === 'left' ? '왼쪽' : '오른쪽'} 채널이 무음이에요. 그대로 뒀어요.`,
  INPUT_OUT_OF_PHASE: (v) =>
    Number(v.lossDb) >= 30
      ? '좌우가 서로 상쇄되어 모노로 들으면 거의 들리지 않아요. 한쪽 채널의 위상이 뒤집혔는지 확인하세요.'
      : `좌우가 일부 상쇄되어 모노로 들으면 ${decibels(Number(v.lossDb), 1)} dB 작아져요. 한쪽 채널의 위상이 뒤집혔는지 확인하세요.`,
  INPUT_NEAR_SILENT_EDGES: ({ startSeconds = 0, endSeconds = 0 }) => {
    const start = `앞에 ${startSeconds}초`
    if (endSeconds === 0) return `${start}의 무음이 있어요.`
    const end = `뒤에 ${endSeconds}초의 무음이 있어요.`
    return startSeconds === 0 ? end : `${start}, ${end}`
  },
  INPUT_BREAKS_OFF: '소리가 이어지는 도중에 곡이 끊겨요. 의도한 것이 아니면 생성기에서 이어 만들거나 페이드아웃하세요.',
  INPUT_BAND_LIMITED: (v) => `${frequency(Number(v.cutoffHz))} 위로는 소리가 없어요. 없는 고음을 새로 만들지는 않아요.`,
  INPUT_MUFFLED:
    '고음이 일찍 줄어들어 소리가 먹먹해요. 고음을 깎지 않고, 장르나 레퍼런스를 고른 경우에만 조심스럽게 올려요.',
  INPUT_HIGHS_LOST_IN_MONO: (v) =>
    `6~14 kHz에서 두 채널이 서로 전혀 달라요. 모노로 들으면 그 고역이 ${decibels(Number(v.lossDb), 1)} dB 줄어요. 그대로 두지만, 원하면 "6 kHz 위 사이드"(highs_side_db)로 낮출 수 있어요.`,
  INPUT_PROVENANCE_DROPPED:
    '출처 증명이 들어 있지만 마스터링하면 무효가 되므로 옮기지 않았어요. 릴리스를 내보낼 때 이어서 담아요.',
  INPUT_COVER_DROPPED: (v) =>
    `${coverFault[String(v.reason)] ?? coverFault.broken} 커버를 넣지 못했어요. 마스터에 커버가 필요하면 곡에 JPEG나 PNG를 넣으세요.`,
  INPUT_PICTURES_DROPPED: (v) =>
    `마스터에는 커버만 들어가요. 곡에 있는 다른 그림${v.count === undefined ? '은' : ` ${v.count}개는`} 넣지 않았어요.`,
  COVER_UNUSUAL: (v) =>
    `커버가 ${v.widthPx} × ${v.heightPx}픽셀이에요. 유통사는 한 변이 1400픽셀 이상인 정사각형을 권해요.`,
  COVER_NOT_RGB: (v) =>
    `커버 색상이 ${colorModelWords(v.colorModel).ko}예요. 유통사는 RGB를 받으니 채널당 8비트 RGB로 바꾸세요.`,
  INPUT_TAGS_CUT: (v) => `너무 긴 태그를 잘랐어요${v.names === undefined ? '' : `: ${v.names}`}.`,
  REFERENCE_LOSSY: '손실 압축된 레퍼런스예요. 레퍼런스에 있는 대역까지만 맞춰요.',
  REFERENCE_IS_TARGET: '레퍼런스가 같은 곡이라 맞출 것이 없어요.',
  REFERENCE_NOT_COMPARABLE:
    '레퍼런스로 쓸 수 없는 곡이에요. 무음이거나 위상이 반대이거나 음이 몇 개뿐이에요. 반영하지 않았으니 다른 곡을 고르세요.',
  RECIPE_OF_OTHER_SONG:
    '다른 곡이나 이 곡의 다른 구간으로 만든 레시피예요. 단계는 적힌 그대로 쓰고 복원, 게인, 리미터는 새로 정했어요.',
  RECIPE_ROUNDED:
    '이전 버전이 쓴 레시피라 숫자가 반올림되었고 목표 음량이 없어요. 비슷하지만 똑같은 마스터는 아니에요.',
  TARGET_NOT_REACHED: (v) => `마스터가 목표보다 ${v.missingLu} LU 낮아요. 더 올리면 얻는 것보다 잃는 것이 많아요.`,
  IGNORED_FIELD: (v) => `"${v.field}"은(는) 없는 필드라서 무시했어요. 이름을 확인해 주세요.`,
  CODEC_OVERSHOOT: (v) => `${codecLabel(v.codec)} 인코딩 뒤 피크가 ${v.truePeakDbtp} dBTP까지 올라가요.`,
}
