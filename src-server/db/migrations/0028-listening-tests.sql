-- Listening tests: what their sounds are, which the folder of a test never says, and the results that came back.
CREATE TABLE listening_tests (
  test_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('preference', 'abx')),
  versions TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE listening_results (
  test_id TEXT NOT NULL REFERENCES listening_tests (test_id) ON DELETE CASCADE,
  result_id TEXT NOT NULL,
  voter TEXT NOT NULL,
  trials TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL,
  PRIMARY KEY (test_id, result_id)
) STRICT;
