-- Files that a watched folder takes beside MP3, WAV and FLAC: `any`, or null for none.
ALTER TABLE watch_folders ADD COLUMN accept TEXT;
