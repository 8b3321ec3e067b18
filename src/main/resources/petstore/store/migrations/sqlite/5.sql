-- Counts changes of the keys, except of their last use, in the transaction of the change.
CREATE TABLE api_key_change (changes INTEGER NOT NULL) STRICT;
INSERT INTO api_key_change (changes) VALUES (0);
CREATE TRIGGER api_key_added AFTER INSERT ON api_key BEGIN UPDATE api_key_change SET changes = changes + 1; END;
CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key BEGIN UPDATE api_key_change SET changes = changes + 1; END;
CREATE TRIGGER api_key_changed AFTER UPDATE OF id, name, scopes, secret_sha256, created_ms, expires_ms, revoked_ms,
  retired_sha256, retired_until_ms, rate_limit ON api_key BEGIN UPDATE api_key_change SET changes = changes + 1; END;
