-- Logical replication publishes changes only of tables with a primary key, and it publishes no sequences. Replicas of version 6 insert
-- without an id, too. A VOLATILE function finds the earlier rows of its statement, and the lock on pet_id excludes other transactions.
ALTER TABLE api_key_change ADD COLUMN only_row BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (only_row);
ALTER TABLE idempotency ALTER COLUMN id DROP IDENTITY;
CREATE FUNCTION next_idempotency_id() RETURNS BIGINT LANGUAGE sql VOLATILE
  RETURN (SELECT coalesce(max(id), 0) + 1 FROM idempotency);
ALTER TABLE idempotency ALTER COLUMN id SET DEFAULT next_idempotency_id();
