/** Exit codes of every command, the source of the manual page and docs/cli.md. */

/** The command failed: it was refused, cannot be understood, or the service does not answer. */
export const FAILED = 1
/** `batch`: songs failed. */
export const SOME_FAILED = 2
/** `batch`: the batch is paused; the same command continues it. */
export const PAUSED = 3
/** A signal ended the command before its work was done: 128 plus the number of SIGINT, as in shells. */
export const INTERRUPTED = 130

/** Meanings for a person, by code. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'Done. serve, worker, events and mcp also end so at SIGINT and SIGTERM.'],
  [
    FAILED,
    'It failed: refused by the service, not to be understood, or the service does not answer. So it is where a job failed (master), a folder was changed (verify), a test was not taken (webhooks test), and on a Node that is too old.',
  ],
  [SOME_FAILED, 'batch: some songs failed.'],
  [PAUSED, 'batch: it is paused; the same command goes on with it.'],
  [INTERRUPTED, 'A signal ended it: master has cancelled its job, batch goes on while Loudsmith runs.'],
]
