/** Sentences about a start that failed, for the terminal and the application. */
import type { Language } from './language.ts'

/** Members of the server's start errors; their messages are for the log. */
interface StartError {
  readonly name?: unknown
  readonly code?: unknown
  /** Of a DatabaseError. */
  readonly fault?: unknown
  /** Of a DatabaseError: a damaged file, and its newest backup. */
  readonly damaged?: { readonly file: string; readonly backup?: string }
  /** Of a DataDirectoryError: whether the folder is the one that --adopt-dir would create. */
  readonly isInside?: boolean
  /** Of a DirectoryOwnedError: who has the data folder, once it listens. */
  readonly owner?: { readonly port: number }
  /** Of a PortTakenError. */
  readonly port?: number
  /** Of a SettingError: the variable, and its allowed values if they are a list. */
  readonly setting?: string
  readonly allowed?: readonly string[]
  /** Of a FarmError: host and port, folder or name. */
  readonly place?: string
}

const en = {
  folderOfOthers: (isInside: boolean): string =>
    isInside
      ? 'The folder Loudsmith inside the data folder holds files that are not Loudsmith’s, and nothing in it was touched. Choose an empty folder with --data-dir.'
      : 'The data folder holds files that are not Loudsmith’s, and nothing in it was touched. Choose an empty folder with --data-dir, or add --adopt-dir to use a folder Loudsmith inside it.',
  folderOwned: (port: number | undefined) =>
    `Another Loudsmith uses this data folder${port === undefined ? '' : ` (port ${port})`}. Stop it, or choose another folder with --data-dir.`,
  databaseFaults: {
    busy: 'Another program has locked the database. Close it and start Loudsmith again.',
    full: 'The disk is full. Free some space and start Loudsmith again.',
    read_only: 'The data folder cannot be written. Make it writable, or choose another with --data-dir.',
    corrupt:
      'The database is damaged. Restore it from a backup (songs and masters that are newer are set aside, not removed), or start with another folder: --data-dir.',
    newer:
      'The data folder was written by a newer Loudsmith. Update Loudsmith, or choose another folder with --data-dir.',
    changed_migration:
      'The database does not fit this Loudsmith. Install Loudsmith again, or choose another folder with --data-dir.',
    failed: 'The database cannot be opened. Check the data folder, or choose another with --data-dir.',
  },
  damaged: (file: string, backup: string | undefined) =>
    `The database ${file} is damaged, and nothing in the data folder was changed. ${
      backup === undefined
        ? 'There is no copy beside it.'
        : `The newest copy is ${backup}. To restore it, move the database with its -wal and -shm away, and copy it to that name.`
    } Or restore a backup of your own, or start with another folder: --data-dir. Songs and masters that are newer are set aside, not removed.`,
  diskFault: 'The disk of the data folder does not respond as it should. Check that it is connected and has room.',
  portTaken: (port: number) =>
    `Port ${port} is already in use. Stop the program that uses it, or choose another port with --port.`,
  portKept: (port: number) => `The system does not let this program use port ${port}. Choose another port with --port.`,
  settingUnusable: (setting: string, allowed: readonly string[] | undefined) =>
    `${setting} must be ${allowed ? `one of ${allowed.join(', ')}` : 'a whole number above 0'}.`,
}

const enFarm = {
  queue_address: () => 'The address of a queue is redis://HOST:PORT, or rediss://HOST:PORT where it is encrypted.',
  queue_unreachable: (place: string) =>
    `The queue at ${place} does not answer. Start Redis there, or correct its address.`,
  queue_password: (place: string) =>
    `The queue at ${place} refuses the user or the password. Set MASTER_QUEUE_PASSWORD, and the user in the address.`,
  queue_certificate: (place: string) =>
    `The certificate of the queue at ${place} is not trusted. Name its issuer in NODE_EXTRA_CA_CERTS, or give it one for this address.`,
  queue_password_shown: () =>
    'Every program on this machine can read a password in an argument. Set MASTER_QUEUE_PASSWORD instead.',
  queue_too_old: (place: string) => `The queue at ${place} is older than Redis 6.2. Update it.`,
  queue_evicts: (place: string) =>
    `The queue at ${place} may drop songs when its memory is full. Set maxmemory-policy noeviction there.`,
  queue_forgets: (place: string) =>
    `The queue at ${place} forgets everything when it restarts. Set appendonly yes there.`,
  queue_taken: (place: string) =>
    `Another Loudsmith offers its songs in the queue at ${place}. Stop it, or give this one another database: redis://HOST:PORT/1.`,
  blobs_address: () => 'The files between machines lie in an absolute folder or in s3://BUCKET.',
  blobs_unreachable: (place: string) =>
    `The files between machines cannot be kept in ${place}. Check that it is there and can be written.`,
  blobs_full: (place: string) => `The place of the files between machines, ${place}, is full. Free some space there.`,
  blobs_refused: (place: string) =>
    `${place} refuses access. Give this machine the right to read, write and delete there.`,
  blobs_damaged: (place: string) =>
    `${place} gives back other bytes than it was given. Files between machines cannot be entrusted to it.`,
  only_one: () => 'Several machines need both, a queue (--queue) and a place for their files (--blobs).',
  name_taken: (place: string) => `Another machine is called ${place}. Choose another name with --name.`,
  no_ffmpeg: () => 'No ffmpeg was found. Install ffmpeg 5.1 or newer, or name one in MASTER_FFMPEG_PATH.',
}

