-- The catalogue grows only at its end, so the greatest id identifies its contents.
DROP VIEW catalogue_version;
DROP TABLE put_back;
CREATE VIEW catalogue_version AS SELECT last_id FROM pet_id;
