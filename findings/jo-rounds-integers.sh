#!/bin/sh
# jo 1.9 (Debian 12: jo 1.9-1), which makes JSON of the arguments of a command line.
# Guess: an integer of 64 bits arrives in the JSON as it was typed, because JSON does not limit integers.
# Seen: jo keeps numbers as doubles. Above 2^53 it writes another integer, without a warning and with exit code 0, and from 10^17 on an
# exponent. An id that is sent so is that of another record.
# Needs apt-get and dpkg. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download jo=1.9-1 > apt.log 2>&1 || { cat apt.log; exit 2; }
dpkg -x jo_*.deb package
for number in 9007199254740991 9007199254740993 99999999999999999; do
    package/usr/bin/jo "number=$number"
done | tee seen
cmp - seen <<'END'
{"number":9007199254740991}
{"number":9007199254740992}
{"number":1e+17}
END
