-- The SHA-256 of all other tables. Only a backup has it: the first write to a store removes it.
CREATE TABLE backup_checksum (sha256 TEXT NOT NULL) STRICT;
