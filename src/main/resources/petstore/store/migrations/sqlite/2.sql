-- The number of times that animals were added with given ids.
CREATE TABLE put_back (times INTEGER NOT NULL) STRICT;
INSERT INTO put_back (times) VALUES (0);
CREATE VIEW catalogue_version AS
  SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pet'), 0) AS last_id, times AS put_backs FROM put_back;
