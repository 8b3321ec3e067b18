#!/bin/sh
# csvkit 1.0.7 with agate 1.6.3 (Debian 12), csvjson.
# Guess: csvjson makes numbers of columns of integers, exactly, and leaves names alone.
# Seen: integers above 2^53 are rounded, and all become floats. A column whose words all stand for days becomes one of dates in the
# year 1: the names May, June, Friday and Today. Names such as None and NA become null, also with --no-inference.
# Needs apt-get, dpkg and Python 3.11. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download csvkit=1.0.7-1 python3-csvkit=1.0.7-1 python3-agate=1.6.3-2 python3-babel python-babel-localedata python3-isodate \
    python3-leather python3-parsedatetime=2.6-3 python3-pytimeparse python3-slugify python3-six python3-future python3-tz \
    python3-text-unidecode > apt.log 2>&1 || { cat apt.log; exit 2; }
for file in *.deb; do
    dpkg -x "$file" package
done
csvjson() {
    PYTHONPATH=package/usr/lib/python3/dist-packages python3 package/usr/bin/csvjson "$@"
    echo
}
printf '%s\n' id,name 9007199254740993,May 2,June 3,Friday 4,Today > days.csv
printf '%s\n' id,name 9007199254740993,May 2,Rex 3,None 4,NA > names.csv
{
    csvjson days.csv
    csvjson names.csv
    csvjson --no-inference names.csv
} | tee seen
cmp - seen <<'END'
[{"id": 9007199254740992.0, "name": "0001-05-01"}, {"id": 2.0, "name": "0001-06-01"}, {"id": 3.0, "name": "0001-01-05"}, {"id": 4.0, "name": "0001-01-01"}]
[{"id": 9007199254740992.0, "name": "May"}, {"id": 2.0, "name": "Rex"}, {"id": 3.0, "name": null}, {"id": 4.0, "name": null}]
[{"id": "9007199254740993", "name": "May"}, {"id": "2", "name": "Rex"}, {"id": "3", "name": null}, {"id": "4", "name": null}]
END
