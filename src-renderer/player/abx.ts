/** The blind test: is X the first or the second? Trials are drawn before they are heard; the score says what chance would do. Pure. */

export type AbxAnswer = 'a' | 'b'

export interface AbxTrial {
  readonly truth: AbxAnswer
  readonly answer: AbxAnswer
}

export interface AbxScore {
  readonly correct: number
  readonly total: number
  /** Probability of at least as many correct answers by guessing; 1 before the first answer. */
  readonly chance: number
}

/**
 * Returns the one-sided binomial probability of `correct` or more hits in `total` fair guesses: Σ C(n, k) / 2ⁿ for k ≥ correct.
 * 0 ≤ correct ≤ total ≤ 1000; 1 for no trials. Never throws.
 */
export function chanceOfGuessing(correct: number, total: number): number {
  let term = 0.5 ** total
  let sum = 0
  for (let hits = 0; hits <= total; hits++) {
    if (hits >= correct) sum += term
    term = (term * (total - hits)) / (hits + 1)
  }
  return Math.min(1, sum)
}

/** Returns the score of the answered trials. */
export function scoreOf(trials: readonly AbxTrial[]): AbxScore {
  const correct = trials.filter(({ truth, answer }) => truth === answer).length
  return { correct, total: trials.length, chance: chanceOfGuessing(correct, trials.length) }
}
