/** The rest of a song's stereo mix after its stems are subtracted, in a sentence: "The stems are the song: the rest is 71 dB below it." */
import { isOfSong } from '../stem-likeness.ts'
import type { StemRest } from '../stem-mix-schemas.ts'
import type { LocalizedText } from './language.ts'
import { decibels } from './numbers.ts'
import { both } from './sentence.ts'

/** Level of the rest up to which it is inaudible, dB. */
const SAME_DB = -40

/** Returns the sentence. Never throws. */
export function likenessSentence({ residual_db: residualDb, bands }: StemRest): LocalizedText {
  const db = decibels(-residualDb, 0)
  if (!isOfSong({ residual_db: residualDb }))
    return both(
      'The stems are not of this mix: hardly any of it is in them.',
      '이 믹스의 스템이 아니에요. 믹스의 소리가 스템에 거의 없어요.',
    )
  if (residualDb <= SAME_DB)
    return both(
      `The stems are the song: the rest is ${db} dB below it.`,
      `스템을 더하면 이 곡이에요. 나머지는 ${db} dB 아래예요.`,
    )
  const percent = Math.max(1, Math.round(100 * 10 ** (residualDb / 20)))
  const known = bands.filter((band) => band.residual_db !== null)
  const { low_hz: lowHz, high_hz: highHz } = known.reduce(
    (most, band) => (band.residual_db! > most.residual_db! ? band : most),
    known[0]!,
  )
  const [en, ko] = [`${hertz(lowHz)} to ${hertz(highHz)}`, `${hertz(lowHz)}~${hertz(highHz)}`]
  return both(
    `The stems lack ${percent} % of the song (−${db} dB), most at ${en}.`,
    `스템에는 곡의 ${percent} %가 없어요(−${db} dB). ${ko}에서 가장 많이 빠져요.`,
  )
}

const hertz = (hz: number) => (hz < 1000 ? `${hz} Hz` : `${hz / 1000} kHz`)
