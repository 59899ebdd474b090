/** Messages of the command line in both languages: help, refusals, outcomes. JSON output is English and never changes. */
import type { PauseReason } from '../src-contract/batches.ts'
import type { Stage } from '../src-contract/jobs.ts'
import type { Language } from '../src-contract/text/text.ts'

const en = {
  language: 'en' as Language,
  about: 'Local audio mastering: one song in, one measured master per platform out.',
  dataDirOption: 'where songs, results and the database live',
  adoptDirOption: 'where that folder holds other files, use a folder Loudsmith inside it',
  jsonOption: 'answer in JSON, for scripts',
  emptyPath: 'It is empty.',
  aPort: 'A port is a number from 0 to 65535.',
  outputLost: (reason: string) => `The output could not be written: ${reason}`,
  stoppedAnswering: (baseUrl: string) =>
    `Loudsmith at ${baseUrl} stopped answering. Start it again; a job that has begun goes on.`,

  serve: {
    about: 'Host the API and the page for the browser until stopped.',
    port: 'port on the loopback interface; 0 picks a free one',
    stay: 'go on when the terminal is closed or the program that started it has ended',
    queue: 'queue to further machines that master songs ("loudsmith worker"), redis://HOST:PORT',
    blobs: 'where the files between machines lie: a shared folder or s3://BUCKET',
    allowMixed: 'let machines work whose engine or ffmpeg would make other bytes',
    listening: (baseUrl: string) => `Loudsmith API listening on ${baseUrl}`,
    open: (link: string) => `Open ${link} (works once, within 5 minutes; "loudsmith open" makes another)`,
    howToOpen: 'To open the page, run "loudsmith open" (in the source folder: npm run cli -- open).',
  },

  worker: {
    about: 'Master songs of another machine that runs "loudsmith serve --queue", until stopped.',
    name: 'name by which the other machine knows this one; that of the host when absent',
    workers: 'songs that are mastered at once; half as many as there are cores when absent',
    aNumber: 'The number of songs must be 1 or more.',
    started: (name: string) => `Machine ${name} is there.`,
    notEncrypted: 'The connection to the queue is not encrypted: others on the way can read the names of songs.',
    states: {
      waiting: () => 'It waits until "loudsmith serve --queue" runs.',
      working: () => 'It masters songs.',
      draining: () => 'It takes no more songs.',
      refused: (differs: string) =>
        `It is refused, because its masters could have other bytes (${differs}). Install the same versions, or start the other machine with --allow-mixed.`,
    },
  },

  open: {
    about: 'Open the page of the running service in the browser.',
    linkFile: 'write the link into this file instead, readable by you alone',
    print: 'show the link instead; on a terminal only',
    notRunning: 'Loudsmith is not running on this data folder. Start it with "npm start" or "loudsmith serve".',
    opened: 'The page opens in the browser.',
    orThis: (link: string) => `If it does not: ${link} (works once, within 5 minutes)`,
    written: (file: string) => `The link is in ${file}. It works once, within 5 minutes.`,
    fileThere: (file: string) => `There is something else at ${file}. Choose another name.`,
    notWritten: (file: string, reason: string) => `The link could not be written to ${file}: ${reason}`,
    noTerminal:
      'Anybody who has the link can do everything, so it is shown on a terminal only. In a program use --link-file FILE.',
    noBrowser: 'No browser could be opened here. Run "loudsmith open --print" in a terminal, or use --link-file FILE.',
  },

  keys: {
    about: 'Create, list and revoke API keys.',
    create: 'Create a key. It is shown this once, alone on the last line.',
    name: 'what the key is for',
    created: (name: string, id: string) => `Key "${name}" (${id}). It is shown this once:`,
    list: 'List the keys, newest first.',
    none: 'There are no keys.',
    revoke: 'Revoke a key at once and for good.',
    id: 'identifier, as shown by "keys list"',
    revoked: (name: string) => `Key "${name}" is revoked.`,
    unknown: (id: string) => `There is no key ${id}. See its identifier in "keys list".`,
    used: (at: string) => `used ${at}`,
    neverUsed: 'never used',
    states: { active: 'active', suspended: 'suspended', revoked: 'revoked' },
  },

  account: {
    about: 'Show the account, choose its plan, add credits.',
    show: 'Show plan, credits and limits.',
    plan: 'Choose the plan: a local policy, not a purchase.',
    whichPlan: 'the plan',
    grant: 'Add credits.',
    amount: 'number of credits to add',
    aNumber: 'The number of credits must be 1 or more.',
    rows: {
      plan: 'Plan',
      credits: 'Credits',
      keys: 'API keys',
      webhooks: 'Webhooks',
      unfinished: 'Unfinished jobs',
      requests: 'Requests',
    },
    topUp: (credits: number, monthly: number, date: string) => `${credits} (topped up to ${monthly} on ${date})`,
    of: (used: number, limit: number) => `${used} of ${limit}`,
    aMinute: (count: number) => `${count} a minute`,
  },

  settings: {
    about: 'Show and change what only the owner may set.',
    ffmpeg: 'Show which ffmpeg is set and in use, or set and confirm the one at PATH.',
    path: 'the ffmpeg program; it is run, and its SHA-256 is kept',
    clear: 'set none: Loudsmith searches',
    either: 'Give a path or --clear, not both.',
    none: 'none: Loudsmith searches',
    rows: { set: 'Set', inUse: 'In use' },
    ffmpeg_unconfirmed: 'none: the one that is set was never confirmed. Set it again to confirm it.',
    ffmpeg_changed: 'none: the one that is set is another file than was confirmed. Set it again to confirm it.',
  },

  allow: {
    about: 'List the folders in which programs may name songs by their path, or allow FOLDER.',
    folder: 'folder to allow, with all that is in it',
    remove: 'take FOLDER off the list',
    none: 'No folder is allowed.',
  },

  mcp: {
    about:
      'Serve the Model Context Protocol on standard input and output, for agents. The API key is LOUDSMITH_API_KEY.',
    noKey: 'Set LOUDSMITH_API_KEY to an API key first: "loudsmith keys create agent" makes one.',
    lost: 'Loudsmith was restarted before the answer. A job that had begun goes on: look at list_jobs.',
  },

  doctor: {
    about: 'Show ffmpeg, versions, folders, free disk space and SIMD support.',
    noFfmpeg: 'none found: install ffmpeg 5.1 or newer, or name one in Settings',
    rows: { engine: 'Engine', trial: 'Trial', data: 'Data', disk: 'Disk', service: 'Service', aside: 'Set aside' },
    notPrivate: 'This disk keeps no access rights: others on this machine may read the data.',
    aside: (items: number, size: string, folder: string) =>
      `${items} not in the database (${size}); remove by hand: ${folder}`,
    trialPassed: 'ffmpeg can write and read in the data folder',
    hasSimd: 'yes',
    noSimd: 'no: the engine needs a processor and runtime with WebAssembly SIMD',
    disk: (free: string, used: string) => `${free} free, ${used} used by Loudsmith`,
    notRunning: 'not running',
  },

  release: {
    about: 'Keep singles, EPs and albums, and export them for upload.',
    list: 'List the releases, newest first.',
    none: 'There are no releases.',
    tracks: (count: number) => (count === 1 ? '1 track' : `${count} tracks`),
    show: 'Show a release with its tracks.',
    create: 'Make a release.',
    artist: 'artist of the release',
    kind: 'kind of the release',
    job: 'jobs whose songs are its tracks, in order',
    add: 'Add the songs of jobs to a release.',
    delete: 'Delete a release; its songs and jobs stay.',
    deleted: 'The release is deleted.',
    import: 'Make releases from a table (CSV), one row for each track.',
    csv: 'Show a release as a table (CSV).',
    csvOut: 'write the table into this new file instead',
    written: (file: string) => `The table is in ${file}.`,
    notWritten: (file: string, reason: string) => `The table could not be written to ${file}: ${reason}`,
    update: 'Change a release by a table, as "release csv" gives it.',
    ignored: (columns: string) => `Unknown columns were ignored: ${columns}`,
    plan: 'Show what mastering a release would do and cost; nothing is made.',
    master: 'Master all tracks of a release as one record.',
    cancel: 'Stop mastering a release; what runs is refunded.',
    wait: 'wait until it is done',
    planned: (loudness: string, needed: number, balance: number) =>
      `The record is planned at ${loudness}. It costs ${needed === 1 ? '1 credit' : `${needed} credits`} of ${balance}.`,
    mayComeDown: (title: string, lu: string) =>
      `The record may come down by ${lu} LU, because “${title}” can hardly be louder.`,
    cameDown: (title: string, lu: string) =>
      `The record is ${lu} LU below its target, because “${title}” cannot be louder.`,
    record: (loudness: string) => `The record measures ${loudness}.`,
    outliers: { loudness: 'loudness', tone: 'tone', width: 'width' },
    mastering: {
      idle: () => 'It has not been mastered.',
      mastering: (percent: number) => `It is being mastered: ${percent} %.`,
      done: () => 'It is mastered.',
      failed: () => 'It could not be mastered:',
    },
    masters: { waiting: 'waiting', queued: 'in work', done: 'done', failed: 'failed', gone: 'deleted' },
    export: 'Write a release into one folder, ready for upload, with a delivery certificate.',
    out: 'folder in which that of the release is made; the output folder of the settings when absent',
    format: 'formats of the files; those that the receivers ask for, else WAV of 24 bit when absent',
    platform: 'masters that are taken: "release" for those of all services, or a platform',
    byPlatform: 'add a folder for each further platform',
    receiver:
      'distributors and services that get what they ask for and whose rules are checked; all are checked when absent',
    noTags: 'files without tags',
    naming: 'pattern of the file names, of text and tokens such as {track} {title} {artist}',
    asciiNames: 'file names of ASCII letters, digits, - and _ alone; Hangul is romanised',
    zip: 'add a ZIP of the folder beside it',
    zipped: (file: string) => `They are also in ${file}`,
    exported: (files: number, folder: string) => `${files} files are in ${folder}`,
    unapplied: (tracks: string) =>
      `The files of these tracks lack their trim, fades or gap: ${tracks}. Master the release, and export it again.`,
    verify: 'Tell whether an exported folder is as it was: changed, missing and added files.',
    folder: 'the folder of a release, or its ZIP',
    intact: (folder: string) => `Nothing has changed in ${folder}.`,
    differs: (folder: string) => `${folder} is not as it was exported:`,
    differences: { changed: 'changed', missing: 'missing', added: 'added' },
    signatures: {
      own: 'The certificate was signed here.',
      other: 'The certificate was signed with another key, by another installation or by somebody else.',
      bad: 'The certificate was changed: its signature does not belong to it.',
      none: 'There is no certificate.',
    },
    states: {
      no_song: 'no song yet',
      stored: 'to be mastered',
      queued: 'in work',
      done: 'done',
      failed: 'failed',
      expired: 'expired',
      gone: 'song deleted',
    },
  },

  master: {
    about: 'Master a song: one job, one credit, one master per platform.',
    file: 'MP3, WAV or FLAC; - reads standard input, best with --title',
    platforms: (list: string) => `comma-separated: ${list}`,
    out: 'folder for the masters and the report',
    reference: 'track whose tone is matched',
    cover: 'cover of the masters, JPEG or PNG',
    title: 'title of the masters',
    artist: 'artist of the masters',
    noFile: (file: string) => `There is no file ${file}.`,
    folder: (file: string) =>
      `${file} is a folder. Name one song in it. To master a whole folder, use "loudsmith batch", or add it as a watch folder in Settings.`,
    danglingLink: (file: string, target: string) => `${file} is a link to ${target}, which is not there.`,
    noRight: (file: string) => `No permission to read ${file}. Allow reading it, or run the command as its owner.`,
    device: (file: string) => `${file} is a device, not a song.`,
    socket: (file: string) => `${file} is a socket, not a song.`,
    unreadable: (file: string, reason: string) => `${file} cannot be read: ${reason}`,
    keyboard: 'Standard input is the keyboard. Pipe a song into the command: cat song.flac | loudsmith master - …',
    twiceInput: 'Standard input holds one song. Name a file for the song or for the reference.',
    tooLarge: (name: string, gigabytes: number) => `${name} is larger than ${gigabytes} GiB. Export it as FLAC.`,
    standardInput: 'standard input',
    notWritable: (folder: string) => `Nothing can be written to ${folder}. Choose another folder with --out.`,
    notUnpacked: (folder: string, reason: string) =>
      `The masters are made, but could not be written to ${folder}: ${reason}. Save them from the History in the window.`,
    stages: {
      waiting: 'waiting',
      decoding: 'decoding',
      analysing: 'analysing',
      rendering: 'rendering',
      verifying: 'verifying',
      packaging: 'packaging',
      queued: 'waiting',
      done: 'done',
      failed: 'failed',
    } satisfies Record<Stage | 'queued' | 'done' | 'failed', string>,
    cancelled: 'Cancelled.',
    failed: (reason: string) => `Failed: ${reason}`,
    returned: ' The credit was returned.',
    note: (text: string) => `Note: ${text}`,
    writtenTo: (folder: string) => `Written to ${folder}:`,
    onTarget: 'on target',
    below: (lufs: number) => `below its target of ${lufs} LUFS`,
  },

  batch: {
    about: 'Master every song of a folder and of those in it. The same command again goes on where it was.',
    folder: 'folder of MP3, WAV and FLAC files',
    out: 'folder for the masters and the result table',
    allow: 'also allow both folders, as "loudsmith allow" does',
    retry: 'master the songs that failed again',
    noFolder: (folder: string) => `There is no folder ${folder}.`,
    noSongs: (folder: string) => `There are no songs in ${folder}.`,
    notAllowed: (folder: string) =>
      `${folder} is not allowed. Call "loudsmith allow '${folder}'" first, or add --allow.`,
    progress: (done: number, total: number) => `${done} of ${total} songs mastered`,
    goesOn: 'The rest goes on while Loudsmith runs. Call the same command again to follow it.',
    paused: {
      caller: 'The batch is paused. Call the same command again to go on.',
      credits: 'The batch waits for credits. Add some and call the same command again.',
      disk: 'The batch waits for disk space. Free some and call the same command again.',
      folder: 'The masters cannot be written to their folder. Call the same command again once they can.',
    } satisfies Record<PauseReason, string>,
    more: (count: number) => `… and ${count} more`,
    table: (file: string) => `Result table: ${file}`,
  },

  /** Texts of commander itself by their English: titles of the help, notes to options, mistakes. A text without an entry stays as it is. */
  commander: {
    titles: {} as Readonly<Record<string, string>>,
    help: 'display help for command',
    notes: [] as readonly (readonly [RegExp, string])[],
    mistakes: [] as readonly (readonly [RegExp, string])[],
  },
}

