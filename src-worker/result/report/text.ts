/** The words of report.html in both languages. Sentences of warnings are the contract's. */

import { type Platform, platformFacts } from '../../../src-contract/platforms/index.ts'
import type { Confidence } from '../../../src-contract/platforms/platform.ts'
import type { MasterResult, Repair } from '../../../src-contract/report.ts'
import {
  type AiService,
  EDGE_NAMES,
  type EdgeName,
  type JobSettings,
  type LoudnessMode,
  SETTINGS,
  type SteeringName,
  type Style,
  type Tier,
} from '../../../src-contract/settings.ts'
import type { LocalizedText } from '../../../src-contract/text/language.ts'
import { change, count, decibels, frequency } from '../../../src-contract/text/numbers.ts'
import { repairAmount, worksBelow } from '../../../src-contract/text/repairs.ts'
import { both } from '../../../src-contract/text/sentence.ts'
import { fadeShapes, repairNames, settingLabels } from '../../../src-contract/text/setting-words.ts'

const same = (text: string): LocalizedText => ({ en: text, ko: text })

/** Returns the names of platforms, separated by commas. */
export function platformNames(platforms: readonly Platform[]): LocalizedText {
  const names = platforms.map((platform) => platformFacts(platform).name)
  return both(names.map(({ en }) => en).join(', '), names.map(({ ko }) => ko).join(', '))
}

export const serviceNames: Record<AiService, LocalizedText> = {
  suno: same('Suno'),
  udio: same('Udio'),
  elevenlabs: same('ElevenLabs'),
  other: both('other AI service', '기타 AI 서비스'),
}

export const tierNames: Record<Tier, LocalizedText> = {
  standard: both('standard', '스탠더드'),
  premium: both('premium', '프리미엄'),
}

export const loudnessNames: Record<LoudnessMode, LocalizedText> = {
  platform: both('loudness of the platform', '플랫폼 기준 음량'),
  competitive: both('loudness of the genre', '장르 기준 음량'),
}

export const confidenceNames: Record<Confidence, LocalizedText> = {
  published: both('published', '공식 발표'),
  common_practice: both('common practice', '업계 관행'),
  our_recommendation: both('our recommendation', '자체 권장'),
  requested: both('your own', '직접 지정'),
}

export const words = {
  original: both('Original', '원본'),
  master: both('Master', '마스터'),
  target: both('Target', '목표'),
  ceiling: both('ceiling', '피크 한도'),
  reduction: both('Gain reduction', '게인 리덕션'),
  reductionLane: both('Reduction', '리덕션'),
  masters: both('Masters', '마스터'),
  measured: both('Measured on the written files', '저장된 파일에서 측정'),
  platform: both('Platform', '플랫폼'),
  verdict: both('Verdict', '판정'),
  loudness: both('Loudness', '음량'),
  truePeak: both('True peak', '트루 피크'),
  gain: both('Gain', '게인'),
  range: both('Range', '음량 범위'),
  plr: both('Peak to loudness', '피크 대 음량'),
  limiting: both('Limiting', '리미팅'),
  playback: both('On playback', '재생할 때'),
  file: both('File', '파일'),
  onTarget: both('On target', '목표 도달'),
  belowTarget: both('Below target', '목표 미달'),
  notes: both('Worth knowing', '알아 둘 점'),
  plots: both('Before and after', '처리 전과 후'),
  peak: both('Peak', '피크'),
  correlation: both('Stereo', '스테레오'),
  done: both('What was done, and why', '한 일과 이유'),
  repairs: both('Repaired', '복원'),
  onlyFound: both('only what was found', '발견된 것만'),
  nothingRepaired: both('No damage was found.', '손상된 곳은 없었어요.'),
  suggested: both('Suggested', '제안'),
  forecast: both('Where it plays', '서비스별 재생'),
  notApplied: both(
    'by the analysis of the song; nothing of it is applied by itself',
    '곡을 분석한 결과예요. 저절로 적용되지는 않아요',
  ),
  codecs: both('After lossy encoding', '손실 압축 뒤'),
  copies: both(
    'copies like those of the services; above 0 dBTP they may clip',
    '서비스에서 쓰는 것과 비슷한 압축본, 0 dBTP를 넘으면 클리핑될 수 있음',
  ),
  codec: both('Codec', '코덱'),
  lowered: both('Ceiling lowered', '낮춘 피크 한도'),
  details: both('Details', '세부 정보'),
  reference: both('Reference', '레퍼런스'),
  settings: both('Settings', '설정'),
  formats: both('Further files', '추가 파일'),
  intensity: both('Intensity', '강도'),
  steering: both('Sound', '소리'),
  atCost: both('On target, at a cost', '목표 도달, 손실 있음'),
  referenceAmount: both('Reference amount', '레퍼런스 반영'),
  referenceLoudness: both('loudness too', '음량까지'),
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
  spectrumLabel: both('Level', '레벨'),
  tilt: both(
    'Third octaves with a slope of 4.5 dB per octave, aligned at the level that most bands share.',
    '1/3옥타브 대역을 옥타브당 4.5 dB 기울기로 표시하고, 대부분의 대역이 겹치도록 레벨을 맞춰 비교했어요.',
  ),
  tooShort: both('The song is too short for a curve of its loudness.', '곡이 짧아서 음량 곡선을 그릴 수 없어요.'),
  oneChannel: both('Only one channel contains sound.', '한쪽 채널만 소리가 나요.'),
  ofTheSides: both(
    'The sides are compared, because left and right cancel in the middle.',
    '가운데에서 좌우가 서로 상쇄되어 사이드를 비교했어요.',
  ),
  made: both(
    'Every figure was measured on the written file according to ITU-R BS.1770-5, EBU Tech 3341 and Tech 3342.',
    '모든 수치는 저장된 파일을 ITU-R BS.1770-5, EBU Tech 3341, Tech 3342에 따라 측정한 값이에요.',
  ),
} satisfies Record<string, LocalizedText>

