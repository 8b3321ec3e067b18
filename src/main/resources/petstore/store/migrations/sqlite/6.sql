-- The catalogue grows only at its end: the greatest id says how far it has come.
DROP VIEW catalogue_version;
DROP TABLE put_back;
CREATE VIEW catalogue_version AS
  SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pet'), 0) AS last_id;
