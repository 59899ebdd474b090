/** Reasons to refuse a request or a callback address, with advice, in both languages. */
import { MAX_URL_LENGTH, MIN_REFERENCE_SECONDS } from '../limits.ts'

/** Sentences of INVALID_REQUEST for faults that the name of the field does not explain. */
export const REQUEST_REASONS = {
  body_broken_off: {
    en: 'The request was interrupted. Send it again.',
    ko: '요청이 중간에 끊겼어요. 다시 보내세요.',
  },
  body_too_large: {
    en: 'The body is too large. Send less at once.',
    ko: '본문이 너무 커요. 한 번에 더 적게 보내세요.',
  },
  not_json: {
    en: 'The body is not valid JSON. Correct it and send it again.',
    ko: '본문이 올바른 JSON이 아니에요. 고쳐서 다시 보내세요.',
  },
  mcp_message: {
    en: 'This is no message that a session of the Model Context Protocol takes now. Begin one with "initialize", send its Mcp-Session-Id, and accept application/json and text/event-stream.',
    ko: 'Model Context Protocol 세션이 지금 받을 수 있는 메시지가 아니에요. "initialize"로 세션을 시작하고, Mcp-Session-Id를 보내고, application/json과 text/event-stream을 받는다고 하세요.',
  },
  byte_order_mark: {
    en: 'The body begins with a byte order mark (BOM), which JSON does not have. Send it as UTF-8 without BOM.',
    ko: '본문이 바이트 순서 표시(BOM)로 시작해요. JSON에는 없는 표시이니 BOM 없는 UTF-8로 보내세요.',
  },
  body_not_object: {
    en: 'The body does not fit this address. Send a JSON object with the fields of this address.',
    ko: '이 주소에 맞지 않는 본문이에요. 이 주소의 필드로 된 JSON 객체를 보내세요.',
  },
  not_multipart: {
    en: 'The body is not complete multipart/form-data. Send every part completely.',
    ko: '본문이 온전한 multipart/form-data가 아니에요. 모든 부분을 끝까지 보내세요.',
  },
  no_boundary: {
    en: 'The content type has no boundary. Let the HTTP library set it.',
    ko: '콘텐츠 형식에 경계(boundary)가 없어요. HTTP 라이브러리가 자동으로 넣게 하세요.',
  },
  field_name_too_long: {
    en: 'The name of a field is too long. Send only the fields of this address.',
    ko: '이름이 너무 긴 필드가 있어요. 이 주소의 필드만 보내세요.',
  },
  too_many_fields: {
    en: 'There are too many fields. Send only those of this address.',
    ko: '필드가 너무 많아요. 이 주소의 필드만 보내세요.',
  },
  unreadable: {
    en: 'The request could not be read. Check how its parts are written.',
    ko: '요청을 읽을 수 없어요. 각 부분을 어떻게 적었는지 확인해 주세요.',
  },
  not_http: {
    en: 'The request is not valid HTTP or its headers are too large. Shorten the headers and send it again.',
    ko: '올바른 HTTP 요청이 아니거나 헤더가 너무 커요. 헤더를 줄여 다시 보내세요.',
  },
  reference_too_short: {
    en: `The reference is too short. Use a track of at least ${MIN_REFERENCE_SECONDS} seconds.`,
    ko: `레퍼런스가 너무 짧아요. ${MIN_REFERENCE_SECONDS}초 이상인 곡을 쓰세요.`,
  },
  file_missing: {
    en: 'There is no song. Send it as a file part named "file" (curl: -F file=@song.wav).',
    ko: '곡이 없어요. "file"이라는 파일 파트로 보내세요(curl: -F file=@song.wav).',
  },
  file_is_text: {
    en: 'The song has neither a filename nor an audio type, so it was read as text. Send it as a file part named "file" (curl: -F file=@song.wav).',
    ko: '곡에 파일 이름(filename)도 오디오 형식도 없어서 텍스트로 읽혀요. "file"이라는 파일 파트로 보내세요(curl: -F file=@song.wav).',
  },
  song_gone: {
    en: 'The stored song is gone from the disk. Add it again.',
    ko: '저장된 곡이 디스크에서 사라졌어요. 곡을 다시 추가하세요.',
  },
  reference_gone: {
    en: 'The stored reference is gone from the disk. Add it again, or master without it.',
    ko: '저장된 레퍼런스가 디스크에서 사라졌어요. 다시 추가하거나 레퍼런스 없이 마스터링하세요.',
  },
  folder_not_writable: {
    en: 'This folder cannot be written to. Choose another, or allow writing to it.',
    ko: '이 폴더에는 쓸 수 없어요. 다른 폴더를 고르거나 쓰기를 허용하세요.',
  },
  folder_not_complete: {
    en: 'The export stopped: the folder cannot be written to any more. What is finished stays; allow writing to it and export again.',
    ko: '폴더에 더는 쓸 수 없어 내보내기를 멈췄어요. 끝난 파일은 그대로 있으니 쓰기를 허용하고 다시 내보내세요.',
  },
  folder_not_readable: {
    en: 'This folder cannot be read. Choose another, or allow reading it.',
    ko: '이 폴더는 읽을 수 없어요. 다른 폴더를 고르거나 읽기를 허용하세요.',
  },
  file_not_regular: {
    en: 'This is not a regular file: it is a pipe, a device or a file of the system. Choose a folder, or a file on a disk.',
    ko: '일반 파일이 아니에요. 파이프나 장치, 시스템 파일은 쓸 수 없어요. 폴더나 디스크에 있는 파일을 고르세요.',
  },
  certificate_too_large: {
    en: 'The certificate.json in it is larger than any certificate, so it was not read. Choose a folder that Loudsmith has exported.',
    ko: '안에 있는 certificate.json이 인증서라고 하기에는 너무 커서 읽지 않았어요. Loudsmith가 내보낸 폴더를 고르세요.',
  },
  folder_is_program: {
    en: 'macOS takes this folder for a program. Choose one whose name does not end like that of a program.',
    ko: 'macOS가 프로그램으로 여기는 폴더예요. 이름이 .app처럼 끝나지 않는 폴더를 고르세요.',
  },
  folder_watched: {
    en: 'This folder is watched already. Choose another.',
    ko: '이미 지켜보고 있는 폴더예요. 다른 폴더를 고르세요.',
  },
  folder_not_absolute: {
    en: 'The full path of the folder is needed. Start with the root or the drive.',
    ko: '폴더의 전체 경로가 필요해요. 루트나 드라이브부터 적으세요.',
  },
  folder_own: {
    en: "This folder belongs to Loudsmith's own data. Choose another.",
    ko: 'Loudsmith의 데이터 폴더예요. 다른 폴더를 고르세요.',
  },
  file_not_readable: {
    en: 'This file cannot be read. Allow reading it, or export it again; it is then added automatically.',
    ko: '이 파일은 읽을 수 없어요. 읽기를 허용하거나 다시 내보내면 자동으로 가져와요.',
  },
  file_in_use: {
    en: 'Another program is using this file. It is added once that program closes it.',
    ko: '다른 프로그램이 이 파일을 쓰고 있어요. 사용이 끝나면 자동으로 가져와요.',
  },
  file_cut_short: {
    en: 'This file is shorter than its header says. It is added once it is complete, or when it has not changed for a minute.',
    ko: '이 파일은 적혀 있는 길이보다 짧아요. 복사가 끝나거나 1분 동안 바뀌지 않으면 자동으로 가져와요.',
  },
  name_not_utf8: {
    en: 'The name of this file cannot be read: it is not UTF-8. Rename it in the file manager; it is then added automatically.',
    ko: '이 파일의 이름은 UTF-8이 아니라서 읽을 수 없어요. 파일 관리자에서 이름을 바꾸면 자동으로 가져와요.',
  },
  folder_name_not_utf8: {
    en: 'The name of this folder cannot be read: it is not UTF-8. Rename the folder in the file manager, or choose another.',
    ko: '이 폴더의 이름은 UTF-8이 아니라서 읽을 수 없어요. 파일 관리자에서 이름을 바꾸거나 다른 폴더를 고르세요.',
  },
  csv_unreadable: {
    en: 'The table cannot be read as CSV. Save it as CSV (UTF-8) in the spreadsheet and send that file.',
    ko: '표를 CSV로 읽을 수 없어요. 스프레드시트에서 CSV(UTF-8)로 저장해 다시 보내세요.',
  },
  csv_no_rows: {
    en: 'The table has no rows below its header. Add one row for each track.',
    ko: '표의 머리글 아래에 행이 없어요. 트랙마다 한 행씩 적으세요.',
  },
  csv_too_many_rows: {
    en: 'The table has more than 500 rows. Send it in several parts.',
    ko: '표의 행이 500개를 넘어요. 여러 번에 나눠 보내세요.',
  },
  csv_no_columns: {
    en: 'The table has no known column. Name the columns in its first row, such as "title", "artists" and "isrc".',
    ko: '알아볼 수 있는 열이 없어요. 첫 행에 "title", "artists", "isrc" 같은 열 이름을 적으세요.',
  },
  manifest_empty: {
    en: 'The manifest has no songs. Add one line of JSON for each song.',
    ko: '곡이 하나도 없어요. 곡마다 JSON 한 줄을 적으세요.',
  },
  manifest_too_long: {
    en: 'The manifest has more than 10,000 songs or is larger than 32 MB. Send it in several parts.',
    ko: '곡이 10,000곡을 넘거나 32 MB보다 커요. 여러 번에 나눠 보내세요.',
  },
  no_program: {
    en: 'There is no program at this path, or it cannot be run. Choose the ffmpeg program itself.',
    ko: '이 경로에 실행할 수 있는 프로그램이 없어요. ffmpeg 실행 파일을 고르세요.',
  },
  not_ffmpeg: {
    en: 'This program is not ffmpeg, or does not run here. Choose the ffmpeg program itself.',
    ko: 'ffmpeg가 아니거나 여기서 실행되지 않는 프로그램이에요. ffmpeg 실행 파일을 고르세요.',
  },
  ffmpeg_too_old: {
    en: 'This ffmpeg is older than 5.1. Choose a newer one.',
    ko: 'ffmpeg 5.1보다 오래된 프로그램이에요. 더 새로운 것을 고르세요.',
  },
} as const

