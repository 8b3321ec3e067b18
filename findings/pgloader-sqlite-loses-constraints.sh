#!/bin/sh
# pgloader 3.6.9 (Debian 12: pgloader 3.6.9-1) from SQLite to PostgreSQL 15.
# Guess: pgloader keeps the constraints of a table of SQLite, or warns about those that it cannot keep; numbers stay as they are.
# Seen: NOT NULL, CHECK, COLLATE and DESC are gone. A unique index with WHERE becomes unique for all rows. REAL, which has 8 bytes in
# SQLite, becomes real, which has 4: 123456789.25 arrives as 1.2345679e+08. There is no warning, no error, and the exit code is 0.
# Needs apt-get, dpkg, Python 3 and libsqlite3. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download pgloader=3.6.9-1 postgresql-15 postgresql-client-15 libpq5 > apt.log 2>&1 || { cat apt.log; exit 2; }
for file in *.deb; do
    dpkg -x "$file" package
done
python3 - <<'END'
import sqlite3
with sqlite3.connect("parts.db") as connection:
    connection.executescript("""
        CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> ''), label TEXT, weight REAL, sold INTEGER NOT NULL);
        CREATE UNIQUE INDEX label_of_unsold ON part (label) WHERE sold = 0;
        CREATE INDEX by_name ON part (name COLLATE NOCASE DESC);
        INSERT INTO part VALUES (1, 'bolt', 'a', 123456789.25, 0), (2, 'nut', 'b', 0.5, 1);
        """)
END
mkdir logs
# PostgreSQL does not run as root.
[ "$(id -u)" != 0 ] || { chown -R nobody "$folder"; run='setpriv --reuid=nobody --regid=nogroup --clear-groups'; }
cat > load <<'END'
set -eu
PATH=$PWD/package/usr/lib/postgresql/15/bin:$PATH
export PATH LD_LIBRARY_PATH="$PWD/package/usr/lib/$(uname -m)-linux-gnu" PGHOST="$PWD" PGUSER=postgres LC_ALL=C HOME="$PWD"
initdb -D data -U postgres -A trust > initdb.log
pg_ctl -D data -o "-k $PWD -c listen_addresses=''" -l server.log -w start > start.log
trap 'pg_ctl -D data -m immediate stop > stop.log' EXIT
createdb parts
code=0
package/usr/bin/pgloader --root-dir "$PWD/logs" "sqlite://$PWD/parts.db" "postgresql://postgres@unix:$PWD:5432/parts" > load.log 2>&1 || code=$?
echo "exit code $code, $(grep -cE 'WARNING|ERROR|FATAL' load.log) warnings"
psql -XAt parts -c "SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'part' ORDER BY ordinal_position" \
    -c "SELECT count(*) FROM pg_constraint WHERE contype = 'c' AND conrelid = 'part'::regclass" \
    -c "SELECT regexp_replace(indexdef, 'idx_[0-9]+_', '') FROM pg_indexes WHERE tablename = 'part' ORDER BY 1" -c "SELECT id, weight FROM part ORDER BY id"
END
${run:-} sh load | tee seen
cmp - seen <<'END'
exit code 0, 0 warnings
id|bigint|NO
name|text|YES
label|text|YES
weight|real|YES
sold|bigint|YES
0
CREATE INDEX by_name ON public.part USING btree (name)
CREATE UNIQUE INDEX label_of_unsold ON public.part USING btree (label)
CREATE UNIQUE INDEX part_pkey ON public.part USING btree (id)
1|1.2345679e+08
2|0.5
END
