-- Most animals come as available. The status that is the first by name is at the end of this index, where SQLite appends; among
-- others it would divide the rows of three pages anew. Nobody asks for animals without a status.
DROP INDEX pet_status;
CREATE INDEX pet_status ON pet (status DESC) WHERE status IS NOT NULL;
