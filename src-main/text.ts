/** The shell's own words, in both languages: menus, tray, dialogs, notifications. Codes of the API have theirs in the contract. */
import type { Appearance } from './bridge.ts'

const en = {
  file: 'File',
  edit: 'Edit',
  view: 'View',
  window: 'Window',
  help: 'Help',
  addSongs: 'Add songs…',
  addFolder: 'Add a folder…',
  start: 'Start mastering',
  pause: 'Pause the queue',
  resume: 'Resume the queue',
  undoRemoval: 'Undo removal',
  search: 'Search',
  outputFolder: 'Show masters in folder',
  settings: 'Settings…',
  master: 'Master',
  automate: 'Automate',
  history: 'History',
  keySheet: 'Keyboard shortcuts',
  apiReference: 'API reference',
  diagnostics: 'Export diagnostics…',
  about: 'About Loudsmith',
  quit: 'Quit Loudsmith',
  open: 'Open Loudsmith',
  songs: 'Songs',
  copyAddress: 'Copy base URL',
  copyRequest: 'Copy a sample request',
  keys: 'API keys…',
  apiAt: (address: string) => `API at ${address}`,
  apiOffline: 'Offline: deliveries wait',
  working: (count: number) => (count === 1 ? '1 song in work' : `${count} songs in work`),
  idle: 'No songs in work',
  paused: 'The queue is paused',
  tooltip: (state: string) => `Loudsmith: ${state}`,
  batchDone: (count: number) => (count === 1 ? 'Master ready' : `${count} songs mastered`),
  batchFailed: (count: number) => (count === 1 ? 'Mastering failed' : `${count} songs failed`),
  batchMixed: (done: number, failed: number) => `${done} mastered, ${failed} failed`,
  batchMore: (title: string, more: number) => `${title} and ${more} more`,
  quitTitle: (count: number) => (count === 1 ? 'A song is still being mastered.' : `${count} songs are in work.`),
  quitDetail: 'Finish first, or stop now: stopped songs go on at the next start and cost nothing again.',
  quitFinish: 'Finish, then quit',
  quitStop: 'Stop now',
  cancel: 'Cancel',
  portTitle: (port: number) => `Port ${port} is taken by another program.`,
  portKept: (port: number) => `The system does not let Loudsmith use port ${port}.`,
  portDetail:
    'Quit that program and try again, or let Loudsmith use another port until it quits. Your API clients would need that address.',
  tryAgain: 'Try again',
  otherPort: 'Use another port this time',
  startFailed: 'Loudsmith cannot start',
  folderOwned: (port: number | undefined) =>
    `Another Loudsmith uses this data folder${port === undefined ? '' : ` (port ${port})`}. Stop it, or choose another folder with --data-dir.`,
  databaseFaults: {
    busy: 'Another program has locked the database. Close it and start Loudsmith again.',
    full: 'The disk is full. Free some space and start Loudsmith again.',
    read_only: 'The data folder cannot be written. Make it writable, or choose another with --data-dir.',
    corrupt: 'The database is damaged. Restore it from a backup, or start with another folder: --data-dir.',
    newer:
      'The data folder was written by a newer Loudsmith. Update Loudsmith, or choose another folder with --data-dir.',
    changed_migration:
      'The database does not fit this Loudsmith. Install Loudsmith again, or choose another folder with --data-dir.',
    failed: 'The database cannot be opened. Check the data folder, or choose another with --data-dir.',
  },
  diskFault: 'The disk of the data folder does not answer as it should. Check that it is connected and has room.',
  chooseSongs: 'Choose songs',
  chooseFolder: 'Choose a folder',
  saveDiagnostics: 'Save diagnostics',
}

export type Words = typeof en

