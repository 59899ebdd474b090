-- Batches of the API: many songs by one manifest. `head` is its first line and `line` that of a song, as JSON with the names on the wire.
CREATE TABLE manifests (
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  batch_id TEXT NOT NULL UNIQUE,
  key_id TEXT,
  fingerprint TEXT NOT NULL,
  head TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'ended')),
  pause_reason TEXT,
  created_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  CHECK ((state = 'paused') = (pause_reason IS NOT NULL))
) STRICT;

-- A song is `queued` from the transaction on that makes its job: it is charged once, whatever happens. `end_order` counts the ends within
-- the batch; `outcome` is JSON: the title, the masters and the folder.
CREATE TABLE manifest_songs (
  batch_id TEXT NOT NULL REFERENCES manifests (batch_id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  line TEXT NOT NULL,
  bytes_needed INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'queued', 'done', 'failed', 'cancelled')),
  job_id TEXT,
  error_code TEXT,
  error_values TEXT,
  outcome TEXT,
  end_order INTEGER,
  PRIMARY KEY (batch_id, place),
  CHECK (state <> 'queued' OR job_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX manifest_songs_waiting ON manifest_songs (batch_id, place) WHERE state = 'waiting';
CREATE INDEX manifest_songs_by_job ON manifest_songs (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX manifest_songs_by_end ON manifest_songs (batch_id, end_order) WHERE end_order IS NOT NULL;

-- 1 for the job of a song of a manifest: it waits behind single ones, and no plan bounds how many there are.
ALTER TABLE jobs ADD COLUMN is_bulk INTEGER NOT NULL DEFAULT 0;
