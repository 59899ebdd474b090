-- CRC-32 of the rows that nothing else can tell to be damaged: credits and keys. Beside the tables, since entries of the ledger never change.
CREATE TABLE row_checksums (
  source TEXT NOT NULL,
  row_id INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  PRIMARY KEY (source, row_id)
) STRICT, WITHOUT ROWID;