type Sentences = typeof en
type FarmSentences = Readonly<Record<keyof typeof enFarm, (place: string) => string>>

const ko: Sentences = {
  folderOfOthers: (isInside) =>
    isInside
      ? '데이터 폴더 안의 Loudsmith 폴더에 Loudsmith의 것이 아닌 파일이 있어서 아무것도 건드리지 않았어요. --data-dir로 빈 폴더를 고르세요.'
      : '데이터 폴더에 Loudsmith의 것이 아닌 파일이 있어서 아무것도 건드리지 않았어요. --data-dir로 빈 폴더를 고르거나, --adopt-dir을 붙여 그 안의 Loudsmith 폴더를 쓰세요.',
  folderOwned: (port) =>
    `다른 Loudsmith가 이 데이터 폴더를 쓰고 있어요${port === undefined ? '' : `(포트 ${port})`}. 그쪽을 종료하거나 --data-dir로 다른 폴더를 고르세요.`,
  databaseFaults: {
    busy: '다른 프로그램이 데이터베이스를 잠갔어요. 그 프로그램을 닫고 다시 여세요.',
    full: '디스크가 가득 찼어요. 공간을 비우고 다시 여세요.',
    read_only: '데이터 폴더에 쓸 수 없어요. 쓰기 권한을 주거나 --data-dir로 다른 폴더를 고르세요.',
    corrupt:
      '데이터베이스가 손상됐어요. 백업으로 되돌리거나(더 새로운 곡과 마스터는 지우지 않고 따로 둬요) --data-dir로 다른 폴더에서 시작하세요.',
    newer: '더 새로운 Loudsmith가 쓴 데이터 폴더예요. Loudsmith를 업데이트하거나 --data-dir로 다른 폴더를 고르세요.',
    changed_migration:
      '이 Loudsmith와 맞지 않는 데이터베이스예요. Loudsmith를 다시 설치하거나 --data-dir로 다른 폴더를 고르세요.',
    failed: '데이터베이스를 열 수 없어요. 데이터 폴더를 확인하거나 --data-dir로 다른 폴더를 고르세요.',
  },
  damaged: (file, backup) =>
    `데이터베이스(${file})가 손상됐고, 데이터 폴더는 아무것도 바꾸지 않았어요. ${
      backup === undefined
        ? '옆에 사본이 없어요.'
        : `가장 새로운 사본은 ${backup}이에요. 되돌리려면 데이터베이스와 그 -wal, -shm 파일을 옮기고 사본을 그 이름으로 복사하세요.`
    } 직접 만든 백업으로 되돌리거나 --data-dir로 다른 폴더에서 시작해도 돼요. 더 새로운 곡과 마스터는 지우지 않고 따로 둬요.`,
  diskFault: '데이터 폴더의 디스크가 응답하지 않아요. 연결과 남은 공간을 확인하세요.',
  portTaken: (port) =>
    `다른 프로그램이 포트 ${port}을(를) 쓰고 있어요. 그 프로그램을 종료하거나 --port로 다른 포트를 고르세요.`,
  portKept: (port) => `시스템이 포트 ${port}을(를) 허용하지 않아요. --port로 다른 포트를 고르세요.`,
  settingUnusable: (setting, allowed) =>
    allowed ? `${setting}에는 ${allowed.join(', ')} 중 하나를 쓰세요.` : `${setting}에는 0보다 큰 정수를 쓰세요.`,
}

