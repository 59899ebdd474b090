-- Attempts at a job that were lost with the machine that made them: they say nothing about the song, and no crash of it.
ALTER TABLE jobs ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
