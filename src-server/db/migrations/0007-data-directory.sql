-- One row: the id that the marker file of this database's directory carries.
CREATE TABLE database_identity (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  database_id TEXT NOT NULL
) STRICT;

-- Files and folders below the data directory that were given up and are still to be removed, as `jobs/<UUID>`. `modified_ms` is the
-- time of change of a file whose name can come back with other bytes of the same content; null for a folder.
CREATE TABLE removals (
  place TEXT PRIMARY KEY,
  modified_ms INTEGER
) STRICT;
