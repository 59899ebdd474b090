/** Sentences about a start that failed, for the terminal and the application. */
import type { Language } from './text.ts'

/** Members of the server's start errors; their messages are for the log. */
interface StartError {
  readonly name?: unknown
  readonly code?: unknown
  /** Of a DatabaseError. */
  readonly fault?: unknown
  /** Of a DataDirectoryError: whether the folder is the one that --adopt-dir would make. */
  readonly isInside?: boolean
  /** Of a DirectoryOwnedError: who has the data folder, once it listens. */
  readonly owner?: { readonly port: number }
  /** Of a PortTakenError. */
  readonly port?: number
  /** Of a SettingError: the variable, and what it may be where that is a list. */
  readonly setting?: string
  readonly allowed?: readonly string[]
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
  diskFault: 'The disk of the data folder does not respond as it should. Check that it is connected and has room.',
  portTaken: (port: number) =>
    `Port ${port} is already in use. Stop the program that uses it, or choose another port with --port.`,
  portKept: (port: number) => `The system does not let this program use port ${port}. Choose another port with --port.`,
  settingUnusable: (setting: string, allowed: readonly string[] | undefined) =>
    `${setting} must be ${allowed ? `one of ${allowed.join(', ')}` : 'a whole number above 0'}.`,
}

type Sentences = typeof en

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
  diskFault: '데이터 폴더의 디스크가 응답하지 않아요. 연결과 남은 공간을 확인하세요.',
  portTaken: (port) =>
    `다른 프로그램이 포트 ${port}을(를) 쓰고 있어요. 그 프로그램을 종료하거나 --port로 다른 포트를 고르세요.`,
  portKept: (port) => `시스템이 포트 ${port}을(를) 허용하지 않아요. --port로 다른 포트를 고르세요.`,
  settingUnusable: (setting, allowed) =>
    allowed ? `${setting}에는 ${allowed.join(', ')} 중 하나를 쓰세요.` : `${setting}에는 0보다 큰 정수를 쓰세요.`,
}

/** Returns the sentence: ours for what the server, the system or the database can say, else the error's own. Pure. */
export function startFailureText(error: unknown, language: Language): string {
  const sentences = language === 'ko' ? ko : en
  const { name, code, fault, isInside, owner, port, setting, allowed } = (error ?? {}) as StartError
  if (name === 'DataDirectoryError') return sentences.folderOfOthers(isInside === true)
  if (name === 'DirectoryOwnedError') return sentences.folderOwned(owner?.port)
  if (name === 'PortTakenError' && port !== undefined)
    return code === 'EACCES' ? sentences.portKept(port) : sentences.portTaken(port)
  if (name === 'SettingError' && setting !== undefined) return sentences.settingUnusable(setting, allowed)
  const ofDatabase = sentences.databaseFaults[String(fault) as keyof Sentences['databaseFaults']]
  if (ofDatabase !== undefined) return ofDatabase
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(String(code))) return sentences.databaseFaults.full
  if (/^(EROFS|EACCES|EPERM|SQLITE_(READONLY|CANTOPEN|PERM))/.test(String(code)))
    return sentences.databaseFaults.read_only
  if (/^SQLITE_IOERR/.test(String(code))) return sentences.diskFault
  return error instanceof Error ? error.message : String(error)
}
