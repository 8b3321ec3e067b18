-- Most animals are added as available, the first status by name. At the end of this index, SQLite appends such a row. Elsewhere it would
-- redistribute the rows of three pages. No query asks for animals without a status.
DROP INDEX pet_status;
CREATE INDEX pet_status ON pet (status DESC) WHERE status IS NOT NULL;
