-- The SHA-256 of everything else, in a backup alone: a store that is written to has none.
CREATE TABLE backup_checksum (sha256 TEXT NOT NULL) STRICT;
