-- What was taken, so that a file that only has a new time of change (touched, restored, synchronised, a disk in local time) is known again.
ALTER TABLE watched_files ADD COLUMN sha256 TEXT;
UPDATE watched_files SET sha256 = (SELECT sha256 FROM sources WHERE sources.source_id = watched_files.source_id);
