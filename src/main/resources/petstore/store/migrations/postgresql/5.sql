-- Counts changes of the keys, except of their last use, in the transaction of the change. The row is locked until COMMIT, so that no
-- change becomes visible after a greater number.
CREATE TABLE api_key_change (changes BIGINT NOT NULL);
INSERT INTO api_key_change (changes) VALUES (0);
CREATE FUNCTION count_api_key_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('UPDATE %I.api_key_change SET changes = changes + 1', TG_TABLE_SCHEMA); RETURN NULL; END $$;
CREATE TRIGGER api_key_added_or_deleted AFTER INSERT OR DELETE OR TRUNCATE ON api_key
  EXECUTE FUNCTION count_api_key_change();
CREATE TRIGGER api_key_changed AFTER UPDATE OF id, name, scopes, secret_sha256, created_ms, expires_ms, revoked_ms,
  retired_sha256, retired_until_ms, rate_limit ON api_key EXECUTE FUNCTION count_api_key_change();
