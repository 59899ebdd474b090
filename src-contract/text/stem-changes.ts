/** Settings of a song's stems in a sentence: "Vocals: +2.0 dB, sibilance; Drums: left out. Voice 1.5 dB forward." */
import type { RepairKind } from '../repair-kinds.ts'
import type { StemsUsed } from '../report.ts'
import { withoutAnyExtension, withoutSongExtension } from '../song-files.ts'
import { LANGUAGES, type LocalizedText } from './language.ts'
import { change, decibels } from './numbers.ts'
import { both } from './sentence.ts'
import { likenessSentence } from './stem-likeness.ts'

type Changed = NonNullable<StemsUsed['changed']>[number]

/** Repairs as parts of a list. */
const REPAIRS: Readonly<Record<RepairKind, LocalizedText>> = {
  dc_offset: both('offset removed', 'DC 오프셋 제거'),
  rumble: both('rumble removed', '초저역 잡음 제거'),
  clipping: both('clipped peaks rebuilt', '잘린 피크 복원'),
  clicks: both('clicks mended', '클릭음 복원'),
  whistle: both('whistle removed', '가는 고음 제거'),
  flutter: both('flutter evened out', '음량 떨림 안정'),
  mud: both('mud cut', '뭉침 줄임'),
  resonance: both('resonance held back', '공진 억제'),
  sibilance: both('de-essed', '치찰음 완화'),
  mono_bass: both('bass centred', '저역 모노'),
}

const RESTORED = both('What they lack is restored from the mix.', '스템에 없는 소리를 믹스에서 되살림.')

const db = (name: LocalizedText) => (value: number) =>
  both(`${name.en}${change(value)} dB`, `${name.ko}${change(value)} dB`)

/** Words of the settings of a stem, in the order in which they are told. */
const SETTINGS = {
  gain_db: db(both('', '')),
  pan_percent: (value: number) =>
    value < 0
      ? both(`${-value} % to the left`, `왼쪽 ${-value} %`)
      : both(`${value} % to the right`, `오른쪽 ${value} %`),
  low_cut_hz: (value: number) => both(`low cut at ${value} Hz`, `로컷 ${value} Hz`),
  tilt_db: db(both('tilt ', '틸트 ')),
  bass_db: db(both('bass ', '저음 ')),
  presence_db: db(both('presence ', '존재감 ')),
  air_db: db(both('air ', '공기감 ')),
  width_percent: (value: number) => both(`width ${value} %`, `폭 ${value} %`),
  punch: (value: number) => both(`punch ${change(value)}`, `어택 ${change(value)}`),
  warmth: (value: number) => both(`warmth ${value} %`, `온기 ${value} %`),
} as const satisfies Partial<Record<keyof Changed, (value: number) => LocalizedText>>

/** Returns the sentence about changed stems; undefined for the plain sum. Never throws. */
export function stemChanges(used: StemsUsed): LocalizedText | undefined {
  const { changed = [], voice_forward_db: forwardDb = 0, restore_missing: isRestored = false, rest } = used
  const hasSolo = changed.some(({ solo }) => solo)
  const told = changed.flatMap((stem) => {
    const parts = partsOf(stem, hasSolo)
    return parts.length === 0 ? [] : [{ name: withoutSongExtension(withoutAnyExtension(stem.filename)), parts }]
  })
  if (told.length === 0 && forwardDb === 0 && !isRestored && !rest) return undefined
  const amount = decibels(Math.abs(forwardDb), 1)
  const forward =
    forwardDb === 0
      ? undefined
      : forwardDb > 0
        ? both(`Voice ${amount} dB forward.`, `보컬을 ${amount} dB 앞으로.`)
        : both(`Voice ${amount} dB back.`, `보컬을 ${amount} dB 뒤로.`)
  const say = (language: (typeof LANGUAGES)[number]) => {
    const stems = told.map(({ name, parts }) => `${name}: ${parts.map((part) => part[language]).join(', ')}`).join('; ')
    const sentences = [
      ...(rest ? [likenessSentence(rest)] : []),
      ...(forward ? [forward] : []),
      ...(isRestored ? [RESTORED] : []),
    ]
    return [...(stems === '' ? [] : [`${stems}.`]), ...sentences.map((sentence) => sentence[language])].join(' ')
  }
  return Object.fromEntries(LANGUAGES.map((language) => [language, say(language)])) as LocalizedText
}

function partsOf(stem: Changed, hasSolo: boolean): LocalizedText[] {
  if (stem.mute || (hasSolo && !stem.solo)) return [both('left out', '제외')]
  const settings = Object.entries(SETTINGS).flatMap(([name, words]) => {
    const value = stem[name as keyof typeof SETTINGS]
    return value === undefined ? [] : [words(value)]
  })
  const repairs = new Set(stem.made.map(({ kind }) => kind))
  return [...(stem.solo ? [both('alone', '단독')] : []), ...settings, ...[...repairs].map((kind) => REPAIRS[kind])]
}
