import { count } from '../../src-contract/text/numbers.ts'

/** A count with its English noun: 1 song, 1,721 songs. */
export const plural = (value: number, one: string, many: string) => `${count(value)} ${value === 1 ? one : many}`
