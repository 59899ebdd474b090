/**
 * Prints the slowdown of this machine against a quiet one of two cores, a whole number from 1 to 10: the factor for `LOUDSMITH_TEST_SLACK`,
 * which stretches the time limits of tests. Measured with four processes at once, as tests run.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const PROCESSES = 4
const MULTIPLICATIONS = 6e8
/** Measured on two quiet cores of 2.1 GHz. */
const QUIET_MS = 1600

/** A function, since V8 does not keep a script's top-level variables in registers. */
const work = `(() => { let x = 1; for (let i = 0; i < ${MULTIPLICATIONS}; i++) x = (Math.imul(x, 1103515245) + 12345) | 0; return x })()`
const startedMs = performance.now()
await Promise.all(Array.from({ length: PROCESSES }, () => promisify(execFile)(process.execPath, ['-e', work])))
console.log(Math.min(10, Math.max(1, Math.ceil((performance.now() - startedMs) / QUIET_MS))))
