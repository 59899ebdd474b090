/**
 * Suggestion for an analysed song: settings that bring figures outside the range of released music to its edge, a genre, a loudness, and
 * cures for faults in its course, each with its reason. Pure: the same input gives the same suggestion.
 */
import type { JobSettings } from '../../src-contract/settings.ts'
import type { LoudnessPrice, SuggestionProposal, SuggestionReason } from '../../src-contract/suggestion.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { rounded } from '../dsp/units.ts'
import { breaksOff } from '../plan.ts'
import { courseReasons } from './course.ts'
import { type GenreTexts, genreReason } from './genre.ts'
import { rangeSuggestion } from './range.ts'

export interface SuggestionInput {
  readonly analysis: SourceAnalysis
  readonly texts: GenreTexts
  /** Playback level of the services, LUFS, and the level of a master for all services that keeps the song's loudness. */
  readonly playedLufs: number
  readonly songLevelLufs: number
  readonly price?: LoudnessPrice | undefined
  /** Part of the file after the analysed song that is already cut off, s. */
  readonly trimmedSeconds?: number
}

/** Part of a suggestion. */
export interface Suggested {
  readonly settings: Partial<JobSettings>
  readonly reasons: readonly SuggestionReason[]
}

/** Fade for a song that ends abruptly or collapses, s. */
const fadeSeconds = 3
/** Least excess of a song's level over the services' that is worth reporting, LU. */
const louderLu = 0.5

/** Returns the suggestion for a song; silence has none. Never throws. */
export function suggest(input: SuggestionInput): SuggestionProposal | undefined {
  const { analysis, texts, price } = input
  if (analysis.isSilent || analysis.integratedLufs === null) return undefined
  const genre = genreReason(texts)
  const parts: Suggested[] = [
    rangeSuggestion(analysis),
    genre ? { settings: { genre: genre.values.genre as JobSettings['genre'] }, reasons: [genre] } : nothing,
    loudnessSuggestion(input),
    courseSuggestion(input),
  ]
  return {
    settings: Object.assign({}, ...parts.map(({ settings }) => settings)),
    reasons: parts.flatMap(({ reasons }) => reasons.map(({ code, values }) => ({ code, values: { ...values } }))),
    ...(price ? { price } : {}),
  }
}

const nothing: Suggested = { settings: {}, reasons: [] }

/**
 * A song that is louder than the services play keeps its level in the master for all services. A target is suggested only below their
 * level, if reaching it costs too much: above it, a service would turn the loudness down again.
 */
function loudnessSuggestion({ analysis, playedLufs, songLevelLufs, price }: SuggestionInput): Suggested {
  const isLouder = analysis.integratedLufs! >= playedLufs + louderLu && songLevelLufs > playedLufs
  const louder: Suggested = isLouder
    ? {
        settings: { release_master: true, release_level: 'song' },
        reasons: [
          { code: 'LOUDER_THAN_PLAYED', values: { played_lufs: playedLufs, release_lufs: rounded(songLevelLufs) } },
        ],
      }
    : nothing
  const loudest = price?.targets.find(({ target_lufs }) => target_lufs === price.loudest_lufs)
  if (!loudest) return louder
  const isTooLoud = loudest.target_lufs < playedLufs
  const values = {
    target_lufs: loudest.target_lufs,
    reduction_db: rounded(loudest.mean_gain_reduction_db),
    plr_db: rounded(loudest.plr_db),
  }
  const reason: SuggestionReason = isTooLoud
    ? { code: 'TARGET_TOO_LOUD', values: { ...values, played_lufs: playedLufs } }
    : { code: 'LOUDEST_TARGET', values }
  return {
    settings: { ...louder.settings, ...(isTooLoud ? { target_lufs: loudest.target_lufs } : {}) },
    reasons: [...louder.reasons, reason],
  }
}

/** No setting cures drifts, treble and jumps, so their cure is described; the end has trims and fades. */
function courseSuggestion({ analysis, trimmedSeconds = 0 }: SuggestionInput): Suggested {
  const reasons = courseReasons(analysis)
  const { durationSeconds, trailingSilenceSeconds } = analysis
  const collapse = reasons.find(({ code }) => code === 'COLLAPSES_LATE')
  if (collapse) {
    const trim = rounded(trimmedSeconds + durationSeconds - Number(collapse.values.at_seconds))
    return { settings: { trim_end_seconds: trim, fade_out_seconds: fadeSeconds }, reasons }
  }
  if (!breaksOff(analysis)) return { settings: {}, reasons }
  const at = rounded(durationSeconds - trailingSilenceSeconds)
  return {
    settings: { fade_out_seconds: fadeSeconds },
    reasons: [...reasons, { code: 'ENDS_ABRUPTLY', values: { at_seconds: at, fade_seconds: fadeSeconds } }],
  }
}
