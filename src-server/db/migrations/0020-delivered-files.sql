-- Path of the user's own file of which the song of a batch was copied; its bytes are those of source_sha256.
ALTER TABLE jobs ADD COLUMN source_path TEXT;

-- Set once a batch has moved the result into output_folder, from which it is read then: the SHA-256 of its files that are no masters, as JSON
-- by their names.
ALTER TABLE jobs ADD COLUMN delivered_sums TEXT;

UPDATE jobs SET source_path = (SELECT line ->> '$.path' FROM manifest_songs WHERE manifest_songs.job_id = jobs.job_id) WHERE is_bulk = 1;
UPDATE jobs SET delivered_sums = '{}'
WHERE is_bulk = 1 AND state = 'done' AND is_expired = 1 AND output_folder IS NOT NULL AND job_id IN
  (SELECT job_id FROM manifest_songs JOIN manifests USING (batch_id) WHERE head ->> '$.folder' IS NOT NULL);
