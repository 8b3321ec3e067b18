-- Yields the defects of a store that all scripts have made, and their remedies; an empty text for none. Both parameters are true for the
-- privileges that a service needs. A grant on columns is enough, except to delete. Names of this schema come before those of others.
WITH part (kind, name, uses, triggers) AS (VALUES
  ('r', 'schema_version', 'SELECT from', ''),
  ('r', 'pet', 'SELECT from,INSERT into', 'pet_changed'),
  ('r', 'pet_id', 'SELECT from,UPDATE', ''),
  ('r', 'api_key', 'SELECT from,UPDATE', 'api_key_added_or_deleted,api_key_changed'),
  ('r', 'idempotency', 'SELECT from,INSERT into,DELETE from', ''),
  ('r', 'api_key_change', 'SELECT from', ''),
  ('r', 'pet_change', '', ''),
  ('v', 'catalogue_version', 'SELECT from', '')
), found AS (
  SELECT part.*, oid AS id, relkind, relpersistence FROM part LEFT JOIN pg_class
    ON relname = name AND relnamespace = to_regnamespace(quote_ident(current_schema()))
), defect (text) AS (
  SELECT CASE
    WHEN id IS NULL THEN name || ' is missing'
    WHEN relkind <> kind::"char" THEN format('%s is not an ordinary %s', name, CASE kind WHEN 'r' THEN 'table' ELSE 'view' END)
    WHEN relpersistence <> 'p' THEN format('%1$s is UNLOGGED, so a crash would empty it: ALTER TABLE %1$s SET LOGGED', name)
    WHEN EXISTS (SELECT FROM pg_inherits WHERE inhrelid = id OR inhparent = id)
      THEN name || ' inherits, or another table inherits from it'
  END FROM found
  UNION ALL
  SELECT format('the trigger %2$s of %1$s does not run: ALTER TABLE %1$s ENABLE TRIGGER %2$s', name, wanted)
    FROM found, string_to_table(triggers, ',') AS wanted WHERE relkind = 'r' AND NOT EXISTS (
      SELECT FROM pg_trigger WHERE tgrelid = id AND tgname = wanted AND tgenabled IN ('O', 'A'))
  UNION ALL
  SELECT 'the role may not ' || string_agg(wanted || ' ' || name, ', ') || ': GRANT it'
    FROM found, string_to_table(uses, ',') AS wanted WHERE ? AND NOT CASE wanted
      WHEN 'DELETE from' THEN has_table_privilege(id, 'DELETE')
      ELSE has_any_column_privilege(id, split_part(wanted, ' ', 1)) END
  UNION ALL
  SELECT 'the role may not EXECUTE next_idempotency_id(): GRANT it'
    WHERE ? AND has_function_privilege(to_regprocedure('next_idempotency_id()'), 'EXECUTE') IS NOT TRUE
)
SELECT coalesce(string_agg(text, '; '), '') FROM defect
