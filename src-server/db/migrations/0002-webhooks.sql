-- What happened, in order: `seq` is the id of the live stream. `body` holds the exact bytes of the callback, where there is one.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  job_id TEXT,
  body TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;

-- A job ends once: whatever crashes, there is one such event and so one webhook-id.
CREATE UNIQUE INDEX events_one_end_per_job ON events (job_id) WHERE name IN ('job.completed', 'job.failed');

CREATE TABLE webhooks (
  webhook_id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  secret TEXT NOT NULL,
  is_gone INTEGER NOT NULL DEFAULT 0,
  created_at_ms INTEGER NOT NULL,
  last_delivery_at_ms INTEGER
) STRICT;

-- One row: the secret that signs the callbacks of jobs with a webhook_url of their own.
CREATE TABLE job_signing_secret (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  secret TEXT NOT NULL
) STRICT;

-- One row per event and target. The body is repeated here so that the log outlives the events table's pruning.
-- `scheduled_at_ms` is when `next_attempt_at_ms` was set: a clock before it has been turned back, and the attempt is due.
CREATE TABLE deliveries (
  delivery_id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL,
  event TEXT NOT NULL,
  job_id TEXT,
  webhook_id TEXT,
  url TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  scheduled_at_ms INTEGER,
  next_attempt_at_ms INTEGER,
  last_attempt_at_ms INTEGER,
  last_status INTEGER,
  last_error TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX deliveries_due ON deliveries (next_attempt_at_ms) WHERE state = 'pending';
CREATE INDEX deliveries_by_time ON deliveries (created_at_ms);
CREATE INDEX deliveries_by_job ON deliveries (job_id);
