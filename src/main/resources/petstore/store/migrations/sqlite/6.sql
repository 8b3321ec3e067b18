-- The catalogue grows only at its end, so the greatest id identifies its contents.
DROP VIEW catalogue_version;
DROP TABLE put_back;
CREATE VIEW catalogue_version AS
  SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pet'), 0) AS last_id;