const koFarm: FarmSentences = {
  queue_address: () => '큐 주소는 redis://HOST:PORT예요. 암호화된 큐는 rediss://HOST:PORT로 쓰세요.',
  queue_unreachable: (place) => `${place}의 큐가 응답하지 않아요. 그곳에서 Redis를 시작하거나 주소를 고치세요.`,
  queue_password: (place) =>
    `${place}의 큐가 사용자나 비밀번호를 거부했어요. MASTER_QUEUE_PASSWORD를 설정하고 사용자는 주소에 쓰세요.`,
  queue_certificate: (place) =>
    `${place}의 큐 인증서를 신뢰할 수 없어요. 발급자를 NODE_EXTRA_CA_CERTS로 지정하거나, 이 주소의 인증서를 쓰세요.`,
  queue_password_shown: () =>
    '인수에 쓴 비밀번호는 이 컴퓨터의 모든 프로그램이 읽을 수 있어요. 대신 MASTER_QUEUE_PASSWORD를 설정하세요.',
  queue_too_old: (place) => `${place}의 큐가 Redis 6.2보다 오래됐어요. 업데이트하세요.`,
  queue_evicts: (place) =>
    `${place}의 큐는 메모리가 차면 곡을 버릴 수 있어요. 그곳에서 maxmemory-policy noeviction을 설정하세요.`,
  queue_forgets: (place) => `${place}의 큐는 다시 시작하면 모두 잊어요. 그곳에서 appendonly yes를 설정하세요.`,
  queue_taken: (place) =>
    `다른 Loudsmith가 ${place}의 큐를 쓰고 있어요. 그쪽을 종료하거나 다른 데이터베이스를 쓰세요: redis://HOST:PORT/1.`,
  blobs_address: () => '컴퓨터 사이의 파일은 절대 경로의 폴더나 s3://BUCKET에 둬요.',
  blobs_unreachable: (place) => `컴퓨터 사이의 파일을 ${place}에 둘 수 없어요. 그곳이 있는지, 쓸 수 있는지 확인하세요.`,
  blobs_full: (place) => `컴퓨터 사이의 파일을 두는 곳(${place})이 가득 찼어요. 그곳의 공간을 비우세요.`,
  blobs_refused: (place) => `${place}이(가) 접근을 거부했어요. 이 컴퓨터에 읽기, 쓰기, 삭제 권한을 주세요.`,
  blobs_damaged: (place) => `${place}에 둔 파일이 다르게 돌아와서 컴퓨터 사이의 파일을 맡길 수 없어요.`,
  only_one: () => '여러 컴퓨터를 쓰려면 큐(--queue)와 파일을 둘 곳(--blobs)이 모두 필요해요.',
  name_taken: (place) => `${place}라는 컴퓨터가 이미 있어요. --name으로 다른 이름을 고르세요.`,
  no_ffmpeg: () => 'ffmpeg를 찾지 못했어요. ffmpeg 5.1 이상을 설치하거나 MASTER_FFMPEG_PATH로 지정하세요.',
}

const SENTENCES: Readonly<Record<Language, Sentences>> = { en, ko }
const FARM_SENTENCES: Readonly<Record<Language, FarmSentences>> = { en: enFarm, ko: koFarm }

/** Returns our sentence for an error of the server, the system or the database, else the error's own. Pure. */
export function startFailureText(error: unknown, language: Language): string {
  const sentences = SENTENCES[language]
  const { name, code, fault, isInside, owner, port, setting, allowed, place, damaged } = (error ?? {}) as StartError
  if (name === 'DataDirectoryError') return sentences.folderOfOthers(isInside === true)
  if (name === 'DirectoryOwnedError') return sentences.folderOwned(owner?.port)
  if (name === 'PortTakenError' && port !== undefined)
    return code === 'EACCES' ? sentences.portKept(port) : sentences.portTaken(port)
  if (name === 'SettingError' && setting !== undefined) return sentences.settingUnusable(setting, allowed)
  if (name === 'FarmError') return FARM_SENTENCES[language][String(fault) as keyof FarmSentences](place ?? '')
  if (damaged) return sentences.damaged(damaged.file, damaged.backup)
  const ofDatabase = sentences.databaseFaults[String(fault) as keyof Sentences['databaseFaults']]
  if (ofDatabase !== undefined) return ofDatabase
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(String(code))) return sentences.databaseFaults.full
  if (/^(EROFS|EACCES|EPERM|SQLITE_(READONLY|CANTOPEN|PERM))/.test(String(code)))
    return sentences.databaseFaults.read_only
  if (/^SQLITE_IOERR/.test(String(code))) return sentences.diskFault
  return error instanceof Error ? error.message : String(error)
}
