/** Confirmation questions that decide whether a command continues. */
import { createInterface } from 'node:readline/promises'
import { unusable } from './unusable-input.ts'

/** A question, and the sentence for a program, which cannot be asked and must pass `--yes`. */
export interface Question {
  readonly ask: string
  readonly sayYes: string
}

/** Asks on the terminal and returns whether the answer is yes. Throws the sentence of the question without a terminal. */
export async function isAgreed({ ask, sayYes }: Question): Promise<boolean> {
  if (!process.stdin.isTTY) throw unusable(sayYes)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await asking.question(ask).finally(() => asking.close())
  return /^\s*(?:y|yes|네|예|ㅇ)\s*$/i.test(answer)
}
