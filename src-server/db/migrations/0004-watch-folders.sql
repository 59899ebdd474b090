-- Folders whose new songs are mastered by themselves.
CREATE TABLE watch_folders (
  folder_id TEXT PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  output_folder TEXT,
  settings TEXT,
  is_active INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

-- Every version of a file that was dealt with, by its name, size and time of change: taken (source_id), refused (error_code), or
-- there before the folder was watched (neither).
CREATE TABLE watched_files (
  folder_id TEXT NOT NULL REFERENCES watch_folders (folder_id) ON DELETE CASCADE,
  filename TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  modified_ms INTEGER NOT NULL,
  source_id TEXT,
  error_code TEXT,
  error_values TEXT,
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (folder_id, filename, size_bytes, modified_ms),
  CHECK (source_id IS NULL OR error_code IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX watched_files_by_source ON watched_files (source_id) WHERE source_id IS NOT NULL;
