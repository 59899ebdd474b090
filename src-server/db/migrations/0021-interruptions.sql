-- Starts of a job that ended because the whole service was killed: they do not count among its `starts`.
ALTER TABLE jobs ADD COLUMN interruptions INTEGER NOT NULL DEFAULT 0;
