-- One row: the id that the marker file of this database's directory carries.
CREATE TABLE database_identity (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  database_id TEXT NOT NULL
) STRICT;

-- Files and folders below the data directory that were given up and are still to be removed, as `jobs/<UUID>`. `modified_ms` is the
-- time of change of a file whose name can come back with other bytes of the same content; null for a folder.
CREATE TABLE removals (
  place TEXT PRIMARY KEY,
  modified_ms INTEGER
) STRICT;

-- One row: the newest time that the clock was borne out to show, and a time to which it jumped and which a day has yet to bear out.
CREATE TABLE trusted_time (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  confirmed_ms INTEGER NOT NULL,
  candidate_ms INTEGER
) STRICT;

-- A job that ended while the clock was behind has no expiry until the clock is right; then the retention counts from `kept_from_ms`.
ALTER TABLE jobs ADD COLUMN has_doubtful_time INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN kept_from_ms INTEGER;
CREATE INDEX jobs_of_doubtful_time ON jobs (serial) WHERE has_doubtful_time = 1;
-- Before 2026 there was no Loudsmith.
UPDATE jobs SET has_doubtful_time = 1, expires_at_ms = NULL WHERE is_expired = 0 AND completed_at_ms < 1767225600000;
