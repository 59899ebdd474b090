import type { Reporter, TestCase, TestModule } from 'vitest/node'

/**
 * Ends the run with what did not run and why, what the files cost, then with one plain line that holds the counts.
 * A test gives its reason with `context.skip(reason)`; a suite that is switched off carries it in its name.
 */
export default class ClosingLines implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    const reasons = new Map<string, number>()
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === 'pending') continue
        counts[result.state] += 1
        if (result.state !== 'skipped') continue
        const reason = `${module.relativeModuleId}: ${reasonOf(test, result.note)}`
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      }
    }
    for (const [reason, count] of reasons) console.log(`Skipped ${count} in ${reason}`)
    if (reasons.size === 0) console.log('No suite was skipped.')
    const processorSeconds = modules.reduce((sum, module) => sum + (module.meta().processorSeconds ?? 0), 0)
    console.log(`Processor time of the tests: ${(processorSeconds / 60).toFixed(1)} min; most in:`)
    for (const module of costliest(modules))
      console.log(`${(module.meta().processorSeconds ?? 0).toFixed(1).padStart(7)} s  ${module.relativeModuleId}`)
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  }
}

/** The files that cost most processor time, `FULL_TABLE=1` all of them. */
function costliest(modules: readonly TestModule[]): TestModule[] {
  const cost = (module: TestModule) => module.meta().processorSeconds ?? 0
  const sorted = modules.toSorted((one, other) => cost(other) - cost(one))
  return process.env.FULL_TABLE ? sorted : sorted.slice(0, 5)
}

function reasonOf(test: TestCase, note: string | undefined): string {
  if (note) return note
  return test.parent.type === 'suite' ? test.parent.fullName : test.fullName
}
