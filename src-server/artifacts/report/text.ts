/** The words of report.html in both languages. Sentences of warnings are the contract's. */

import type { AiService, Confidence, Genre, LoudnessMode, Platform, Tier } from '../../contract/platforms.ts'
import type { Decision, DecisionCode, MasterResult, Repair, RepairKind } from '../../contract/report.ts'
import type { Language } from '../../contract/text/text.ts'
import { change, decibels, frequency } from './numbers.ts'

/** One text in every language. */
export type Bilingual = Readonly<Record<Language, string>>

const both = (en: string, ko: string): Bilingual => ({ en, ko })
const same = (text: string): Bilingual => ({ en: text, ko: text })

export const platformNames: Record<Platform, string> = {
  spotify: 'Spotify',
  apple_music: 'Apple Music',
  youtube: 'YouTube',
  melon: 'Melon',
  soundcloud: 'SoundCloud',
}

export const genreNames: Record<Genre, Bilingual> = {
  kpop: same('K-pop'),
  edm: same('EDM'),
  ballad: both('ballad', '발라드'),
  hiphop: both('hip-hop', '힙합'),
  pop: both('pop', '팝'),
  other: both('other genre', '기타 장르'),
}

export const serviceNames: Record<AiService, Bilingual> = {
  suno: same('Suno'),
  udio: same('Udio'),
  elevenlabs: same('ElevenLabs'),
  other: both('other source', '기타 출처'),
}

export const tierNames: Record<Tier, Bilingual> = {
  standard: both('standard', '스탠더드'),
  premium: both('premium', '프리미엄'),
}

export const loudnessNames: Record<LoudnessMode, Bilingual> = {
  platform: both('loudness of the platform', '플랫폼 기준 음량'),
  competitive: both('loudness of the genre', '장르 기준 음량'),
}

export const confidenceNames: Record<Confidence, Bilingual> = {
  published: both('published', '공식 발표'),
  common_practice: both('common practice', '업계 관행'),
  our_recommendation: both('our recommendation', '자체 권장'),
}

export const words = {
  report: both('Mastering report', '마스터링 리포트'),
  by: both('by', '아티스트'),
  original: both('Original', '원본'),
  master: both('Master', '마스터'),
  target: both('Target', '목표'),
  ceiling: both('ceiling', '상한'),
  reduction: both('Gain reduction', '게인 리덕션'),
  reductionLane: both('Reduction', '리덕션'),
  masters: both('Masters', '마스터'),
  measured: both('Measured in the written files', '기록된 파일에서 측정'),
  platform: both('Platform', '플랫폼'),
  verdict: both('Verdict', '판정'),
  loudness: both('Loudness', '음량'),
  truePeak: both('True peak', '트루 피크'),
  gain: both('Gain', '게인'),
  range: both('Range', '다이내믹 레인지'),
  plr: both('Peak to loudness', '피크 대 음량'),
  limiting: both('Limiting', '리미팅'),
  playback: both('On playback', '재생할 때'),
  file: both('File', '파일'),
  onTarget: both('On target', '목표 달성'),
  belowTarget: both('Below target', '목표 미달'),
  notes: both('Worth knowing', '알아 둘 점'),
  plots: both('Before and after', '전과 후'),
  spectrum: both('Spectrum', '스펙트럼'),
  peak: both('Peak', '피크'),
  correlation: both('Stereo', '스테레오'),
  done: both('What was done, and why', '한 일과 이유'),
  repairs: both('Repaired', '복원'),
  onlyFound: both('only what was found', '발견된 것만'),
  nothingRepaired: both('Nothing was found that needed repair.', '복원이 필요한 곳은 없었어요.'),
  codecs: both('After lossy encoding', '손실 압축 뒤'),
  codec: both('Codec', '코덱'),
  lowered: both('Ceiling lowered', '상한 낮춤'),
  details: both('Details', '세부 정보'),
  reference: both('Reference', '레퍼런스'),
  settings: both('Settings', '설정'),
  intensity: both('Intensity', '강도'),
  referenceAmount: both('Reference amount', '레퍼런스 반영'),
  source: both('Source', '원본 파일'),
  duration: both('Duration', '길이'),
  bandwidth: both('Bandwidth', '대역폭'),
  full: both('full', '전 대역'),
  engine: both('Engine', '엔진'),
  decoder: same('ffmpeg'),
  job: both('Job', '작업'),
  created: both('Created', '생성'),
  checksum: same('SHA-256'),
  most: both('most', '최대'),
  mean: both('mean', '평균'),
  language: both('Language', '언어'),
  spectrumLabel: both('Level', '레벨'),
  tilt: both(
    'Third octaves, tilted by 4.5 dB per octave, compared at equal loudness.',
    '1/3옥타브, 옥타브당 4.5 dB 기울임, 같은 음량에서 비교.',
  ),
  made: both(
    'Every figure was read from the written file by meters after ITU-R BS.1770-5, EBU Tech 3341 and Tech 3342.',
    '모든 수치는 기록된 파일을 ITU-R BS.1770-5, EBU Tech 3341, Tech 3342 방식으로 다시 읽어 측정했어요.',
  ),
} satisfies Record<string, Bilingual>

