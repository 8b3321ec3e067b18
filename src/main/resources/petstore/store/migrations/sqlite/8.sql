-- One row for each script that has run. An INTEGER PRIMARY KEY is strict in any table.
CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE pet (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;
-- Every index ends in the rowid, which is the id. So a page of one status is one range of the index. Most animals are added as available,
-- the first status by name. At the end of this index, SQLite appends such a row. Elsewhere it would redistribute the rows of three pages.
-- No query asks for animals without a status.
CREATE INDEX pet_status ON pet (status DESC) WHERE status IS NOT NULL;
-- Counts the animals that are changed or deleted, in the transaction of the change.
CREATE TABLE pet_change (
  only_row INTEGER NOT NULL DEFAULT 1 PRIMARY KEY CHECK (only_row = 1),
  changes INTEGER NOT NULL
) STRICT;
INSERT INTO pet_change (changes) VALUES (0);
CREATE TRIGGER pet_changed AFTER UPDATE ON pet BEGIN UPDATE pet_change SET changes = changes + 1; END;
CREATE TRIGGER pet_deleted AFTER DELETE ON pet BEGIN UPDATE pet_change SET changes = changes + 1; END;
-- The catalogue grows only at its end. So the greatest id ever used and the number of changes identify its contents.
CREATE VIEW catalogue_version AS
  SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pet'), 0) AS last_id, changes FROM pet_change;
CREATE TABLE api_key (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  secret_sha256 TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  revoked_ms INTEGER,
  retired_sha256 TEXT,
  retired_until_ms INTEGER,
  last_used_ms INTEGER,
  rate_limit TEXT
) STRICT;
-- Counts changes of the keys, except of their last use, in the transaction of the change.
CREATE TABLE api_key_change (
  only_row INTEGER NOT NULL DEFAULT 1 PRIMARY KEY CHECK (only_row = 1),
  changes INTEGER NOT NULL
) STRICT;
INSERT INTO api_key_change (changes) VALUES (0);
CREATE TRIGGER api_key_added AFTER INSERT ON api_key BEGIN UPDATE api_key_change SET changes = changes + 1; END;
CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key BEGIN UPDATE api_key_change SET changes = changes + 1; END;
CREATE TRIGGER api_key_changed AFTER UPDATE OF id, name, scopes, secret_sha256, created_ms, expires_ms, revoked_ms,
  retired_sha256, retired_until_ms, rate_limit ON api_key BEGIN UPDATE api_key_change SET changes = changes + 1; END;
-- The results of requests with an Idempotency-Key. A new id is the greatest one plus 1.
CREATE TABLE idempotency (
  id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  operation TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  pet_id INTEGER NOT NULL,
  received_ms INTEGER NOT NULL,
  UNIQUE (owner, operation, idempotency_key)
) STRICT;
-- The SHA-256 of all other tables. Only a backup has it: the first write to a store removes it.
CREATE TABLE backup_checksum (sha256 TEXT NOT NULL) STRICT;
