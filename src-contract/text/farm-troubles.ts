/** Sentences about problems that keep several machines from working together. */
import type { FarmTrouble } from '../machines.ts'
import type { Language } from './language.ts'

type Sentences = Readonly<Record<FarmTrouble, string>>

const en: Sentences = {
  queue_away: 'The queue does not answer. Songs wait, and go on once it is back.',
  queue_not_encrypted:
    'The connection to the queue is not encrypted: others on the way can read the names of songs. Use rediss://.',
  machine_unreadable:
    'The queue holds an announcement that is not of a machine of this version: it is left out, and the log names it. Update that machine, or remove the key.',
  files_away: 'The place of the files between machines cannot be reached. Songs wait, and go on once it is back.',
  files_full: 'The place of the files between machines is full. Songs wait until there is room.',
  files_refused:
    'The place of the files between machines refuses access. Give this machine the right to read and write there.',
  files_damaged:
    'The place of the files between machines gives back other bytes than it was given. Songs are tried again.',
  files_not_encrypted:
    'The connection to the files between machines is not encrypted: others on the way can copy the songs. Use https.',
  disk_full: 'The disk of the machine is full. Free some space there.',
  ffmpeg: 'ffmpeg of the machine does not work. Install it there again.',
  bytes_differ:
    'Two machines made different bytes of the same song. The log names song and machine: test the memory and processor of both.',
  clock:
    'The clock of the machine is more than a minute off. Set it by the network: times in its log and S3 depend on it.',
}

const ko: Sentences = {
  queue_away: '큐가 응답하지 않아요. 다시 연결될 때까지 곡이 기다려요.',
  queue_not_encrypted: '큐와의 연결이 암호화되지 않아서 중간에서 곡 이름을 읽을 수 있어요. rediss://를 쓰세요.',
  machine_unreadable:
    '이 버전의 컴퓨터가 쓴 것이 아닌 알림이 큐에 있어서 빼 두었어요. 이름은 로그에 있어요. 그 컴퓨터를 업데이트하거나 키를 지우세요.',
  files_away: '컴퓨터 사이의 파일을 두는 곳에 연결할 수 없어요. 다시 연결될 때까지 곡이 기다려요.',
  files_full: '컴퓨터 사이의 파일을 두는 곳이 가득 찼어요. 공간이 생길 때까지 곡이 기다려요.',
  files_refused: '컴퓨터 사이의 파일을 두는 곳이 접근을 거부했어요. 이 컴퓨터에 읽기와 쓰기 권한을 주세요.',
  files_damaged: '컴퓨터 사이의 파일이 보낸 것과 다르게 돌아왔어요. 곡을 다시 시도해요.',
  files_not_encrypted:
    '컴퓨터 사이의 파일이 암호화되지 않은 연결로 오가서 중간에서 곡을 복사할 수 있어요. https를 쓰세요.',
  disk_full: '컴퓨터의 디스크가 가득 찼어요. 그 컴퓨터에서 공간을 비우세요.',
  ffmpeg: '컴퓨터의 ffmpeg가 작동하지 않아요. 그 컴퓨터에 다시 설치하세요.',
  bytes_differ:
    '두 컴퓨터가 같은 곡에서 다른 바이트를 만들었어요. 로그에 곡과 컴퓨터가 있으니 둘의 메모리와 프로세서를 검사하세요.',
  clock: '컴퓨터의 시계가 1분 넘게 어긋나 있어요. 로그의 시각과 S3가 시계에 달려 있으니 네트워크로 맞추세요.',
}

const SENTENCES: Readonly<Record<Language, Sentences>> = { en, ko }

/** Returns the sentence about a trouble. Pure. */
export function farmTroubleText(trouble: FarmTrouble, language: Language): string {
  return SENTENCES[language][trouble]
}
