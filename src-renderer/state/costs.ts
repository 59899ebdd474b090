/** Compromises of the masters of a job, each sentence once with its platforms. */
import type { Platform } from '../../src-contract/platforms/index.ts'
import type { MasterCost, MasterResult } from '../../src-contract/report.ts'
import { costText } from '../../src-contract/text/costs.ts'
import type { Language } from '../../src-contract/text/language.ts'

export interface SharedCost {
  readonly text: string
  readonly platforms: readonly Platform[]
}

/** A warning of the job covers the overshoot of a lossy copy. */
const isOnlyHere = ({ code }: MasterCost) => code !== 'CODEC_OVERSHOOT'

/** Returns the compromises of the masters that no warning of their job mentions. */
export function sharedCosts(
  results: readonly Pick<MasterResult, 'platform' | 'costs'>[],
  language: Language,
): SharedCost[] {
  const all = results.flatMap(({ platform, costs = [] }) =>
    costs.filter(isOnlyHere).map((cost) => ({ platform, text: costText(cost, language) })),
  )
  const byText = Map.groupBy(all, ({ text }) => text)
  return [...byText].map(([text, same]) => ({ text, platforms: same.map(({ platform }) => platform) }))
}
