-- Stereo mix of the song beside its stems, a stored song too, and how it is related to their sum, as JSON; null if it could not be compared.
ALTER TABLE stem_sets ADD COLUMN original_id TEXT REFERENCES sources (source_id);
ALTER TABLE stem_sets ADD COLUMN likeness TEXT;
