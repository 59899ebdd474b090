-- The mastering of a release, at most one at a time. `run` is JSON: tracks, targets, jobs, and the masters of the last that was finished.
CREATE TABLE release_runs (
  release_id TEXT PRIMARY KEY REFERENCES releases (release_id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('mastering', 'done', 'failed')),
  run TEXT NOT NULL
) STRICT;

-- Jobs that releases made. They stay when the release goes: their masters are not for the output folder.
-- A song of a track is charged once: with the job of which `is_charge` is 1, unless that one was refunded.
CREATE TABLE release_jobs (
  job_id TEXT NOT NULL,
  release_id TEXT NOT NULL,
  track_id TEXT NOT NULL,
  source_sha256 TEXT NOT NULL,
  is_charge INTEGER NOT NULL,
  PRIMARY KEY (job_id, track_id)
) STRICT;
CREATE INDEX release_jobs_of_track ON release_jobs (release_id, track_id, source_sha256);

-- What was measured of a song for the plan of a record, as JSON, by its content.
CREATE TABLE song_measures (
  source_sha256 TEXT PRIMARY KEY,
  measure TEXT NOT NULL
) STRICT;

-- Targets of single masters of a job instead of what its settings say, as JSON.
ALTER TABLE jobs ADD COLUMN master_targets TEXT;
