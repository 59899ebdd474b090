-- What a client keeps with its job: a reference of its own, and a JSON object.
ALTER TABLE jobs ADD COLUMN client_reference TEXT;
ALTER TABLE jobs ADD COLUMN client_metadata TEXT;
