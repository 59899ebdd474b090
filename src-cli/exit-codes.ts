/** Exit codes of every command, the source of the manual page and docs/cli.md. */

/** The command failed: it was invalid, or the service refused it or did not answer. */
export const FAILED = 1
/** `batch`: songs failed. */
export const SOME_FAILED = 2
/** `batch`: the batch is paused; the same command continues it. */
export const PAUSED = 3
/** A signal ended the command before its work was done: 128 plus the number of SIGINT, as in shells. */
export const INTERRUPTED = 130

/** Meanings for a person, by code. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'Done. serve, worker, events and mcp also exit with 0 at SIGINT and SIGTERM.'],
  [
    FAILED,
    'Failure: the service refused or did not answer, or the command was invalid. Also for a failed job (master), a changed folder (verify), a rejected test (webhooks test), and a Node that is too old.',
  ],
  [SOME_FAILED, 'batch: some songs failed.'],
  [PAUSED, 'batch: paused; the same command resumes it.'],
  [INTERRUPTED, 'Ended by a signal: master has cancelled its job; a batch continues while Loudsmith is running.'],
]
