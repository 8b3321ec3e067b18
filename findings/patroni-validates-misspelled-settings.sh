#!/bin/sh
# Patroni 3.0.2 (Debian 12: patroni 3.0.2-1), PostgreSQL 15, --validate-config.
# Guess: "patroni --validate-config" reports a name that Patroni does not know, and a switch that is neither true nor false.
# Seen: with five misspelled names (synchronous_mod, paramters twice, pg_hbaa, tagss) and "synchronous_mode: yess" the exit code is 0
# and nothing is printed. So a cluster that was checked runs without synchronous replication and without its parameters.
# A missing section and a wrong watchdog.mode are reported.
# Needs apt-get, dpkg, Python 3.11. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap '[ ! -f "$folder/pid" ] || kill "$(cat "$folder/pid")" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
for package in patroni=3.0.2-1 postgresql-15 postgresql-client-15 libpq5 python3-psycopg2 python3-prettytable python3-wcwidth python3-dateutil \
        python3-yaml python3-click python3-six python3-urllib3 python3-psutil; do
    apt-get download "$package" > apt.log 2>&1 || { cat apt.log; exit 2; }
done
for file in *.deb; do
    dpkg -x "$file" package
done
# The address of etcd must accept connections.
cat > listen.py <<'END'
import socket, time
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], file=open("port", "w"), flush=True)
time.sleep(100)
END
python3 listen.py &
echo $! > pid
for i in $(seq 100); do
    [ -s port ] && break || sleep 0.1
done
free() { python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])'; }
mkdir data
# Usage: check NAME SED-SCRIPT Checks a configuration that is changed so.
check() {
    sed "$2" > patroni.yaml <<END
scope: shop
name: first
restapi: { listen: "127.0.0.1:$(free)", connect_address: "192.0.2.1:8008" }
etcd3: { host: "127.0.0.1:$(cat port)" }
bootstrap:
  dcs:
    ttl: 30
    loop_wait: 10
    retry_timeout: 10
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql: { parameters: { fsync: "on" } }
  initdb: [encoding: UTF8]
  pg_hba: [host all all all scram-sha-256]
postgresql:
  listen: 127.0.0.1:$(free)
  connect_address: 192.0.2.1:5432
  data_dir: $PWD/data
  bin_dir: $PWD/package/usr/lib/postgresql/15/bin
  authentication:
    replication: { username: replica, password: secret }
    superuser: { username: postgres, password: secret }
    rewind: { username: rewind, password: secret }
  parameters: { max_connections: 100 }
  pg_hba: [hostssl all all all scram-sha-256]
tags: { nofailover: true }
watchdog: { mode: "off" }
END
    code=0
    LD_LIBRARY_PATH=$PWD/package/usr/lib/$(uname -m)-linux-gnu PYTHONPATH=package/usr/lib/python3/dist-packages \
        python3 package/usr/bin/patroni --validate-config patroni.yaml > report 2>&1 || code=$?
    echo "$1: exit code $code"
    cat report
}
{
    check 'as it is' ''
    check 'misspelled' 's/synchronous_mode:/synchronous_mod:/; s/parameters:/paramters:/; s/pg_hba: .hostssl/pg_hbaa: [hostssl/; s/^tags/tagss/'
    check 'synchronous_mode: yess' 's/synchronous_mode: true/synchronous_mode: yess/'
    check 'watchdog mode: offf' 's/mode: "off"/mode: offf/'
} | tee seen
cmp - seen <<'END'
as it is: exit code 0
misspelled: exit code 0
synchronous_mode: yess: exit code 0
watchdog mode: offf: exit code 1
watchdog.mode offf didn't pass validation: Wrong value
END
