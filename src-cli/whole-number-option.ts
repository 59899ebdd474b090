import { InvalidArgumentError } from 'commander'
import { wholeNumber } from '../src-contract/whole-number.ts'

/** Returns the parser of whole numbers from `least` to `most`. It throws an InvalidArgumentError with `problem` for any other text. */
export function wholeNumberFrom(
  least: number,
  problem: string,
  most = Number.POSITIVE_INFINITY,
): (text: string) => number {
  return (text) => {
    const value = wholeNumber(text)
    if (value === undefined || value < least || value > most) throw new InvalidArgumentError(problem)
    return value
  }
}
