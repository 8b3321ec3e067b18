-- Only the schema of PostgreSQL changes.
SELECT 1;
