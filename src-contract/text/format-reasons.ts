/** Descriptions of files that are not accepted as songs, each with a suggestion, in both languages. */

/** Advice for most of them. */
const EXPORT = {
  en: 'Export MP3, WAV or FLAC with one or two channels and send it again.',
  ko: '모노나 스테레오 MP3, WAV, FLAC으로 내보내 다시 보내세요.',
}

/** Advice for a file that came from the network and is no song. */
const DOWNLOAD_AGAIN = {
  en: 'Download the song again and send that file.',
  ko: '곡을 다시 내려받아 그 파일을 보내세요.',
}

/** Advice for a container that may contain a song unchanged. */
const UNPACK = {
  en: 'Unpack it and send the MP3, WAV or FLAC inside.',
  ko: '압축을 풀고 안에 있는 MP3, WAV, FLAC을 보내세요.',
}

const isIt = (en: string, ko: string, advice = EXPORT) => ({ en: `${en} ${advice.en}`, ko: `${ko} ${advice.ko}` })

/** Sentences of UNSUPPORTED_FORMAT. */
export const FORMAT_REASONS = {
  empty: isIt('The file is empty.', '빈 파일이에요.'),
  silent: isIt('The song is silent or nearly silent.', '곡이 무음이거나 무음에 가까워요.'),
  short: isIt('The song is shorter than one second.', '곡이 1초보다 짧아요.'),
  channels: isIt('The file has more than two channels.', '채널이 두 개보다 많아요.'),
  encoding: isIt('The audio in this WAV is neither PCM nor float.', 'PCM이나 float이 아닌 WAV예요.'),
  padded: isIt(
    'The samples of this WAV are padded (such as 24 bits in blocks of 32), which programs read in different ways.',
    '샘플에 빈 비트가 붙은 WAV예요(예: 32비트 칸에 24비트). 프로그램마다 다르게 읽어요.',
    { en: 'Export it as plain 24-bit WAV and send it again.', ko: '일반 24비트 WAV로 내보내 다시 보내세요.' },
  ),
  joined_flac: isIt(
    'This file holds two FLAC files, one behind the other.',
    'FLAC 파일 두 개가 한 파일에 이어져 있어요.',
    { en: 'Send each of them as a file of its own.', ko: '각각 따로 파일로 보내세요.' },
  ),
  protected: isIt(
    'This file is protected (DRM), so its sound cannot be read.',
    '보호된(DRM) 파일이라 소리를 읽을 수 없어요.',
    {
      en: 'Export the song from the program it was made with, without protection.',
      ko: '곡을 만든 프로그램에서 보호 없이 내보내세요.',
    },
  ),
  no_sound: isIt(
    'There is no sound in this file, such as a video without audio.',
    '소리가 없는 동영상 같은 파일이에요.',
  ),
  elsewhere: isIt(
    'This movie file only points to its sound, which is in another file.',
    '소리가 다른 파일에 있고 이 파일은 그 위치만 가리켜요.',
    { en: 'Export it as a self-contained movie and send it again.', ko: '독립된 동영상으로 내보내 다시 보내세요.' },
  ),
  inner_codec: isIt(
    'The sound in this file is encoded in a way that Loudsmith does not support.',
    '이 파일 안의 소리는 Loudsmith가 지원하지 않는 방식으로 인코딩되어 있어요.',
  ),
  damaged: isIt('The audio in this file cannot be decoded.', '파일 안의 오디오를 디코딩할 수 없어요.'),
  not_numbers: isIt(
    'Its samples are not numbers or far beyond any level, so it holds no usable sound.',
    '샘플이 숫자가 아니거나 정상 범위를 크게 벗어나 쓸 수 있는 소리가 없어요.',
  ),
  crowded: isIt(
    'This file contains thousands of tags, which no song has.',
    '일반적인 곡과 달리 태그가 수천 개 들어 있어요.',
    {
      en: 'Remove them and send it again.',
      ko: '태그를 지우고 다시 보내세요.',
    },
  ),
  stalls: isIt('ffmpeg does not finish reading this file.', 'ffmpeg가 이 파일을 끝까지 읽지 못해요.'),
  crashes: isIt('ffmpeg crashes on this file.', 'ffmpeg가 이 파일을 읽다가 비정상 종료돼요.'),
  ffmpeg_too_old: isIt(
    'This is a FLAC of more than 24 bits, which ffmpeg reads from version 6.0 on.',
    '24비트를 넘는 FLAC은 ffmpeg 6.0부터 읽을 수 있어요.',
    {
      en: 'Install a newer ffmpeg, or export 24 bits and send it again.',
      ko: '새 ffmpeg를 설치하거나 24비트로 내보내 다시 보내세요.',
    },
  ),
  unknown: isIt('This is not an audio file that Loudsmith supports.', 'Loudsmith가 지원하는 오디오 파일이 아니에요.'),
  zeros: isIt(
    'The file contains only zeros: a copy or download was not finished.',
    '파일이 0으로만 채워져 있어요. 복사나 다운로드가 끝나지 않았어요.',
    DOWNLOAD_AGAIN,
  ),
  web_page: isIt('This is a web page: the download failed.', '웹 페이지예요. 다운로드가 실패했어요.', DOWNLOAD_AGAIN),
  server_answer: isIt(
    "This is a server's answer in JSON or XML, not a song: the download failed.",
    '곡이 아니라 JSON이나 XML로 된 서버 응답이에요. 다운로드가 실패했어요.',
    DOWNLOAD_AGAIN,
  ),
  base64: isIt('This is a file encoded as base64 text.', 'base64 텍스트로 인코딩된 파일이에요.', {
    en: 'Decode it and send the bytes themselves.',
    ko: '디코딩해서 원래 바이트를 보내세요.',
  }),
  gzip: isIt('This is a gzip-compressed file.', 'gzip으로 압축된 파일이에요.', UNPACK),
  zip: isIt('This is a ZIP archive.', 'ZIP 압축 파일이에요.', UNPACK),
  archive: isIt('This is a RAR or 7z archive.', 'RAR 또는 7z 압축 파일이에요.', UNPACK),
  aac: isIt('This is an AAC, M4A or MP4 file.', 'AAC, M4A 또는 MP4 파일이에요.'),
  ogg: isIt('This is an Ogg file.', 'Ogg 파일이에요.'),
  opus: isIt('This is an Opus file.', 'Opus 파일이에요.'),
  matroska: isIt('This is a Matroska or WebM file.', 'Matroska 또는 WebM 파일이에요.'),
  avi: isIt('This is an AVI video.', 'AVI 동영상이에요.'),
  aiff: isIt('This is an AIFF file.', 'AIFF 파일이에요.'),
  w64: isIt('This is a Sony Wave64 (W64) file.', 'Sony Wave64(W64) 파일이에요.'),
  caf: isIt('This is a Core Audio (CAF) file.', 'Core Audio(CAF) 파일이에요.'),
  au: isIt('This is a Sun AU file.', 'Sun AU 파일이에요.'),
  wma: isIt('This is a WMA or other Windows Media (ASF) file.', 'WMA 등 Windows Media(ASF) 파일이에요.'),
  wavpack: isIt('This is a WavPack file.', 'WavPack 파일이에요.'),
  monkeys_audio: isIt("This is a Monkey's Audio (APE) file.", "Monkey's Audio(APE) 파일이에요."),
  lossless: isIt(
    'This is a lossless file of a kind that Loudsmith does not support (TTA, TAK, OptimFROG or Shorten).',
    'Loudsmith가 지원하지 않는 무손실 파일(TTA, TAK, OptimFROG, Shorten)이에요.',
  ),
  musepack: isIt('This is a Musepack file.', 'Musepack 파일이에요.'),
  dsd: isIt('This is a DSD (DSF or DFF) file.', 'DSD(DSF 또는 DFF) 파일이에요.'),
  mp1: isIt('This is MPEG layer I audio (MP1), not MP3.', 'MP3가 아니라 MPEG 레이어 I 오디오(MP1)예요.'),
  mp2: isIt('This is MPEG layer II audio (MP2), not MP3.', 'MP3가 아니라 MPEG 레이어 II 오디오(MP2)예요.'),
  mp3_free_format: isIt(
    'This is a free-format MP3, which states no bit rate and is supported by hardly any program.',
    '비트레이트가 없는 프리 포맷 MP3라서 재생하는 프로그램이 거의 없어요.',
  ),
  ac3: isIt('This is a Dolby Digital (AC-3) file.', 'Dolby Digital(AC-3) 파일이에요.'),
  dts: isIt('This is a DTS file.', 'DTS 파일이에요.'),
  amr: isIt('This is an AMR voice recording.', 'AMR 음성 녹음이에요.'),
  video: isIt('This is an MPEG or Flash video.', 'MPEG 또는 Flash 동영상이에요.'),
  midi: isIt('This is a MIDI file: notes without sound.', 'MIDI 파일이라 음표만 있고 소리는 없어요.', {
    en: 'Render it in your music program as WAV and send that.',
    ko: '음악 프로그램에서 WAV로 렌더링해 보내세요.',
  }),
  project: isIt(
    'This is a project file of a music program, not audio.',
    '오디오가 아니라 음악 프로그램의 프로젝트 파일이에요.',
  ),
  picture: isIt('This is a picture.', '그림 파일이에요.'),
  document: isIt('This is a document.', '문서 파일이에요.'),
  playlist: isIt(
    'This is a playlist: it lists songs but contains none.',
    '곡 목록 파일이라 이름만 있고 소리는 없어요.',
    {
      en: 'Send the song itself.',
      ko: '곡 파일 자체를 보내세요.',
    },
  ),
  mac_companion: isIt(
    'This is a companion file of macOS (its name begins with "._").',
    'macOS가 만든 보조 파일("._"로 시작하는 이름)이에요.',
    { en: 'Send the file of the same name without "._".', ko: '이름에서 "._"를 뺀 파일을 보내세요.' },
  ),
} as const

export type FormatReason = keyof typeof FORMAT_REASONS
