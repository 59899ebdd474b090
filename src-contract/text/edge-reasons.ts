/** Reasons of proposed trims, in both languages. */
import type { EdgeProposal, ProposedEdges } from '../edge-proposals.ts'
import type { Language } from './language.ts'

/** Returns a reason as a sentence: `3.3 s of silence at the end; 1 s stays.` */
export function edgeReasonText(
  { code, silence_seconds: found, kept_seconds: kept }: EdgeProposal['reasons'][number],
  language: Language,
): string {
  const isStart = code === 'SILENCE_AT_START'
  const sentences: Record<Language, string> = {
    en: `${found} s of silence at the ${isStart ? 'start' : 'end'}; ${kept} s stays.`,
    ko: `${isStart ? '처음' : '끝'}에 무음 ${found}초가 있어요. ${kept}초만 남겨요.`,
  }
  return sentences[language]
}

/** Returns proposed trims with the sentences of their reasons. */
export function proposedEdgesIn(proposal: EdgeProposal, language: Language): ProposedEdges {
  const { trim_start_seconds, trim_end_seconds } = proposal
  const reasons = proposal.reasons.map(({ code, silence_seconds, kept_seconds }) => {
    const reason = { code, silence_seconds, kept_seconds }
    return { ...reason, message: edgeReasonText(reason, language) }
  })
  return {
    ...(trim_start_seconds === undefined ? {} : { trim_start_seconds }),
    ...(trim_end_seconds === undefined ? {} : { trim_end_seconds }),
    reasons,
  }
}
