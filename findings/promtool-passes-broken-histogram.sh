#!/bin/sh
# promtool 2.42.0 (Debian 12: prometheus 2.42.0+ds-5+deb12u1), check metrics.
# Guess: "promtool check metrics" fails for a page that breaks the text format: a series that stands twice with two values, buckets of a
# histogram that sink, a count that differs from the bucket +Inf, a negative counter.
# Seen: exit code 0 and not a word for each. The same command fails (3) for a name of a counter without _total.
# Needs apt-get and dpkg. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download prometheus=2.42.0+ds-5+deb12u1 > apt.log 2>&1 || { cat apt.log; exit 2; }
dpkg -x prometheus_*.deb package
# Usage: check NAME TYPE LINE... Checks a page with these samples.
check() {
    name=$1
    kind=$2
    shift 2
    metric=$(echo "$1" | sed -E 's/(_bucket)?[{ ].*//')
    printf '%s\n' "# HELP $metric Orders." "# TYPE $metric $kind" "$@" > page
    code=0
    package/usr/bin/promtool check metrics < page > report 2>&1 || code=$?
    echo "$name: exit code $code"
    cat report
}
{
    check 'a series twice' counter 'orders_total{shop="a"} 9' 'orders_total{shop="a"} 4'
    check 'a negative counter' counter 'orders_total -1'
    check 'sinking buckets' histogram 'order_seconds_bucket{le="1"} 9' 'order_seconds_bucket{le="+Inf"} 4' 'order_seconds_sum 1' \
        'order_seconds_count 4'
    check 'another count' histogram 'order_seconds_bucket{le="1"} 3' 'order_seconds_bucket{le="+Inf"} 4' 'order_seconds_sum 1' \
        'order_seconds_count 7'
    check 'no bucket +Inf' histogram 'order_seconds_bucket{le="1"} 3' 'order_seconds_sum 1' 'order_seconds_count 7'
    check 'no _total' counter 'orders 1'
} | tee seen
cmp - seen <<'END'
a series twice: exit code 0
a negative counter: exit code 0
sinking buckets: exit code 0
another count: exit code 0
no bucket +Inf: exit code 0
no _total: exit code 3
orders counter metrics should have "_total" suffix
END
