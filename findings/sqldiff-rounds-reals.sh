#!/bin/sh
# sqldiff 3.40.1 of sqlite3-tools (Debian 12: 3.40.1-2+deb12u2).
# Guess: the statements of "sqldiff FIRST SECOND", run on FIRST, make its rows equal to those of SECOND.
# Seen: it writes a REAL with 15 digits, so 0.30000000000000004 becomes 0.3, and the next sqldiff finds the same difference again.
# An infinity is written as Inf, which SQLite takes for the name of a column: that row is missing. "sqlite3 .dump" of the same version
# loses nothing.
# Needs apt-get and dpkg. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download sqlite3-tools=3.40.1-2+deb12u2 sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2 > apt.log 2>&1 || { cat apt.log; exit 2; }
for file in *.deb; do
    dpkg -x "$file" package
done
PATH=$PWD/package/usr/bin:$PATH
LD_LIBRARY_PATH=$PWD/package/usr/lib/$(uname -m)-linux-gnu
export PATH LD_LIBRARY_PATH
sqlite3 first.db 'CREATE TABLE price (id INTEGER PRIMARY KEY, amount REAL)'
cp first.db second.db
sqlite3 second.db 'INSERT INTO price VALUES (1, 0.1 + 0.2), (2, 9e999), (3, 12345678901234567.0)'
{
    sqldiff first.db second.db
    echo "run: exit code $(sqldiff first.db second.db | sqlite3 first.db > sqlite.log 2>&1 && echo 0 || echo $?), $(head -1 sqlite.log)"
    echo 'what differs now:'
    sqldiff first.db second.db
    sqlite3 second.db .dump | sqlite3 dumped.db
    lost="ATTACH 'second.db' AS s; SELECT count(*) FROM (SELECT * FROM price EXCEPT SELECT * FROM s.price)"
    echo "differs from a dump: $(sqlite3 dumped.db "$lost") rows"
} | tee seen
cmp - seen <<'END'
INSERT INTO price(id,amount) VALUES(1,0.3);
INSERT INTO price(id,amount) VALUES(2,Inf);
INSERT INTO price(id,amount) VALUES(3,1.23456789012346e+16);
run: exit code 1, Parse error near line 2: no such column: Inf
what differs now:
UPDATE price SET amount=0.3 WHERE id=1;
INSERT INTO price(id,amount) VALUES(2,Inf);
UPDATE price SET amount=1.23456789012346e+16 WHERE id=3;
differs from a dump: 0 rows
END
