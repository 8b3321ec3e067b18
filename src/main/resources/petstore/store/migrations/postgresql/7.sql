-- Logical replication publishes changes only of tables with a primary key, and it publishes no sequences. Replicas of version 6 insert
-- without an id, too. A VOLATILE function finds the earlier rows of its statement, and the lock on pet_id excludes other transactions.
ALTER TABLE api_key_change ADD COLUMN only_row BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (only_row);
ALTER TABLE idempotency ALTER COLUMN id DROP IDENTITY;
CREATE FUNCTION next_idempotency_id() RETURNS BIGINT LANGUAGE sql VOLATILE
  RETURN (SELECT coalesce(max(id), 0) + 1 FROM idempotency);
ALTER TABLE idempotency ALTER COLUMN id SET DEFAULT next_idempotency_id();
-- Counts the statements that change or delete animals, in the transaction of the change. The row is locked until COMMIT, and before the
-- animals are, so that such transactions wait for each other. It is not that of pet_id, so they do not stop creates.
CREATE TABLE pet_change (
  only_row BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (only_row),
  changes BIGINT NOT NULL
);
INSERT INTO pet_change (changes) VALUES (0);
CREATE FUNCTION count_pet_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('UPDATE %I.pet_change SET changes = changes + 1', TG_TABLE_SCHEMA); RETURN NULL; END $$;
CREATE TRIGGER pet_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON pet EXECUTE FUNCTION count_pet_change();
-- Replicas of version 6 read only last_id.
CREATE OR REPLACE VIEW catalogue_version AS SELECT last_id, changes FROM pet_id, pet_change;
