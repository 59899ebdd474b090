import { expect, test } from 'vitest'
import { createStorage } from '../../../src-server/uploads/storage.ts'

const MB = 1_048_576

const storage = (freeMb: number, quotaMb: number | null = null, usedMb = 0, promisedMb = 0) =>
  createStorage({
    dataDir: '/nowhere',
    usedBytes: () => usedMb * MB,
    reservedBytes: () => promisedMb * MB,
    quotaBytes: () => (quotaMb === null ? null : quotaMb * MB),
    freeBytes: () => freeMb * MB,
  })

test('a file to be written must fit on the disk with a reserve left', () => {
  expect(() => storage(1064).require(1000 * MB)).not.toThrow()
  expect(() => storage(1063).require(1000 * MB)).toThrow('INSUFFICIENT_STORAGE')
})

test('a file already on the disk needs no more room there, but counts for the quota', () => {
  expect(() => storage(100).require(1000 * MB, 0)).not.toThrow()
  expect(() => storage(63).require(1000 * MB, 0)).toThrow('INSUFFICIENT_STORAGE')
  expect(() => storage(5000, 1500, 501).require(1000 * MB, 0)).toThrow('INSUFFICIENT_STORAGE')
  expect(() => storage(5000, 1500, 500).require(1000 * MB, 0)).not.toThrow()
})

test('accepted files that are not written yet have room reserved, on the disk and in the quota', () => {
  expect(() => storage(1164, null, 0, 100).require(1000 * MB)).not.toThrow()
  expect(() => storage(1163, null, 0, 100).require(1000 * MB)).toThrow('INSUFFICIENT_STORAGE')
  expect(() => storage(9000, 1500, 400, 100).require(1000 * MB)).not.toThrow()
  expect(() => storage(9000, 1500, 401, 100).require(1000 * MB)).toThrow('INSUFFICIENT_STORAGE')
})
