/** Condition on rows of `jobs` that have not ended, worded as the partial indices of the schema are, so that SQLite uses them. */
export const UNFINISHED = "state IN ('waiting', 'running')"
