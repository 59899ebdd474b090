-- The one local account. Times everywhere are milliseconds since 1970 in UTC.
CREATE TABLE account (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  plan TEXT NOT NULL CHECK (plan IN ('free', 'starter', 'pro', 'studio'))
) STRICT;
INSERT INTO account (only_row, plan) VALUES (1, 'studio');

-- The balance is the sum of the amounts. `once` makes an entry unique: renew:YYYY-MM, charge:<job>, refund:<job>.
CREATE TABLE ledger (
  entry_id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('grant', 'renew', 'charge', 'refund')),
  amount INTEGER NOT NULL CHECK (CASE kind WHEN 'charge' THEN amount < 0 WHEN 'renew' THEN amount >= 0 ELSE amount > 0 END),
  once TEXT UNIQUE,
  job_id TEXT,
  note TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER ledger_is_never_changed BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_never_shortened BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- Keys are known by their SHA-256 only. Their order of creation decides which are suspended by a smaller plan.
CREATE TABLE api_keys (
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  key_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER,
  last_client TEXT,
  revoked_at_ms INTEGER
) STRICT;

CREATE TABLE jobs (
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
  -- Starts of an engine process that did not end in order; an orderly stop takes its start back.
  starts INTEGER NOT NULL DEFAULT 0,
  key_id TEXT,
  platforms TEXT NOT NULL,
  genre TEXT NOT NULL,
  ai_service TEXT NOT NULL,
  tier TEXT NOT NULL,
  intensity INTEGER NOT NULL,
  loudness TEXT NOT NULL,
  reference_amount INTEGER NOT NULL,
  title TEXT,
  artist TEXT,
  webhook_url TEXT,
  batch_id TEXT,
  source_id TEXT,
  retry_of TEXT,
  filename TEXT NOT NULL,
  source_sha256 TEXT NOT NULL,
  source_facts TEXT NOT NULL,
  reference_filename TEXT,
  reference_sha256 TEXT,
  reference_facts TEXT,
  -- What lists show and search: the request's title, the source's tag or the file's name, in this order.
  shown_title TEXT NOT NULL,
  shown_artist TEXT,
  search_text TEXT NOT NULL,
  credits_used INTEGER NOT NULL,
  credits_remaining INTEGER NOT NULL,
  credits_refunded INTEGER NOT NULL DEFAULT 0,
  warnings TEXT NOT NULL,
  result TEXT,
  failure_code TEXT,
  failure_values TEXT,
  -- Bytes on disk that the quota counts: source, reference and result; 0 once expired.
  stored_bytes INTEGER NOT NULL,
  output_folder TEXT,
  created_at_ms INTEGER NOT NULL,
  started_at_ms INTEGER,
  completed_at_ms INTEGER,
  expires_at_ms INTEGER,
  is_expired INTEGER NOT NULL DEFAULT 0,
  CHECK ((state = 'done') = (result IS NOT NULL)),
  CHECK ((state = 'failed') = (failure_code IS NOT NULL)),
  CHECK ((reference_sha256 IS NULL) = (reference_facts IS NULL))
) STRICT;
CREATE INDEX jobs_unfinished ON jobs (serial) WHERE state IN ('waiting', 'running');
CREATE INDEX jobs_by_title ON jobs (shown_title COLLATE NOCASE, serial);
CREATE INDEX jobs_by_batch ON jobs (batch_id, serial) WHERE batch_id IS NOT NULL;
CREATE INDEX jobs_to_expire ON jobs (expires_at_ms) WHERE is_expired = 0 AND expires_at_ms IS NOT NULL;
CREATE TRIGGER jobs_end_once BEFORE UPDATE OF state ON jobs WHEN OLD.state IN ('done', 'failed')
BEGIN SELECT RAISE(ABORT, 'an ended job never changes its state'); END;

-- Answers of POST /api/v1/master that a repeated Idempotency-Key gets again for 24 hours.
CREATE TABLE idempotency (
  caller TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (caller, idempotency_key)
) STRICT, WITHOUT ROWID;
