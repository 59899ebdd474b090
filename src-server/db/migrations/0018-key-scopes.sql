-- What a key permits, and when it ends, milliseconds since 1970; keys of before permit everything and have no end.
ALTER TABLE api_keys ADD COLUMN scope TEXT NOT NULL DEFAULT 'all' CHECK (scope IN ('read', 'master', 'all'));
ALTER TABLE api_keys ADD COLUMN expires_at_ms INTEGER;
