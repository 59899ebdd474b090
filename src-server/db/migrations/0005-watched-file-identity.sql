-- Which file it is on its disk (null where the disk does not tell), so that it is known again under another name.
ALTER TABLE watched_files ADD COLUMN inode TEXT;
