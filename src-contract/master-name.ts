/** Names of masters. */
import type { Platform } from './platforms/index.ts'

/** Name of the master for all services; the others are named after their platform. */
export const RELEASE = 'release' as const
export type MasterName = Platform | typeof RELEASE
