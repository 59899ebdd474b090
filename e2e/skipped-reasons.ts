import type { Reporter, TestCase, TestResult } from 'playwright/types/testReporter'

/** Lists the skipped tests with their reasons at the end of the run, as given by `test.skip(condition, reason)`. */
export default class SkippedReasons implements Reporter {
  readonly #lines: string[] = []

  onTestEnd({ title, location, annotations }: TestCase, { status }: TestResult): void {
    if (status !== 'skipped') return
    const reason = annotations.find(({ type }) => type === 'skip')?.description ?? 'no reason given'
    this.#lines.push(`Skipped ${location.file.split(/[\\/]/).at(-1)} › ${title}: ${reason}`)
  }

  onEnd(): void {
    for (const line of this.#lines) console.log(line)
  }

  printsToStdio(): boolean {
    return false
  }
}
