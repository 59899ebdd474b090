-- What was written about a song of the batch, as JSON of what differs from its file, and the cover of its masters.
ALTER TABLE desk_songs ADD COLUMN metadata TEXT;
CREATE TABLE desk_covers (
  source_id TEXT PRIMARY KEY REFERENCES desk_songs (source_id) ON DELETE CASCADE,
  media_type TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  width_px INTEGER NOT NULL,
  height_px INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