export const stageNames: Record<Decision['stage'], Bilingual> = {
  repair: both('Repair', '복원'),
  tone: both('Tone', '톤'),
  dynamics: both('Dynamics', '다이내믹'),
  image: both('Image', '스테레오'),
  clip: both('Clip', '클리핑'),
  limit: both('Limit', '리미팅'),
  land: both('Land', '음량 맞춤'),
  write: both('Write', '기록'),
}

export const repairNames: Record<RepairKind, Bilingual> = {
  dc_offset: both('DC offset', 'DC 오프셋'),
  rumble: both('Rumble', '초저역 잡음'),
  clipping: both('Clipped peaks', '잘린 피크'),
  clicks: both('Clicks', '클릭 잡음'),
  mud: both('Mud', '뭉친 중저역'),
  resonance: both('Resonance', '공명'),
  sibilance: both('Sibilance', '치찰음'),
  mono_bass: both('Low end made mono', '저역 모노화'),
}

const channelNames: Record<NonNullable<Repair['channel']>, Bilingual> = {
  mid: both('mid', '미드'),
  side: both('sides', '사이드'),
  left: both('left', '왼쪽'),
  right: both('right', '오른쪽'),
  both: both('both channels', '양쪽 채널'),
}

/** Returns where and how much was repaired: "6.4 kHz, sides, −3.1 dB". Parts that a repair has not are left out. */
export function repairDetail(repair: Repair): Bilingual {
  const places = repair.count === undefined ? undefined : both(`${repair.count} places`, `${repair.count}곳`)
  return listed([
    repair.frequency_hz === undefined ? undefined : same(frequency(repair.frequency_hz)),
    repair.channel && channelNames[repair.channel],
    places,
    repair.amount_db === undefined ? undefined : same(`${change(repair.amount_db)} dB`),
  ])
}

function listed(parts: readonly (Bilingual | undefined)[]): Bilingual {
  const present = parts.filter((part) => part !== undefined)
  return both(present.map((part) => part.en).join(', '), present.map((part) => part.ko).join(', '))
}

/** Returns what the service will do to the master, as a musician says it. */
export function playbackText({ platform, playback }: Pick<MasterResult, 'platform' | 'playback'>): Bilingual {
  const amount = decibels(Math.abs(playback.gain_db), 1)
  const name = platformNames[platform]
  switch (playback.action) {
    case 'turn_down':
      return both(`${name} turns it down ${amount} dB`, `${name}에서 ${amount} dB 낮춰 재생해요`)
    case 'turn_up':
      return both(`${name} turns it up ${amount} dB`, `${name}에서 ${amount} dB 높여 재생해요`)
    case 'leave':
      return both('plays as is', '그대로 재생해요')
    case 'unknown':
      return both('no change known', '알려진 변화 없음')
  }
}