export type RequestReason = keyof typeof REQUEST_REASONS

/** Clauses of INVALID_WEBHOOK_URL. */
export const WEBHOOK_REASONS = {
  not_absolute: { en: 'it is not absolute', ko: '절대 주소가 아니에요' },
  scheme: { en: 'it is neither http nor https', ko: 'http도 https도 아니에요' },
  too_long: {
    en: `it is longer than ${MAX_URL_LENGTH} characters`,
    ko: `${MAX_URL_LENGTH}자보다 길어요`,
  },
  credentials: { en: 'it carries a user name or password', ko: '사용자 이름이나 비밀번호가 들어 있어요' },
  malformed: { en: 'it is not a valid address', ko: '올바른 주소가 아니에요' },
  link_local: { en: 'it is a link-local address', ko: '링크 로컬 주소예요' },
  unspecified: { en: 'it is the unspecified address', ko: '지정되지 않은 주소예요' },
  metadata: { en: 'it is the metadata service of a cloud', ko: '클라우드의 메타데이터 서비스 주소예요' },
  reserved: { en: 'it is a reserved address', ko: '예약된 주소예요' },
  multicast: { en: 'it is a multicast or broadcast address', ko: '멀티캐스트나 브로드캐스트 주소예요' },
  own_port: { en: 'it is Loudsmith itself', ko: 'Loudsmith 자신의 주소예요' },
} as const

export type WebhookReason = keyof typeof WEBHOOK_REASONS
