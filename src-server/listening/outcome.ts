/** Outcome of a listening test: the choices, and their significance. Pure. */
import type { ListeningTest } from '../../src-contract/listening-tests.ts'
import type { Language } from '../../src-contract/text/language.ts'
import type { KeptResult, KeptTest } from './store.ts'

/** Returns a test with its results as the API shows it. */
export function outcomeOf(test: KeptTest, results: readonly KeptResult[], language: Language): ListeningTest {
  const trials = results.flatMap((result) => result.trials)
  const versions = test.versions.map(({ token, ...version }) => ({
    ...version,
    chosen: trials.filter((trial) => (test.kind === 'abx' ? false : trial.answer === token)).length,
    compared: trials.filter(({ a, b }) => a === token || b === token).length,
  }))
  const correctIn = (some: readonly (typeof trials)[number][]) => some.filter(({ x, answer }) => answer === x).length
  const abx =
    test.kind === 'abx' ? { correct: correctIn(trials), p_value: chanceOf(correctIn(trials), trials.length) } : {}
  return {
    test_id: test.testId,
    title: test.title,
    kind: test.kind,
    created_at: new Date(test.createdAtMs).toISOString(),
    versions,
    results: results.map((result) => ({
      result_id: result.resultId,
      voter: result.voter,
      received_at: new Date(result.receivedAtMs).toISOString(),
      trials: result.trials.length,
      ...(test.kind === 'abx' ? { correct: correctIn(result.trials) } : {}),
    })),
    ...abx,
    summary: summaryOf(trials.length, versions, abx, language),
  }
}

/** Chance of at least `correct` hits in `trials` by guessing: one-sided binomial with p = 1/2; 1 without trials. */
export function chanceOf(correct: number, trials: number): number {
  let chance = 0
  let ways = 1
  for (let hits = 0; hits <= trials; hits++) {
    if (hits >= correct) chance += ways / 2 ** trials
    ways = (ways * (trials - hits)) / (hits + 1)
  }
  return chance
}

/** Probability below which two sounds count as distinguished: common practice. */
const CONVINCING = 0.05

function summaryOf(
  trials: number,
  versions: ListeningTest['versions'],
  { correct, p_value = 1 }: Pick<ListeningTest, 'correct' | 'p_value'>,
  language: Language,
): string {
  const isKorean = language === 'ko'
  if (trials === 0) return isKorean ? '아직 결과가 없어요.' : 'No result yet.'
  if (correct !== undefined) {
    const isHeard = p_value < CONVINCING
    if (isKorean) return `${trials}번 중 ${correct}번 맞혔어요. 차이가 ${isHeard ? '들려요' : '들린다고 할 수 없어요'}.`
    return `X was found in ${correct} of ${trials}: the difference ${isHeard ? 'is heard' : 'is not shown to be heard'}.`
  }
  const best = versions.reduce((most, one) => (one.chosen > most.chosen ? one : most))
  const isTie = versions.filter(({ chosen }) => chosen === best.chosen).length > 1
  if (isTie)
    return isKorean
      ? `${trials}번 비교했고 더 고른 쪽이 없어요.`
      : `No version was chosen more often in ${trials} comparisons.`
  return isKorean
    ? `${best.compared}번 중 ${best.chosen}번 ${best.name}을(를) 골랐어요.`
    : `${best.chosen} of ${best.compared} chose ${best.name}.`
}
