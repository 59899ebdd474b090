-- Releases. `facts` is JSON with the names on the wire, without what has a column of its own.
CREATE TABLE releases (
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  release_id TEXT NOT NULL UNIQUE,
  key_id TEXT,
  facts TEXT NOT NULL,
  search_text TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL
) STRICT;

-- The song of a track is a stored song, a job, or still to come. Both may be deleted while the track stays.
CREATE TABLE release_tracks (
  track_id TEXT PRIMARY KEY,
  release_id TEXT NOT NULL REFERENCES releases (release_id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  source_id TEXT,
  job_id TEXT,
  facts TEXT NOT NULL,
  CHECK (source_id IS NULL OR job_id IS NULL)
) STRICT;
CREATE INDEX release_tracks_in_order ON release_tracks (release_id, place);

CREATE TABLE release_covers (
  release_id TEXT PRIMARY KEY REFERENCES releases (release_id) ON DELETE CASCADE,
  media_type TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  width_px INTEGER NOT NULL,
  height_px INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;

-- 1 while a release has the job as the song of a track: its files do not expire.
ALTER TABLE jobs ADD COLUMN is_kept INTEGER NOT NULL DEFAULT 0;
