/** Words of the settings: their labels on the page and in the report, and the hints of their controls. */

import type { FadeShape } from '../edges.ts'
import type { RepairKind } from '../repair-kinds.ts'
import type { EdgeName, Genre, MasterSettings, SettingName, SteeringName } from '../settings.ts'
import type { LocalizedText } from './language.ts'
import { both } from './sentence.ts'

/** A setting that is a number: its control is a fader. */
export type NumberName = Exclude<
  { [Name in SettingName]: MasterSettings[Name] extends number ? Name : never }[SettingName],
  EdgeName
>

/** Labels of the settings for the sound and the edges. */
export const settingLabels: Readonly<Record<SteeringName | EdgeName, LocalizedText>> = {
  style: both('Style', '스타일'),
  tilt_db: both('Tilt', '틸트'),
  bass_db: both('Low end', '저음'),
  presence_db: both('Presence', '프레즌스'),
  air_db: both('Air', '에어'),
  width_percent: both('Width', '스테레오 폭'),
  highs_side_db: both('Sides above 6 kHz', '6 kHz 위 사이드'),
  punch: both('Punch', '펀치'),
  warmth: both('Warmth', '따뜻함'),
  density: both('Density', '밀도'),
  tone_amount: both('Planned tone', '음색 보정 반영'),
  dynamics_amount: both('Planned dynamics', '다이내믹 보정 반영'),
  image_amount: both('Planned width', '스테레오 보정 반영'),
  skip_repairs: both('Not repaired', '복원하지 않음'),
  target_lufs: both('Own target', '직접 정한 음량'),
  trim_start_seconds: both('Cut from the start', '처음에서 자르기'),
  trim_end_seconds: both('Cut from the end', '끝에서 자르기'),
  fade_in_seconds: both('Fade in', '페이드 인'),
  fade_in_shape: both('Curve of the fade in', '페이드 인 곡선'),
  fade_out_seconds: both('Fade out', '페이드 아웃'),
  fade_out_shape: both('Curve of the fade out', '페이드 아웃 곡선'),
  pad_start_seconds: both('Silence before', '앞 무음'),
  pad_end_seconds: both('Silence after', '뒤 무음'),
}

/** Names of the genres inside a sentence. */
export const genreNames: Readonly<Record<Genre, LocalizedText>> = {
  kpop: both('K-pop', 'K-pop'),
  edm: both('EDM', 'EDM'),
  ballad: both('ballad', '발라드'),
  hiphop: both('hip-hop', '힙합'),
  pop: both('pop', '팝'),
  other: both('other genre', '기타 장르'),
}

/** Names of the faults that are repaired. */
export const repairNames: Readonly<Record<RepairKind, LocalizedText>> = {
  dc_offset: both('DC offset', 'DC 오프셋'),
  rumble: both('Rumble', '초저역 잡음'),
  clipping: both('Clipped peaks', '잘린 피크'),
  clicks: both('Clicks', '클릭음'),
  whistle: both('Whistles', '가는 고음'),
  flutter: both('Flutter', '음량 떨림'),
  mud: both('Mud', '뭉친 중저역'),
  resonance: both('Resonance', '공진'),
  sibilance: both('Sibilance', '치찰음'),
  mono_bass: both('Wide low end', '넓은 저역'),
}

/** Names of the curves of a fade. */
export const fadeShapes: Readonly<Record<FadeShape, LocalizedText>> = {
  linear: both('straight', '직선'),
  equal_power: both('equal power', '등파워'),
  smooth: both('smooth', '부드럽게'),
}

