-- One row: the id that the marker file of this database's directory carries.
CREATE TABLE database_identity (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  database_id TEXT NOT NULL
) STRICT;
