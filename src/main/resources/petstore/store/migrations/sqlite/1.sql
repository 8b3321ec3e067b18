CREATE TABLE pet (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;
-- Every index ends in the rowid, which is the id. So a page of one status is one range of the index.
CREATE INDEX pet_status ON pet (status);
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
CREATE TABLE idempotency (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  operation TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  pet_id INTEGER NOT NULL,
  received_ms INTEGER NOT NULL,
  UNIQUE (owner, operation, idempotency_key)
) STRICT;