export type Messages = typeof en

const ko: Messages = {
  language: 'ko',
  about: '내 컴퓨터에서 하는 오디오 마스터링. 곡 하나로 플랫폼별 마스터를 만들고 측정해요.',
  dataDirOption: '곡, 결과, 데이터베이스가 있는 폴더',
  adoptDirOption: '그 폴더에 다른 파일이 있으면 그 안의 Loudsmith 폴더를 쓰기',
  jsonOption: '스크립트용 JSON으로 출력하기',
  emptyPath: '비어 있어요.',
  aPort: '포트는 0부터 65535까지의 숫자예요.',
  outputLost: (reason) => `출력을 쓰지 못했어요: ${reason}`,
  stoppedAnswering: (baseUrl) =>
    `${baseUrl}의 Loudsmith가 응답하지 않아요. 다시 시작하세요. 이미 시작한 작업은 이어서 진행돼요.`,

  serve: {
    about: '멈출 때까지 API와 브라우저용 페이지를 제공해요.',
    port: '루프백 인터페이스의 포트. 0이면 빈 포트를 골라요',
    stay: '터미널이 닫히거나 실행한 프로그램이 끝나도 계속하기',
    queue: '곡을 마스터링할 다른 컴퓨터("loudsmith worker")와 쓰는 큐, redis://HOST:PORT',
    blobs: '컴퓨터 사이의 파일을 둘 곳. 공유 폴더나 s3://BUCKET',
    allowMixed: '엔진이나 ffmpeg가 달라서 결과의 바이트가 다를 수 있는 컴퓨터도 쓰기',
    listening: (baseUrl) => `Loudsmith API 주소: ${baseUrl}`,
    open: (link) => `브라우저에서 열기: ${link} (5분 안에 한 번만 열려요. 새 링크는 "loudsmith open")`,
    howToOpen: '화면을 열려면 "loudsmith open"을 실행하세요(소스 폴더에서는 npm run cli -- open).',
  },

  worker: {
    about: '멈출 때까지 "loudsmith serve --queue"를 실행 중인 다른 컴퓨터의 곡을 마스터링해요.',
    name: '다른 컴퓨터에 표시할 이름. 없으면 호스트 이름',
    workers: '동시에 마스터링할 곡 수. 없으면 코어 수의 절반',
    aNumber: '곡 수는 1 이상의 정수예요.',
    started: (name) => `컴퓨터 ${name} 준비 완료`,
    notEncrypted: '큐와의 연결이 암호화되지 않았어요. 중간에서 곡 이름을 읽을 수 있어요.',
    states: {
      waiting: () => '"loudsmith serve --queue"가 실행될 때까지 기다려요.',
      working: () => '곡을 마스터링해요.',
      draining: () => '곡을 더 받지 않아요.',
      refused: (differs) =>
        `마스터의 바이트가 다를 수 있어서 거부됐어요(${differs}). 같은 버전을 설치하거나, 다른 컴퓨터를 --allow-mixed로 시작하세요.`,
    },
  },

  open: {
    about: '실행 중인 서비스의 화면을 브라우저에서 열어요.',
    linkFile: '링크를 나만 읽을 수 있는 이 파일에 쓰기',
    print: '링크를 표시하기. 터미널에서만 쓸 수 있어요',
    notRunning: '이 데이터 폴더로 실행 중인 Loudsmith가 없어요. "npm start"나 "loudsmith serve"로 시작하세요.',
    opened: '브라우저에서 화면을 열어요.',
    orThis: (link) => `열리지 않으면: ${link} (5분 안에 한 번만 열려요)`,
    written: (file) => `링크를 ${file}에 썼어요. 5분 안에 한 번만 열려요.`,
    fileThere: (file) => `${file}에 이미 다른 것이 있어요. 다른 이름을 고르세요.`,
    notWritten: (file, reason) => `링크를 ${file}에 쓰지 못했어요: ${reason}`,
    noTerminal:
      '링크를 가진 사람은 무엇이든 할 수 있어서 터미널에만 표시해요. 프로그램에서는 --link-file FILE을 쓰세요.',
    noBrowser:
      '여기서는 브라우저를 열 수 없어요. 터미널에서 "loudsmith open --print"를 실행하거나 --link-file FILE을 쓰세요.',
  },

  keys: {
    about: 'API 키를 만들고, 보고, 폐기해요.',
    create: '키를 만들어요. 키는 마지막 줄에 이번 한 번만 표시돼요.',
    name: '키의 용도',
    created: (name, id) => `키 "${name}"(${id})을(를) 만들었어요. 이번 한 번만 표시돼요:`,
    list: '키를 최신순으로 보여 줘요.',
    none: '키가 없어요.',
    revoke: '키를 바로, 완전히 폐기해요.',
    id: '"keys list"에 나오는 ID',
    revoked: (name) => `키 "${name}"을(를) 폐기했어요.`,
    unknown: (id) => `${id}라는 키가 없어요. "keys list"에서 ID를 확인하세요.`,
    used: (at) => `사용 ${at}`,
    neverUsed: '사용한 적 없음',
    states: { active: '사용 중', suspended: '플랜 한도 초과로 정지됨', revoked: '폐기됨' },
  },

  account: {
    about: '계정을 보고, 플랜을 고르고, 크레딧을 추가해요.',
    show: '플랜, 크레딧, 한도를 보여 줘요.',
    plan: '플랜을 골라요. 구매가 아니라 이 컴퓨터에만 적용되는 설정이에요.',
    whichPlan: '플랜',
    grant: '크레딧을 추가해요.',
    amount: '추가할 개수',
    aNumber: '크레딧은 1 이상의 정수예요.',
    rows: {
      plan: '플랜',
      credits: '크레딧',
      keys: 'API 키',
      webhooks: '웹훅',
      unfinished: '끝나지 않은 작업',
      requests: '요청',
    },
    topUp: (credits, monthly, date) => `${credits}(${date}에 ${monthly}까지 충전)`,
    of: (used, limit) => `${limit}개 중 ${used}개`,
    aMinute: (count) => `분당 ${count}회`,
  },

  settings: {
    about: '소유자만 정할 수 있는 설정을 보고 바꿔요.',
    ffmpeg: '설정한 ffmpeg와 사용 중인 ffmpeg를 보거나, 경로에 있는 ffmpeg를 설정하고 확인해요.',
    path: 'ffmpeg 프로그램. 한 번 실행해 보고 SHA-256을 저장해요',
    clear: '설정 지우기: Loudsmith가 알아서 찾아요',
    either: '경로와 --clear 중 하나만 쓰세요.',
    none: '없음: Loudsmith가 알아서 찾아요',
    rows: { set: '설정', inUse: '사용 중' },
    ffmpeg_unconfirmed: '없음: 설정한 ffmpeg를 아직 확인하지 않았어요. 다시 설정하면 확인돼요.',
    ffmpeg_changed: '없음: 설정한 ffmpeg가 확인한 파일과 달라요. 다시 설정하면 확인돼요.',
  },

  allow: {
    about: '프로그램이 경로로 곡을 지정할 수 있는 폴더를 보여 주거나, FOLDER를 허용해요.',
    folder: '허용할 폴더(안에 있는 것 모두)',
    remove: 'FOLDER를 목록에서 빼기',
    none: '허용한 폴더가 없어요.',
  },

  mcp: {
    about: '에이전트를 위해 표준 입출력으로 Model Context Protocol을 제공해요. API 키는 LOUDSMITH_API_KEY예요.',
    noKey: 'LOUDSMITH_API_KEY에 API 키를 먼저 넣으세요. "loudsmith keys create agent"로 만들 수 있어요.',
    lost: '답하기 전에 Loudsmith가 다시 시작되었어요. 시작한 작업은 계속돼요. list_jobs로 확인하세요.',
  },

  doctor: {
    about: 'ffmpeg, 버전, 폴더, 디스크 여유 공간, SIMD 지원 여부를 보여 줘요.',
    noFfmpeg: '없음: ffmpeg 5.1 이상을 설치하거나 설정에서 지정하세요',
    rows: {
      engine: '엔진',
      trial: '동작 확인',
      data: '데이터',
      disk: '디스크',
      service: '서비스',
      aside: '따로 둔 파일',
    },
    notPrivate: '이 디스크에는 접근 권한이 없어서 이 컴퓨터의 다른 사용자가 데이터를 읽을 수 있어요.',
    aside: (items, size, folder) => `데이터베이스에 없는 항목 ${items}개(${size}), 직접 지우세요: ${folder}`,
    trialPassed: 'ffmpeg가 데이터 폴더에 쓰고 읽을 수 있어요',
    hasSimd: '있음',
    noSimd: '없음: WebAssembly SIMD를 지원하는 프로세서와 런타임이 필요해요',
    disk: (free, used) => `여유 ${free}, Loudsmith 사용 ${used}`,
    notRunning: '실행 중이 아님',
  },

  release: {
    about: '싱글, EP, 앨범을 관리하고 업로드용으로 내보내요.',
    list: '릴리스를 최신순으로 보여 줘요.',
    none: '릴리스가 없어요.',
    tracks: (count) => `트랙 ${count}개`,
    show: '릴리스와 트랙을 보여 줘요.',
    create: '릴리스를 만들어요.',
    artist: '릴리스 아티스트',
    kind: '릴리스 종류',
    job: '트랙으로 넣을 작업(순서대로)',
    add: '작업의 곡을 릴리스에 추가해요.',
    delete: '릴리스를 삭제해요. 곡과 작업은 그대로 있어요.',
    deleted: '릴리스를 삭제했어요.',
    import: '트랙마다 한 행인 표(CSV)로 릴리스를 만들어요.',
    csv: '릴리스를 표(CSV)로 보여 줘요.',
    csvOut: '표를 저장할 새 파일',
    written: (file) => `표를 ${file}에 저장했어요.`,
    notWritten: (file, reason) => `표를 ${file}에 저장하지 못했어요: ${reason}`,
    update: '"release csv"가 만든 것과 같은 표로 릴리스를 바꿔요.',
    ignored: (columns) => `알 수 없는 열은 쓰지 않았어요: ${columns}`,
    plan: '릴리스를 마스터링하면 어떻게 되고 몇 크레딧이 드는지 보여 줘요. 아무것도 만들지 않아요.',
    master: '릴리스의 모든 트랙을 하나의 앨범으로 마스터링해요.',
    cancel: '릴리스 마스터링을 멈춰요. 진행 중인 것은 환불돼요.',
    wait: '끝날 때까지 기다리기',
    planned: (loudness, needed, balance) =>
      `앨범 음량은 ${loudness}로 계획했어요. ${balance}크레딧 중 ${needed}크레딧이 들어요.`,
    mayComeDown: (title, lu) => `“${title}”을(를) 더 크게 하기 어려워서 앨범 음량이 ${lu} LU 낮아질 수 있어요.`,
    cameDown: (title, lu) => `“${title}”을(를) 더 크게 할 수 없어서 앨범 음량이 목표보다 ${lu} LU 낮아요.`,
    record: (loudness) => `앨범의 음량은 ${loudness}예요.`,
    outliers: { loudness: '음량', tone: '음색', width: '스테레오 폭' },
    mastering: {
      idle: () => '아직 마스터링하지 않았어요.',
      mastering: (percent) => `마스터링하는 중이에요: ${percent}%`,
      done: () => '마스터링이 끝났어요.',
      failed: () => '마스터링하지 못했어요.',
    },
    masters: { waiting: '대기', queued: '작업 중', done: '완료', failed: '실패', gone: '삭제됨' },
    export: '릴리스를 업로드할 수 있게 납품 확인서와 함께 폴더 하나로 내보내요.',
    out: '릴리스 폴더를 만들 폴더(없으면 설정의 출력 폴더)',
    format: '파일 형식(없으면 받는 곳이 원하는 형식, 아니면 WAV 24비트)',
    platform: '가져올 마스터: 모든 서비스용은 "release", 아니면 플랫폼',
    byPlatform: '다른 플랫폼마다 폴더를 하나씩 더해요',
    receiver: '원하는 대로 파일을 만들고 규칙을 확인할 유통사와 서비스(없으면 전부 확인)',
    noTags: '태그 없는 파일',
    naming: '파일 이름 형식: 글자와 {track} {title} {artist} 같은 토큰',
    asciiNames: '파일 이름을 영문, 숫자, -, _로만 써요. 한글은 로마자로 바꿔요.',
    zip: '폴더의 ZIP을 옆에 더해요',
    zipped: (file) => `ZIP으로도 저장했어요: ${file}`,
    exported: (files, folder) => `파일 ${files}개를 ${folder}에 저장했어요.`,
    unapplied: (tracks) =>
      `다음 트랙의 자르기, 페이드, 간격은 파일에 반영되지 않았어요: ${tracks}. 릴리스를 마스터링한 뒤 다시 내보내세요.`,
    verify: '내보낸 폴더가 그대로인지, 바뀌거나 없어지거나 더해진 파일이 있는지 알려 줘요.',
    folder: '릴리스 폴더 또는 ZIP',
    intact: (folder) => `${folder} 폴더는 그대로예요.`,
    differs: (folder) => `${folder} 폴더가 내보냈을 때와 달라요:`,
    differences: { changed: '바뀜', missing: '없음', added: '더해짐' },
    signatures: {
      own: '여기서 서명한 확인서예요.',
      other: '다른 키로 서명한 확인서예요. 다른 설치본이나 다른 사람이 서명했어요.',
      bad: '확인서가 바뀌어서 서명이 맞지 않아요.',
      none: '확인서가 없어요.',
    },
    states: {
      no_song: '곡 없음',
      stored: '마스터링 전',
      queued: '진행 중',
      done: '완료',
      failed: '실패',
      expired: '만료됨',
      gone: '곡 삭제됨',
    },
  },

  master: {
    about: '곡을 마스터링해요: 작업 하나, 크레딧 하나, 플랫폼마다 마스터 하나.',
    file: 'MP3, WAV 또는 FLAC. -는 표준 입력이고 --title과 함께 쓰면 좋아요',
    platforms: (list) => `쉼표로 구분: ${list}`,
    out: '마스터와 리포트를 넣을 폴더',
    reference: '음색을 맞출 레퍼런스 트랙',
    cover: '마스터에 넣을 커버, JPEG 또는 PNG',
    title: '마스터의 제목',
    artist: '마스터의 아티스트',
    noFile: (file) => `${file} 파일이 없어요.`,
    folder: (file) =>
      `${file}은(는) 폴더예요. 그 안의 곡을 하나 지정하세요. 폴더 전체를 마스터링하려면 "loudsmith batch"를 쓰거나 설정에서 감시 폴더로 추가하세요.`,
    danglingLink: (file, target) => `${file}은(는) ${target}을(를) 가리키는 링크인데, 그 파일이 없어요.`,
    noRight: (file) => `${file}을(를) 읽을 권한이 없어요. 읽기를 허용하거나 소유자로 실행하세요.`,
    device: (file) => `${file}은(는) 곡이 아니라 장치예요.`,
    socket: (file) => `${file}은(는) 곡이 아니라 소켓이에요.`,
    unreadable: (file, reason) => `${file}을(를) 읽을 수 없어요: ${reason}`,
    keyboard: '표준 입력이 키보드예요. 곡을 파이프로 보내세요: cat song.flac | loudsmith master - …',
    twiceInput: '표준 입력에는 한 곡만 있어요. 곡이나 레퍼런스 중 하나는 파일로 지정하세요.',
    tooLarge: (name, gigabytes) => `${name}이(가) ${gigabytes} GiB보다 커요. FLAC으로 내보내세요.`,
    standardInput: '표준 입력',
    notWritable: (folder) => `${folder}에 쓸 수 없어요. --out으로 다른 폴더를 고르세요.`,
    notUnpacked: (folder, reason) =>
      `마스터는 만들었지만 ${folder}에 쓰지 못했어요: ${reason}. 앱의 기록에서 저장하세요.`,
    stages: {
      waiting: '대기 중',
      decoding: '디코딩 중',
      analysing: '분석 중',
      rendering: '렌더링 중',
      verifying: '확인 중',
      packaging: '압축 중',
      queued: '대기 중',
      done: '완료',
      failed: '실패',
    },
    cancelled: '취소됐어요.',
    failed: (reason) => `실패: ${reason}`,
    returned: ' 크레딧은 환불됐어요.',
    note: (text) => `참고: ${text}`,
    writtenTo: (folder) => `${folder}에 썼어요:`,
    onTarget: '목표 도달',
    below: (lufs) => `목표 ${lufs} LUFS에 못 미침`,
  },

  batch: {
    about: '폴더와 그 아래 폴더의 모든 곡을 마스터링해요. 같은 명령을 다시 실행하면 이어서 해요.',
    folder: 'MP3, WAV, FLAC 파일이 든 폴더',
    out: '마스터와 결과 표를 넣을 폴더',
    allow: '"loudsmith allow"처럼 두 폴더도 허용하기',
    retry: '실패한 곡을 다시 마스터링하기',
    noFolder: (folder) => `${folder} 폴더가 없어요.`,
    noSongs: (folder) => `${folder}에 곡이 없어요.`,
    notAllowed: (folder) =>
      `${folder}은(는) 허용하지 않은 폴더예요. "loudsmith allow '${folder}'"를 먼저 실행하거나 --allow를 더하세요.`,
    progress: (done, total) => `${total}곡 중 ${done}곡 완료`,
    goesOn: '나머지는 Loudsmith가 실행되는 동안 계속돼요. 같은 명령을 다시 실행하면 이어서 볼 수 있어요.',
    paused: {
      caller: '일시 정지했어요. 같은 명령을 다시 실행하면 계속돼요.',
      credits: '크레딧이 모자라서 기다리고 있어요. 크레딧을 추가하고 같은 명령을 다시 실행하세요.',
      disk: '디스크 공간이 모자라서 기다리고 있어요. 공간을 비우고 같은 명령을 다시 실행하세요.',
      folder: '마스터를 폴더에 쓸 수 없어요. 쓸 수 있게 되면 같은 명령을 다시 실행하세요.',
    },
    more: (count) => `… 외 ${count}곡`,
    table: (file) => `결과 표: ${file}`,
  },

  commander: {
    titles: {
      'Usage:': '사용법:',
      'Arguments:': '인자:',
      'Options:': '옵션:',
      'Commands:': '명령:',
    },
    help: '도움말 보기',
    notes: [
      [/\(choices: /, '(선택: '],
      [/\(default: /, '(기본값: '],
    ],
    mistakes: [
      [/missing required argument '(.+)'/, "'$1' 인자가 없어요."],
      [/option '(.+)' argument missing/, "'$1' 옵션에 값이 없어요."],
      [/required option '(.+)' not specified/, "'$1' 옵션이 필요해요."],
      [/unknown option '(.+)'/, "'$1' 옵션은 없어요."],
      [/unknown command '(.+)'/, "'$1' 명령은 없어요."],
      [
        /too many arguments.* Expected (\d+) arguments? but got (\d+).*/,
        '인자가 너무 많아요. $1개가 필요한데 $2개예요.',
      ],
      [/option '(.+)' argument '(.*)' is invalid\./, "'$1' 옵션에 '$2'을(를) 쓸 수 없어요."],
      [/command-argument value '(.*)' is invalid for argument '(.+)'\./, "'$2' 인자에 '$1'을(를) 쓸 수 없어요."],
      [/Allowed choices are (.+)\./, '쓸 수 있는 값: $1.'],
      [/\(Did you mean (?:one of )?(.+)\?\)/, '($1인가요?)'],
      [/^error: /, '오류: '],
    ],
  },
}

/**
 * Returns the messages of a terminal: Korean where the first of LC_ALL, LC_MESSAGES and LANG that is set begins with `ko` (POSIX.1-2017
 * section 8.2), or, where none is set as on Windows, the system's own language does; else English. Never throws.
 */
export function terminalMessages(
  environment: Readonly<Record<string, string | undefined>>,
  systemLocale: string,
): Messages {
  const locale = environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || systemLocale
  return /^ko(?![a-z])/i.test(locale) ? ko : en
}

/** Returns the messages of a command with or without `--json`. */
export const messagesFor = (messages: Messages, { json }: { readonly json?: boolean }): Messages =>
  json ? en : messages

/** Returns whether the words behind the program's name ask for JSON, whether or not they can be understood. Never throws. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json')
}
