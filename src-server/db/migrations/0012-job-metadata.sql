-- What a request says of a song beside its title and artist, and facts of its cover, each as JSON.
ALTER TABLE jobs ADD COLUMN metadata TEXT;
ALTER TABLE jobs ADD COLUMN cover TEXT;
