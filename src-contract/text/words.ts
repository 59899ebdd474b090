/** Summary of understood words about the sound, in a sentence or two. */
import { type JobSettings, SETTING_NAMES, type SettingName } from '../settings.ts'
import type { Understanding } from '../words/understand.ts'
import type { Language, LocalizedText } from './language.ts'
import { change, decibels } from './numbers.ts'
import { both } from './sentence.ts'
import { settingLabels } from './setting-words.ts'

/** Labels of further settings that words can change. */
const FURTHER_LABELS: Partial<Readonly<Record<'platforms' | SettingName, LocalizedText>>> = {
  platforms: both('Platforms', '플랫폼'),
  genre: both('Genre', '장르'),
  ai_service: both('Made with', '만든 서비스'),
  tier: both('Tier', '등급'),
  intensity: both('Intensity', '처리 강도'),
  loudness: both('Loudness', '음량'),
  formats: both('Formats', '포맷'),
  release_master: both('Master for distributors', '유통용 마스터'),
}

type Sentence = 'unknown' | Understanding['limited'][number]['reason']
const SENTENCES: Readonly<Record<Language, Readonly<Record<Sentence, string>> & { readonly nothing: string }>> = {
  en: {
    nothing: 'Nothing changes.',
    unknown: 'Not understood',
    range: 'At the end of its range',
    contradiction: 'Left out, since what follows says the opposite',
  },
  ko: {
    nothing: '바뀌는 것이 없어요.',
    unknown: '알아듣지 못한 말',
    range: '설정 범위의 끝',
    contradiction: '뒤의 말과 반대라서 뺀 말',
  },
}

const quoted = (words: string) => `“${words}”`

/** Returns a summary of the words understood, not understood, and not followed in full. Never throws. */
export function wordsSummary(
  { settings, unknown, limited }: Omit<Understanding, 'understood'>,
  language: Language,
): string {
  const names = (['platforms', ...SETTING_NAMES] as const).filter((name) => settings[name] !== undefined)
  const changes = names.map((name) => `${labelOf(name, language)} ${shownValue(name, settings[name])}`).join(', ')
  const sentences = SENTENCES[language]
  const told = (sentence: Sentence, all: readonly string[]) =>
    all.length > 0 ? [`${sentences[sentence]}: ${[...new Set(all)].join(', ')}.`] : []
  const limitedBy = (reason: Sentence) => limited.filter((one) => one.reason === reason)
  return [
    changes === '' ? sentences.nothing : `${changes}.`,
    ...told(
      'range',
      limitedBy('range').map(({ setting }) => labelOf(setting, language)),
    ),
    ...told(
      'contradiction',
      limitedBy('contradiction').map(({ words }) => quoted(words)),
    ),
    ...told('unknown', unknown.map(quoted)),
  ].join(' ')
}

function labelOf(name: 'platforms' | SettingName, language: Language): string {
  const labels: Partial<Record<string, LocalizedText>> = { ...settingLabels, ...FURTHER_LABELS }
  return labels[name]?.[language] ?? name
}

function shownValue(name: string, value: JobSettings['platforms' | SettingName] | undefined): string {
  if (typeof value !== 'number') return [value].flat().join(', ')
  if (name.endsWith('_db')) return `${change(value)} dB`
  if (name.endsWith('_lufs')) return `${decibels(value, 1)} LUFS`
  return `${value}${name.endsWith('_seconds') ? ' s' : name.endsWith('_percent') ? ' %' : ''}`
}