/** Returns why a master stops below its target. */
export function verdictReason(reason: string | undefined): Bilingual | undefined {
  if (reason === 'gain_reduction') {
    return both('more would have cost too much limiting', '더 올리면 리미팅이 지나쳐요')
  }
  if (reason === 'dynamics_lost') return both('more would have cost too much dynamics', '더 올리면 다이내믹을 잃어요')
  if (reason === 'silent') return both('the song is silent', '무음이에요')
  return undefined
}

type Sentence = (v: Readonly<Record<string, number | string>>) => Bilingual

const places = (v: Record<string, number | string>) => (v.count === undefined ? '' : ` (${v.count})`)
const hz = (value: number | string | undefined) => (typeof value === 'number' ? frequency(value) : '')
const db = (value: number | string | undefined) =>
  typeof value === 'number' ? `${decibels(Math.abs(value), 1)} dB` : ''

/** Numbers of a decision that its sentence has not used are shown behind it by the page. */
export const decisionSentences: Record<DecisionCode, Sentence> = {
  NOTHING_TO_REPAIR: () => both('No fault was found, so nothing was repaired.', '결함이 없어 복원하지 않았어요.'),
  DC_REMOVED: () => both('A constant offset was removed.', 'DC 오프셋을 없앴어요.'),
  RUMBLE_FILTERED: (v) =>
    both(`Rumble below ${hz(v.frequencyHz)} was filtered.`, `${hz(v.frequencyHz)} 아래 초저역 잡음을 걸렀어요.`),
  CLIPPING_REBUILT: (v) => both(`Clipped peaks were rebuilt${places(v)}.`, `잘린 피크를 복원했어요${places(v)}.`),
  CLICKS_MENDED: (v) => both(`Clicks were mended${places(v)}.`, `클릭 잡음을 고쳤어요${places(v)}.`),
  MUD_CUT: (v) =>
    both(
      `Mud around ${hz(v.frequencyHz)} was cut by ${db(v.gainDb)}.`,
      `${hz(v.frequencyHz)} 부근에 뭉친 소리를 ${db(v.gainDb)} 줄였어요.`,
    ),
  RESONANCE_TAMED: (v) =>
    both(
      `A resonance at ${hz(v.frequencyHz)} that stands out by ${db(v.excessDb)} is held back while it sounds.`,
      `${hz(v.frequencyHz)}에서 ${db(v.excessDb)} 튀는 공명을 울릴 때만 눌러요.`,
    ),
  SIBILANCE_TAMED: () => both('Sharp sibilance was softened.', '날카로운 치찰음을 부드럽게 했어요.'),
  BASS_MADE_MONO: (v) =>
    both(`The low end below ${hz(v.frequencyHz)} was made mono.`, `${hz(v.frequencyHz)} 아래를 모노로 모았어요.`),
  TONE_LEFT_ALONE: () => both('The tone is balanced and was left alone.', '톤이 고르므로 그대로 두었어요.'),
  TONE_HARSHNESS_CUT: (v) =>
    both(
      `Harshness around ${hz(v.frequencyHz)} was taken down by ${db(v.gainDb)}.`,
      `${hz(v.frequencyHz)} 부근의 거친 소리를 ${db(v.gainDb)} 낮췄어요.`,
    ),
  TONE_DULLNESS_LIFTED: (v) =>
    both(
      `A dull top was lifted by ${db(v.gainDb)} from ${hz(v.frequencyHz)} up.`,
      `어두운 고역을 ${hz(v.frequencyHz)}부터 ${db(v.gainDb)} 올렸어요.`,
    ),
  TONE_TOWARD_GENRE: (v) =>
    both(
      `The tone was moved toward the genre, by ${db(v.largestDb)} at most.`,
      `톤을 장르 쪽으로 옮겼어요. 최대 ${db(v.largestDb)}예요.`,
    ),
  TONE_TOWARD_REFERENCE: (v) =>
    both(
      `The tone was moved ${v.amount ?? 100} % of the way to the reference: up to ${db(v.largestMidDb)} in the mid and ${db(v.largestSideDb)} in the sides, up to ${hz(v.upToHz)}.`,
      `톤을 레퍼런스 쪽으로 ${v.amount ?? 100} % 옮겼어요. 미드 최대 ${db(v.largestMidDb)}, 사이드 최대 ${db(v.largestSideDb)}, ${hz(v.upToHz)}까지예요.`,
    ),
  DYNAMICS_LEFT_ALONE: () =>
    both('The dynamics suit the song and were left alone.', '다이내믹이 알맞아 그대로 두었어요.'),
  DENSITY_RAISED: () =>
    both('The density was raised, so that the limiter need not pump.', '리미터가 출렁이지 않도록 밀도를 높였어요.'),
  BANDS_COMPRESSED: () => both('Bands that stand out were compressed gently.', '튀는 대역을 부드럽게 압축했어요.'),
  IMAGE_LEFT_ALONE: () => both('The stereo image was left alone.', '스테레오 이미지는 그대로 두었어요.'),
  IMAGE_WIDENED: (v) =>
    both(
      `The stereo image was widened by ${db(v.gainDb)} in the sides.`,
      `사이드를 ${db(v.gainDb)} 올려 스테레오 이미지를 넓혔어요.`,
    ),
  IMAGE_NARROWED: (v) =>
    both(
      `The stereo image was wider than usual and was narrowed by ${db(v.gainDb)} in the sides.`,
      `지나치게 넓어 사이드를 ${db(v.gainDb)} 낮춰 좁혔어요.`,
    ),
  CLIP_BUDGET_CHOSEN: (v) =>
    both(
      `The soft clipper takes up to ${db(v.clipBudgetDb)} off the highest peaks: measured to be cleaner than limiting alone.`,
      `소프트 클리퍼가 가장 높은 피크를 ${db(v.clipBudgetDb)}까지 깎아요. 리미터만 쓸 때보다 깨끗했어요.`,
    ),
  CLIP_NOT_USED: () =>
    both(
      'No clipper: on this song limiting alone is cleaner.',
      '이 곡은 리미터만 쓰는 편이 깨끗해 클리퍼를 쓰지 않았어요.',
    ),
  GAIN_ONLY: (v) =>
    both(
      `Only gain was needed (${change(Number(v.gainDb ?? 0))} dB); no peak came near the ceiling.`,
      `게인만으로 충분했어요(${change(Number(v.gainDb ?? 0))} dB). 상한에 닿는 피크가 없었어요.`,
    ),
  LIMITED: (v) =>
    both(
      `The limiter turns the highest peak down by ${db(v.maxGainReductionDb)}, the loud parts by ${db(v.meanGainReductionDb)} on average.`,
      `리미터가 가장 높은 피크를 ${db(v.maxGainReductionDb)}, 큰 부분을 평균 ${db(v.meanGainReductionDb)} 낮춰요.`,
    ),
  STOPPED_BELOW_TARGET: (v) =>
    both(
      `The master stops ${decibels(Number(v.missingLu ?? 0), 1)} LU below the target: going on would have cost more than it gives.`,
      `목표보다 ${decibels(Number(v.missingLu ?? 0), 1)} LU 낮게 멈췄어요. 더 올리면 얻는 것보다 잃는 것이 많아요.`,
    ),
  CEILING_LOWERED_FOR_CODEC: (v) =>
    both(
      `The ceiling was lowered by ${db(v.loweredDb)}, so that the lossy copy stays below full scale.`,
      `손실 압축본이 풀스케일을 넘지 않도록 상한을 ${db(v.loweredDb)} 낮췄어요.`,
    ),
  CANDIDATE_CHOSEN: (v) => {
    const name = candidateNames[String(v.candidate)] ?? both('the best', '가장 나은 것')
    return both(
      `${v.of ?? 'Several'} recipes were tried on the loudest and the quietest passage; ${name.en} measured best.`,
      `가장 큰 부분과 가장 조용한 부분에 레시피 ${v.of ?? '여러'}개를 시험했고, ${name.ko} 쪽이 가장 좋았어요.`,
    )
  },
}

const candidateNames: Readonly<Record<string, Bilingual>> = {
  as_asked: both('the one asked for', '요청한 그대로'),
  gentler: both('a gentler one', '더 부드러운'),
  firmer: both('a firmer one', '더 강한'),
  repairs_only: both('repairs alone', '복원만 하는'),
}