/** Hints of the faders: effect, use and side effects. */
export const faderHints: Readonly<Record<NumberName, LocalizedText>> = {
  intensity: both(
    'How far all corrections go. Lower it for a mix that is nearly finished. High values make songs alike.',
    '모든 보정을 얼마나 할지 정해요. 거의 완성된 믹스라면 낮추세요. 높이면 곡들이 서로 비슷해져요.',
  ),
  reference_amount: both(
    'How far the tone moves toward the reference.',
    '음색을 레퍼런스에 얼마나 가깝게 할지 정해요.',
  ),
  reference_clamp_db: both(
    'How far a band may move toward the reference; the sides by two thirds of it. A wide limit follows the arrangement too.',
    '한 대역을 레퍼런스 쪽으로 바꾸는 한도예요. 사이드는 그 3분의 2까지예요. 한도가 크면 편곡의 차이까지 따라가요.',
  ),
  tilt_db: both(
    'Darker to the left, brighter to the right. For a mix that is dull or sharp as a whole. Far to the right hiss comes up.',
    '왼쪽은 어둡게, 오른쪽은 밝게 기울여요. 전체가 먹먹하거나 날카로울 때 써요. 오른쪽 끝에서는 잡음도 커져요.',
  ),
  bass_db: both(
    'Level below 100 Hz. For more weight, or less boom. More bass leaves less room for loudness.',
    '100 Hz 아래의 세기예요. 무게를 더하거나 웅웅거림을 줄일 때 써요. 저음이 늘면 음량을 올릴 여유가 줄어요.',
  ),
  presence_db: both(
    'Level around 2.8 kHz: voice and attack. For words that are hard to follow. Too much tires the ear.',
    '목소리와 어택이 있는 2.8 kHz 부근의 세기예요. 가사가 잘 안 들릴 때 써요. 지나치면 귀가 피곤해요.',
  ),
  air_db: both(
    'Level above 9 kHz. For openness, or against fizz. Nothing is lifted that an MP3 has cut off.',
    '9 kHz 위의 세기예요. 트인 느낌을 더하거나 지글거림을 줄일 때 써요. MP3가 잘라 낸 대역은 올리지 않아요.',
  ),
  width_percent: both(
    'How far the sides reach, from 120 Hz up. For a mix that is narrow, or too wide. A wide song loses more in mono; it is held before that.',
    '120 Hz 위에서 좌우로 펼치는 정도예요. 너무 좁거나 넓을 때 써요. 넓을수록 모노에서 줄어들어 그 전에 멈춰요.',
  ),
  highs_side_db: both(
    'Level of the sides above 6 kHz. For treble that mono playback loses. Lower sides make the top narrower.',
    '6 kHz 위 사이드의 세기예요. 모노에서 고역이 사라질 때 써요. 낮추면 고역이 좁아져요.',
  ),
  punch: both(
    'To the right attacks stand out, to the left they are glued. For drums that are flat, or jump out. Peaks that stand out are limited more.',
    '오른쪽은 어택을 살리고 왼쪽은 붙여요. 드럼이 밋밋하거나 튈 때 써요. 튀는 피크는 리미터가 더 눌러요.',
  ),
  warmth: both(
    'Soft saturation at equal level. For a thin or glassy mix. A dense mix becomes less clear.',
    '음량은 그대로 두고 부드럽게 포화시켜요. 얇고 차가운 믹스에 써요. 빽빽한 믹스는 덜 또렷해져요.',
  ),
  density: both(
    'Slow compression of the highest peaks. For single accents that tower over the song. A limiter alone mostly costs less.',
    '가장 높은 피크를 천천히 눌러요. 홀로 튀는 악센트가 있을 때 써요. 대개는 리미터만 쓰는 쪽이 소리를 덜 해쳐요.',
  ),
  tone_amount: both(
    'Part of the planned change of tone that is made. Lower it when the mix is meant to sound as it does.',
    '계획한 음색 보정 중 적용할 만큼이에요. 의도한 음색이라면 낮추세요.',
  ),
  dynamics_amount: both(
    'Part of the planned compression that is made. Lower it to keep quiet and loud apart.',
    '계획한 컴프레션 중 적용할 만큼이에요. 큰 소리와 작은 소리의 차이를 지키려면 낮추세요.',
  ),
  image_amount: both(
    'Part of the planned change of width that is made. Lower it when the stereo image is meant.',
    '계획한 스테레오 폭 보정 중 적용할 만큼이에요. 의도한 폭이라면 낮추세요.',
  ),
}

/** Returns the words of a table in one language, by name. */
export function wordsIn<Name extends string>(
  language: keyof LocalizedText,
  words: Readonly<Record<Name, LocalizedText>>,
) {
  return Object.fromEntries(
    Object.entries<LocalizedText>(words).map(([name, text]) => [name, text[language]]),
  ) as Record<Name, string>
}
