#!/bin/sh
# drizzle-kit 0.31.11 with drizzle-orm 0.45.4 and @libsql/client 0.18.0 (npm), "pull" from SQLite, Node.js 20.
# Guess: the migration that "drizzle-kit pull" writes makes the tables that it read, or says what it cannot express.
# Seen: a CHECK of one table stands at every table, so that SQLite refuses the migration: no such column. COLLATE, WHERE and DESC of an
# index are gone, an expression is left out of it, a generated column becomes an ordinary one, and a default above 2^53 is rounded.
# There is no warning, and the exit code is 0.
# Needs Node.js 20 or later, npm and Python 3. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent drizzle-kit@0.31.11 drizzle-orm@0.45.4 @libsql/client@0.18.0 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > make.py <<'END'
import sqlite3
with sqlite3.connect("parts.db") as connection:
    connection.executescript("""
        CREATE TABLE maker (id INTEGER PRIMARY KEY);
        CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE CHECK (name <> ''), note TEXT, upper TEXT AS (upper(name)),
            sold INTEGER DEFAULT 9007199254740993);
        CREATE UNIQUE INDEX by_name ON part (name DESC) WHERE note IS NULL;
        CREATE INDEX by_lower ON part (lower(name), note);
        """)
END
python3 make.py
code=0
npx drizzle-kit pull --dialect sqlite --url file:parts.db --out pulled > pull.log 2>&1 || code=$?
{
    echo "exit code $code, $(grep -ciE 'warn|unsupported|not supported' pull.log || true) warnings"
    sed -n '/^\/\*/,/^\*\//p' pulled/0000_*.sql | grep -v '^[/*]' | tr -d '`' | sed 's/--> statement-breakpoint//' | tr '\t' ' ' | tee migration.sql
    python3 - <<'END'
import sqlite3
try:
    sqlite3.connect(":memory:").executescript(open("migration.sql").read())
    print("the migration runs")
except sqlite3.Error as error:
    print("the migration fails:", error)
END
} | tee seen
cmp - seen <<'END'
exit code 0, 0 warnings
CREATE TABLE maker (
 id integer PRIMARY KEY,
 CONSTRAINT "part_check_1" CHECK(name <> '')
);

CREATE TABLE part (
 id integer PRIMARY KEY,
 name text,
 note text,
 upper text,
 sold integer DEFAULT 9007199254740992,
 CONSTRAINT "part_check_1" CHECK(name <> '')
);

CREATE INDEX by_lower ON part (note);
CREATE UNIQUE INDEX by_name ON part (name);
the migration fails: no such column: name
END
