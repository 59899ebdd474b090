-- Songs that the app stores once. The file is named by its SHA-256, so equal songs share one.
CREATE TABLE sources (
  source_id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('song', 'reference')),
  filename TEXT NOT NULL,
  title TEXT NOT NULL,
  artist TEXT,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  facts TEXT NOT NULL,
  cover_type TEXT,
  analysis TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX sources_by_content ON sources (sha256);

-- The desk: one row for all, one per song. A removed song keeps its place for a while, so that removing can be undone.
CREATE TABLE desk (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  is_paused INTEGER NOT NULL,
  settings TEXT NOT NULL,
  presets TEXT NOT NULL
) STRICT;

-- `started_settings` and `batch_id` are set when the song is started: what the user saw then is what is mastered.
CREATE TABLE desk_songs (
  source_id TEXT PRIMARY KEY REFERENCES sources (source_id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ready', 'waiting', 'submitted', 'refused')),
  settings TEXT,
  started_settings TEXT,
  batch_id TEXT,
  error_code TEXT,
  error_values TEXT,
  removed_at_ms INTEGER,
  CHECK (state <> 'waiting' OR (started_settings IS NOT NULL AND batch_id IS NOT NULL))
) STRICT;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_by_source ON jobs (source_id, serial) WHERE source_id IS NOT NULL;
