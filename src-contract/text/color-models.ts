/** Colour models of pictures in words. */
import type { ColorModel } from '../covers.ts'

interface Words {
  readonly en: string
  readonly ko: string
}

const WORDS: Readonly<Record<ColorModel, Words>> = {
  rgb: { en: 'RGB', ko: 'RGB' },
  deep_rgb: { en: 'RGB with more than 8 bits for each channel', ko: '채널당 8비트를 넘는 RGB' },
  greyscale: { en: 'greyscale', ko: '그레이스케일' },
  cmyk: { en: 'CMYK', ko: 'CMYK' },
  lab: { en: 'Lab', ko: 'Lab' },
  other: { en: 'of unknown colours', ko: '알 수 없는 색상 모드' },
}

/** Returns a colour model as a sentence calls it: “The cover is …”. */
export function colorModelWords(model: unknown): Words {
  return WORDS[model as ColorModel] ?? WORDS.other
}
