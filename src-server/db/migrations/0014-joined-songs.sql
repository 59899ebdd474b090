-- Songs with which the song of a job is mastered as one, as JSON; their files lie beside its own.
ALTER TABLE jobs ADD COLUMN joined TEXT;