const styleNames: Record<Style, LocalizedText> = {
  clean: both('clean', '깨끗하게'),
  warm: both('warm', '따뜻하게'),
  punchy: both('punchy', '힘 있게'),
  bright: both('bright', '밝게'),
  open: both('open', '넓게'),
}

/** Returns a setting of the sound with its value: `Tilt +1.0 dB`. */
export function steeringText(name: SteeringName | EdgeName, settings: JobSettings): LocalizedText {
  const value = isEdge(name) ? edgeValue(name, settings) : steeringValue(name, settings)
  const { en, ko } = settingLabels[name]
  return both(`${en} ${value.en}`, `${ko} ${value.ko}`)
}

const isEdge = (name: SteeringName | EdgeName): name is EdgeName => EDGE_NAMES.some((edge) => edge === name)

function edgeValue(name: EdgeName, settings: JobSettings): LocalizedText {
  if (name === 'fade_in_shape' || name === 'fade_out_shape') return fadeShapes[settings[name]]
  return both(`${settings[name]} s`, `${settings[name]}초`)
}

function steeringValue(name: SteeringName, settings: JobSettings): LocalizedText {
  const setting = SETTINGS[name]
  const value = settings[name]
  switch (setting.kind) {
    case 'choice':
      return styleNames[settings.style]
    case 'words': {
      const names = settings.skip_repairs.map((kind) => repairNames[kind])
      return both(names.map(({ en }) => en).join(', '), names.map(({ ko }) => ko).join(', '))
    }
    case 'optional_decimal':
      return same(`${decibels(Number(value), 1)} LUFS`)
    case 'decimal':
      return same(`${change(Number(value))} dB`)
    case 'amount':
      // A bipolar setting is no percentage.
      return same(setting.minimum < 0 ? change(Number(value), 0) : `${value} %`)
  }
}

const channelNames: Record<NonNullable<Repair['channel']>, LocalizedText> = {
  mid: both('mid', '미드'),
  side: both('sides', '사이드'),
  left: both('left', '왼쪽'),
  right: both('right', '오른쪽'),
  both: both('both channels', '양쪽 채널'),
}

/** Formats a moment in UTC, independent of the reader's time zone: "22 November 2026, 09:38 UTC". */
export function momentText(iso: string): LocalizedText {
  const moment = new Date(iso)
  const day = (locale: string) => moment.toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const time = moment.toISOString().slice(11, 16)
  return both(`${day('en-GB')}, ${time} UTC`, `${day('ko-KR')} ${time} UTC`)
}

/** Returns place and amount of a repair: "6.4 kHz, sides, −3.1 dB". Missing parts are left out. */
export function repairDetail(repair: Repair): LocalizedText {
  const places =
    repair.count === undefined
      ? undefined
      : both(`${count(repair.count)} ${repair.count === 1 ? 'place' : 'places'}`, `${count(repair.count)}곳`)
  const placeAt = (hz: string) => (worksBelow(repair) ? both(`below ${hz}`, `${hz} 아래`) : same(hz))
  const amount = repairAmount(repair)
  return listed([
    repair.frequency_hz === undefined ? undefined : placeAt(frequency(repair.frequency_hz)),
    repair.channel && channelNames[repair.channel],
    repair.kind === 'mono_bass' ? both('made mono', '모노화') : undefined,
    places,
    amount === undefined ? undefined : same(amount),
  ])
}

function listed(parts: readonly (LocalizedText | undefined)[]): LocalizedText {
  const present = parts.filter((part) => part !== undefined)
  return both(present.map((part) => part.en).join(', '), present.map((part) => part.ko).join(', '))
}

/** Returns the platforms that share the identical file; undefined if there are none. */
export function sameFileText({
  same_bytes_as: others,
}: Pick<MasterResult, 'same_bytes_as'>): LocalizedText | undefined {
  if (!others) return undefined
  const names = platformNames(others)
  return both(`the same file as for ${names.en}`, `같은 파일: ${names.ko}`)
}

/** Describes what the service will do to the master, in a musician's words. */
export function playbackText({ platform, playback }: Pick<MasterResult, 'platform' | 'playback'>): LocalizedText {
  const amount = decibels(Math.abs(playback.gain_db), 1)
  const { name } = platformFacts(platform)
  switch (playback.action) {
    case 'turn_down':
      return both(`${name.en} turns it down ${amount} dB`, `${name.ko}에서 ${amount} dB 낮춰 재생해요`)
    case 'turn_up':
      return both(`${name.en} turns it up ${amount} dB`, `${name.ko}에서 ${amount} dB 높여 재생해요`)
    case 'leave':
      return both('plays as is', '그대로 재생해요')
    case 'unknown':
      return both('no change known', '알려진 변화 없음')
  }
}

/** Returns why a master stops below its target. */
export function verdictReason(reason: string | undefined): LocalizedText | undefined {
  if (reason === 'gain_reduction') {
    return both('more loudness would need too much limiting', '더 올리면 리미팅이 과해져요')
  }
  if (reason === 'dynamics_lost')
    return both('more loudness would cost too much dynamics', '더 올리면 다이내믹이 너무 줄어요')
  if (reason === 'silent') return both('the song is silent', '무음이에요')
  return undefined
}