const ko: Words = {
  file: '파일',
  edit: '편집',
  view: '보기',
  window: '윈도우',
  help: '도움말',
  addSongs: '곡 추가…',
  addFolder: '폴더 추가…',
  start: '마스터링 시작',
  pause: '대기열 일시정지',
  resume: '대기열 다시 시작',
  undoRemoval: '삭제 되돌리기',
  search: '검색',
  outputFolder: '마스터 폴더 열기',
  settings: '설정…',
  master: '마스터링',
  automate: '자동화',
  history: '기록',
  keySheet: '단축키',
  apiReference: 'API 문서',
  diagnostics: '진단 파일 내보내기…',
  about: 'Loudsmith 정보',
  quit: 'Loudsmith 종료',
  open: 'Loudsmith 열기',
  songs: '곡',
  copyAddress: '기본 URL 복사',
  copyRequest: '요청 예시 복사',
  keys: 'API 키…',
  apiAt: (address) => `API 주소 ${address}`,
  apiOffline: '오프라인: 전송 대기 중',
  working: (count) => `${count}곡 작업 중`,
  idle: '작업 중인 곡 없음',
  paused: '대기열 일시정지됨',
  tooltip: (state) => `Loudsmith: ${state}`,
  batchDone: (count) => `${count}곡 마스터링 완료`,
  batchFailed: (count) => `${count}곡 실패`,
  batchMixed: (done, failed) => `${done}곡 완료, ${failed}곡 실패`,
  batchMore: (title, more) => `${title} 외 ${more}곡`,
  quitTitle: (count) => `${count}곡을 작업 중이에요.`,
  quitDetail: '끝내고 종료하거나 지금 멈추세요. 멈춘 곡은 다음에 열 때 이어지고 크레딧이 더 들지 않아요.',
  quitFinish: '끝낸 뒤 종료',
  quitStop: '지금 멈추기',
  cancel: '취소',
  portTitle: (port) => `다른 프로그램이 포트 ${port}을(를) 쓰고 있어요.`,
  portKept: (port) => `시스템이 Loudsmith에 포트 ${port}을(를) 허용하지 않아요.`,
  portDetail:
    '그 프로그램을 종료하고 다시 시도하거나, 이번에만 다른 포트를 쓰세요. API 클라이언트도 그 주소를 써야 해요.',
  tryAgain: '다시 시도',
  otherPort: '이번에만 다른 포트 사용',
  startFailed: 'Loudsmith를 시작할 수 없어요',
  folderOwned: (port) =>
    `다른 Loudsmith가 이 데이터 폴더를 쓰고 있어요${port === undefined ? '' : `(포트 ${port})`}. 그쪽을 종료하거나 --data-dir로 다른 폴더를 고르세요.`,
  databaseFaults: {
    busy: '다른 프로그램이 데이터베이스를 잠갔어요. 그 프로그램을 닫고 다시 여세요.',
    full: '디스크가 가득 찼어요. 공간을 비우고 다시 여세요.',
    read_only: '데이터 폴더에 쓸 수 없어요. 쓰기 권한을 주거나 --data-dir로 다른 폴더를 고르세요.',
    corrupt: '데이터베이스가 손상됐어요. 백업으로 되돌리거나 --data-dir로 다른 폴더에서 시작하세요.',
    newer: '더 새로운 Loudsmith가 쓴 데이터 폴더예요. Loudsmith를 업데이트하거나 --data-dir로 다른 폴더를 고르세요.',
    changed_migration:
      '이 Loudsmith와 맞지 않는 데이터베이스예요. Loudsmith를 다시 설치하거나 --data-dir로 다른 폴더를 고르세요.',
    failed: '데이터베이스를 열 수 없어요. 데이터 폴더를 확인하거나 --data-dir로 다른 폴더를 고르세요.',
  },
  diskFault: '데이터 폴더의 디스크가 응답하지 않아요. 연결과 남은 공간을 확인하세요.',
  chooseSongs: '곡 선택',
  chooseFolder: '폴더 선택',
  saveDiagnostics: '진단 파일 저장',
}

/** Returns which of our languages is meant: the chosen one, else Korean on a Korean system, else English. */
export function languageOf(chosen: Appearance['language'], systemLocale: string): 'en' | 'ko' {
  if (chosen !== 'system') return chosen
  return systemLocale.toLowerCase().startsWith('ko') ? 'ko' : 'en'
}

/** Returns the words of a language. */
export function wordsOf(language: 'en' | 'ko'): Words {
  return language === 'ko' ? ko : en
}
