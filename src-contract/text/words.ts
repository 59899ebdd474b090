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

const SENTENCES: Readonly<Record<Language, { nothing: string; unknown: (words: string) => string }>> = {
  en: { nothing: 'Nothing changes.', unknown: (words) => `Not understood: ${words}.` },
  ko: { nothing: '바뀌는 것이 없어요.', unknown: (words) => `알아듣지 못한 말: ${words}.` },
}

const quoted = (words: readonly string[]) => words.map((word) => `“${word}”`).join(', ')

/** Returns a summary of the words understood and not understood. Never throws. */
export function wordsSummary(
  { settings, unknown }: Pick<Understanding, 'settings' | 'unknown'>,
  language: Language,
): string {
  const names = (['platforms', ...SETTING_NAMES] as const).filter((name) => settings[name] !== undefined)
  const changes = names.map((name) => `${labelOf(name, language)} ${shownValue(name, settings[name])}`).join(', ')
  const { nothing, unknown: notKnown } = SENTENCES[language]
  return [changes === '' ? nothing : `${changes}.`, ...(unknown.length > 0 ? [notKnown(quoted(unknown))] : [])].join(
    ' ',
  )
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
