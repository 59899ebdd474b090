/** The blind (ABX) test: trials are drawn in advance, and the score includes the probability of guessing it. */

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

export type Side = 'a' | 'b' | 'x'
const SIDES: readonly Side[] = ['a', 'b', 'x']
/** Playing time that counts a side as heard, s. */
const HEARD_SECONDS = 1

/** A blind test under way: the pair compared, the identity of X and the answers. */
export interface BlindTest {
  /** Tracks: versions as uploaded, or their last played copies. */
  readonly a: string
  readonly b: string
  readonly truth: AbxAnswer
  readonly heard: Side
  /** Sides played for long enough: A and B in this test, X in this trial. */
  readonly known: readonly Side[]
  readonly trials: readonly AbxTrial[]
  readonly isOver: boolean
}

/** Returns whether X of the trial can be answered: A, B and X were heard. */
export const canAnswer = ({ known }: Pick<BlindTest, 'known'>): boolean => SIDES.every((side) => known.includes(side))

export interface BlindTestingDeps {
  readonly test: () => BlindTest | null
  readonly change: (test: BlindTest | null) => void
  /** A fair coin: decides whether X is A. */
  readonly tossCoin: () => boolean
}

/** The actions of a blind test. */
export class BlindTesting {
  readonly #deps: BlindTestingDeps
  /** Playing time of each side, s. */
  readonly #sounded = { a: 0, b: 0, x: 0 }

  constructor(deps: BlindTestingDeps) {
    this.#deps = deps
  }

  start(a: string, b: string): void {
    for (const side of SIDES) this.#sounded[side] = 0
    this.#deps.change({ a, b, truth: this.#truth(), heard: 'x', known: [], trials: [], isOver: false })
  }

  hear(heard: Side): void {
    const test = this.#deps.test()
    if (test && !test.isOver) this.#deps.change({ ...test, heard })
  }

  /** Accepts an answer once A, B and X were heard. */
  answer(answer: AbxAnswer): void {
    const test = this.#deps.test()
    if (!test || test.isOver || !canAnswer(test)) return
    const trials = [...test.trials, { truth: test.truth, answer }]
    this.#sounded.x = 0
    this.#deps.change({ ...test, trials, truth: this.#truth(), heard: 'x', known: ['a', 'b'] })
  }

  /** Ends the trials and shows their score. */
  readonly finish = (): void => {
    const test = this.#deps.test()
    if (test) this.#deps.change({ ...test, isOver: true })
  }

  leave(): void {
    this.#deps.change(null)
  }

  /** Adds playing time to the current side. */
  count(seconds: number): void {
    const test = this.#deps.test()
    // A seek does not count as listening.
    if (!test || test.isOver || seconds <= 0 || seconds > HEARD_SECONDS / 2) return
    const { heard, known } = test
    this.#sounded[heard] += seconds
    if (this.#sounded[heard] >= HEARD_SECONDS && !known.includes(heard))
      this.#deps.change({ ...test, known: [...known, heard] })
  }

  #truth(): AbxAnswer {
    return this.#deps.tossCoin() ? 'a' : 'b'
  }
}
