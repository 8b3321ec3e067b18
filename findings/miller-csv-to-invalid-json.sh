#!/bin/sh
# Miller 6.6.0 (Debian 12: miller 6.6.0-2+b3), CSV in, JSON lines out.
# Guess: a field of CSV that Miller takes for a number becomes a number of JSON, and every other field a string.
# Seen: it copies the text of each number that it knows, also of those that JSON does not have: 0xff, 0b11, .5, 5. and 1.e5. So the line is
# no JSON. With -S (--infer-none) every field becomes a string.
# Needs apt-get, dpkg and Python 3. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download miller=6.6.0-2+b3 > apt.log 2>&1 || { cat apt.log; exit 2; }
dpkg -x miller_*.deb package
printf '%s\n' name Rex 0xff 0b11 .5 5. 1.e5 007 1e5 Infinity > names.csv
package/usr/bin/mlr --icsv --ojsonl cat names.csv > names.jsonl
while read -r line; do
    printf '%s' "$line" | python3 -m json.tool > /dev/null 2>&1 && echo "JSON     $line" || echo "no JSON  $line"
done < names.jsonl | tee seen
cmp - seen <<'END'
JSON     {"name": "Rex"}
no JSON  {"name": 0xff}
no JSON  {"name": 0b11}
no JSON  {"name": .5}
no JSON  {"name": 5.}
no JSON  {"name": 1.e5}
JSON     {"name": "007"}
JSON     {"name": 1e5}
JSON     {"name": "Infinity"}
END
