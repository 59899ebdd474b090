-- Addresses of results without a key, known by the SHA-256 of their tokens only. A link ends with the key that made it, or with the start of
-- the service in which the application made it.
CREATE TABLE links (
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  link_id TEXT NOT NULL UNIQUE,
  token_hash TEXT NOT NULL UNIQUE,
  job_id TEXT NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE,
  key_id TEXT,
  start_id TEXT,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  CHECK ((key_id IS NULL) <> (start_id IS NULL))
) STRICT;
CREATE INDEX links_by_job ON links (job_id, serial);
CREATE INDEX links_by_end ON links (expires_at_ms);
