/** SQL condition for unfinished rows of `jobs`, worded as in the schema's partial indices to make SQLite use them. */
export const UNFINISHED = "state IN ('waiting', 'running')"
