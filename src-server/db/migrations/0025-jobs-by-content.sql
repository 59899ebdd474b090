-- Finds the finished jobs of a song that was mastered before, whatever it was stored as.
CREATE INDEX jobs_by_content ON jobs (source_sha256, completed_at_ms) WHERE state = 'done';
