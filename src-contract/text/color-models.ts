/** Colour models of pictures in words. */
import type { ColorModel, CoverChange } from '../covers.ts'
import type { LocalizedText } from './language.ts'

const WORDS: Readonly<Record<ColorModel, LocalizedText>> = {
  rgb: { en: 'RGB', ko: 'RGB' },
  deep_rgb: { en: 'RGB with more than 8 bits for each channel', ko: '채널당 8비트를 넘는 RGB' },
  greyscale: { en: 'greyscale', ko: '그레이스케일' },
  cmyk: { en: 'CMYK', ko: 'CMYK' },
  lab: { en: 'Lab', ko: 'Lab' },
  other: { en: 'of unknown colours', ko: '알 수 없는 색상 모드' },
}

/** Returns a colour model as a sentence calls it: “The cover is …”. */
export function colorModelWords(model: unknown): LocalizedText {
  return WORDS[model as ColorModel] ?? WORDS.other
}

/** Changes of a cover, in words for its owner. */
export const COVER_CHANGE_WORDS: Readonly<Record<CoverChange, LocalizedText>> = {
  colors: { en: 'Its colours were converted to sRGB.', ko: '색상을 sRGB로 바꿨어요.' },
  assumed_srgb: {
    en: 'It has no colour profile, and was taken as sRGB.',
    ko: '색상 프로파일이 없어서 sRGB로 보았어요.',
  },
  assumed_inks: {
    en: 'It has no colour profile of its inks, so its colours are approximate.',
    ko: '잉크의 색상 프로파일이 없어서 색상이 정확하지 않을 수 있어요.',
  },
  turned: { en: 'It was turned as its camera says.', ko: '카메라가 기록한 방향대로 돌렸어요.' },
  flattened: { en: 'Its transparent parts were put on white.', ko: '투명한 부분을 흰색으로 채웠어요.' },
  resized: { en: 'It was made smaller.', ko: '크기를 줄였어요.' },
  jpeg: { en: 'It was coded as JPEG.', ko: 'JPEG로 바꿨어요.' },
  private_data: {
    en: 'Location, camera and other private data were removed.',
    ko: '위치, 카메라 등 개인 정보를 지웠어요.',
  },
}
