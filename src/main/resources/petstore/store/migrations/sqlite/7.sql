-- Counts the animals that are changed or deleted, in the transaction of the change.
CREATE TABLE pet_change (
  only_row INTEGER NOT NULL DEFAULT 1 PRIMARY KEY CHECK (only_row = 1),
  changes INTEGER NOT NULL
) STRICT;
INSERT INTO pet_change (changes) VALUES (0);
CREATE TRIGGER pet_changed AFTER UPDATE ON pet BEGIN UPDATE pet_change SET changes = changes + 1; END;
CREATE TRIGGER pet_deleted AFTER DELETE ON pet BEGIN UPDATE pet_change SET changes = changes + 1; END;
DROP VIEW catalogue_version;
CREATE VIEW catalogue_version AS
  SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pet'), 0) AS last_id, changes FROM pet_change;
