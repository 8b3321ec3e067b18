-- Logical replication publishes changes only of tables with a primary key, and it publishes no sequences.
-- One row for each script that has run.
CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE pet (
  id BIGINT NOT NULL PRIMARY KEY CHECK (id > 0),
  name TEXT NOT NULL,
  category_id BIGINT NOT NULL,
  status TEXT COLLATE "C" CHECK (status IN ('available', 'pending', 'sold'))
);
CREATE INDEX pet_status ON pet (status, id);
-- The greatest id ever used. A transaction that adds animals locks this row until COMMIT, so that ids become visible in ascending order.
CREATE TABLE pet_id (
  only_row BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (only_row),
  last_id BIGINT NOT NULL
);
INSERT INTO pet_id (last_id) VALUES (0);
CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('UPDATE %I.%I SET changes = changes + 1', TG_TABLE_SCHEMA, TG_ARGV[0]); RETURN NULL; END $$;
-- Counts the statements that change or delete animals, in the transaction of the change. The row is locked until COMMIT, and before the
-- animals are, so that such transactions wait for each other. It is not that of pet_id, so they do not stop creates.
CREATE TABLE pet_change (
  only_row BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (only_row),
  changes BIGINT NOT NULL
);
INSERT INTO pet_change (changes) VALUES (0);
CREATE TRIGGER pet_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON pet EXECUTE FUNCTION count_change('pet_change');
-- The catalogue grows only at its end. So the greatest id ever used and the number of changes identify its contents.
CREATE VIEW catalogue_version AS SELECT last_id, changes FROM pet_id, pet_change;
CREATE TABLE api_key (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  secret_sha256 TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT,
  revoked_ms BIGINT,
  retired_sha256 TEXT,
  retired_until_ms BIGINT,
  last_used_ms BIGINT,
  rate_limit TEXT
);
-- Counts changes of the keys, except of their last use, in the transaction of the change. The row is locked until COMMIT, so that no
-- change becomes visible after a greater number.
CREATE TABLE api_key_change (
  only_row BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (only_row),
  changes BIGINT NOT NULL
);
INSERT INTO api_key_change (changes) VALUES (0);
CREATE TRIGGER api_key_added_or_deleted AFTER INSERT OR DELETE OR TRUNCATE ON api_key
  EXECUTE FUNCTION count_change('api_key_change');
CREATE TRIGGER api_key_changed AFTER UPDATE OF id, name, scopes, secret_sha256, created_ms, expires_ms, revoked_ms,
  retired_sha256, retired_until_ms, rate_limit ON api_key EXECUTE FUNCTION count_change('api_key_change');
-- The results of requests with an Idempotency-Key. A new id is the greatest one plus 1. A VOLATILE function finds the earlier rows of its
-- statement, and the lock on pet_id excludes other transactions.
CREATE TABLE idempotency (
  id BIGINT NOT NULL PRIMARY KEY,
  owner TEXT COLLATE "C" NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  idempotency_key TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT NOT NULL,
  pet_id BIGINT NOT NULL,
  received_ms BIGINT NOT NULL,
  UNIQUE (owner, operation, idempotency_key)
);
CREATE FUNCTION next_idempotency_id() RETURNS BIGINT LANGUAGE sql VOLATILE
  RETURN (SELECT coalesce(max(id), 0) + 1 FROM idempotency);
ALTER TABLE idempotency ALTER COLUMN id SET DEFAULT next_idempotency_id();
