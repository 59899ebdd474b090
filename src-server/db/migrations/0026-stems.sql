-- Sets of stems. A set is a stored song, the sum of its stems, which are stored songs too. A key's set is removed when it is not used.
CREATE TABLE stem_sets (
  source_id TEXT PRIMARY KEY REFERENCES sources (source_id) ON DELETE CASCADE,
  is_of_key INTEGER NOT NULL CHECK (is_of_key IN (0, 1))
) STRICT;

CREATE TABLE stems (
  set_id TEXT NOT NULL REFERENCES stem_sets (source_id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  source_id TEXT NOT NULL UNIQUE REFERENCES sources (source_id),
  role TEXT NOT NULL,
  is_silent INTEGER NOT NULL CHECK (is_silent IN (0, 1)),
  PRIMARY KEY (set_id, number)
) STRICT;

-- Stems whose sum the song of a job is, as JSON.
ALTER TABLE jobs ADD COLUMN stems TEXT;
