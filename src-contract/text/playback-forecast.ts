/** Sentences of the forecast of playback, in both languages. */
import type { PlaybackMode } from '../platforms/platform.ts'
import { type PlaybackForecast, serviceFacts } from '../playback-forecast.ts'
import type { Language, LocalizedText } from './language.ts'
import { change } from './numbers.ts'

export const MODE_WORDS: Readonly<Record<PlaybackMode, LocalizedText>> = {
  standard: { en: 'usual setting', ko: '기본 설정' },
  loud: { en: 'Loud', ko: '크게' },
  quiet: { en: 'Quiet', ko: '조용히' },
  off: { en: 'without normalisation', ko: '음량 맞춤 끔' },
  web_player: { en: 'web player', ko: '웹 플레이어' },
}

export const CONFIDENCE_WORDS: Readonly<Record<PlaybackForecast['confidence'], LocalizedText>> = {
  published: { en: 'published', ko: '공식 발표' },
  measured_by_others: { en: 'measured by others', ko: '외부 측정' },
  low_trust: { en: 'one source, low trust', ko: '출처 하나, 신뢰 낮음' },
  sources_disagree: { en: 'sources disagree', ko: '출처마다 다름' },
  nothing_published: { en: 'nothing is published', ko: '공개된 기준 없음' },
}

/** Returns what a service does to a track, as one line. */
export function forecastText(forecast: PlaybackForecast, language: Language): string {
  const { service, mode, action, gain_db: gainDb, limiter, confidence } = forecast
  const place = mode === 'standard' ? '' : ` (${MODE_WORDS[mode][language]})`
  const gain = `${change(gainDb)} dB`
  const says = {
    en: {
      turn_down: `turned down, ${gain}`,
      turn_up: `turned up, ${gain}`,
      leave: 'left as it is',
      unknown: 'unknown',
    },
    ko: { turn_down: `작게 재생, ${gain}`, turn_up: `크게 재생, ${gain}`, leave: '그대로 재생', unknown: '알 수 없음' },
  }[language][action]
  const limited = limiter ? { en: ', with a limiter', ko: ', 리미터 작동' }[language] : ''
  return `${serviceFacts(service).name[language]}${place}: ${says}${limited} (${CONFIDENCE_WORDS[confidence][language]})`
}
