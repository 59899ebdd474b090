import { InvalidArgumentError } from 'commander'
import type { Messages } from './messages.ts'

const SECONDS_OF_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Returns the parser of times such as `90s`, `12h` or `7d`: seconds. It throws an InvalidArgumentError for any other text. */
export function duration({ aDuration }: Pick<Messages, 'aDuration'>): (text: string) => number {
  return (text) => {
    const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? []
    if (count === undefined) throw new InvalidArgumentError(aDuration)
    return Number(count) * (SECONDS_OF_UNIT[unit] ?? 0)
  }
}
