-- Names of the changes that a cover got where it was stored, separated by blanks; null for one that was stored before this version.
ALTER TABLE release_covers ADD COLUMN changes TEXT;
