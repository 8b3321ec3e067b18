#!/bin/sh
# Load generators of Debian 12: hey 0.1.4-2+b4, ab 2.4.71-1~deb12u1 (apache2-utils), httperf 0.9.0-9+b2, wrk 4.1.0-3+b2,
# h2load 1.52.0 (nghttp2-client); of npm: autocannon 9.0.0, loadtest 8.2.1. Linux.
# Guess: each counts an error for a response that ends in the middle of its body, 50 of 100 bytes of its Content-Length.
# Seen: hey, ab, httperf and autocannon count no error. hey even reports 100 bytes for each. So a server that dies in the middle of its
# responses passes such a test. wrk, h2load and loadtest count errors.
# Needs apt-get, dpkg, Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap '[ ! -f "$folder/pid" ] || kill "$(cat "$folder/pid")" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
for package in hey=0.1.4-2+b4 apache2-utils=2.4.71-1~deb12u1 httperf=0.9.0-9+b2 wrk=4.1.0-3+b2 nghttp2-client=1.52.0-1+deb12u3 \
        libluajit-5.1-2 libjansson4 libev4 libc-ares2 libnghttp2-14 libaprutil1 libapr1 libevent-2.1-7; do
    apt-get download "$package" > apt.log 2>&1 || { cat apt.log; exit 2; }
done
for file in *.deb; do
    dpkg -x "$file" package
done
PATH=$PWD/package/usr/bin:$PATH
LD_LIBRARY_PATH=$PWD/package/usr/lib/$(uname -m)-linux-gnu
export PATH LD_LIBRARY_PATH
echo '{"type": "module"}' > package.json
npm install --silent autocannon@9.0.0 loadtest@8.2.1 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > server.js <<'END'
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n' + 'x'.repeat(50));
    });
});
server.listen(0, () => writeFileSync('port', String(server.address().port)));
END
node server.js &
echo $! > pid
for i in $(seq 100); do
    [ -s port ] && break || sleep 0.1
done
url=http://localhost:$(cat port)/
# Usage: show NAME FILE PATTERN Prints the lines of a report about errors and sizes.
show() { grep -E "$3" "$2" | tr -s ' \t' ' ' | sed "s/^ */$1: /"; }
hey -n 20 -c 2 "$url" > hey.txt 2>&1
ab -n 20 -c 2 "$url" > ab.txt 2>&1
httperf --server localhost --port "$(cat port)" --num-conns 20 --rate 20 > httperf.txt 2>&1
wrk -t 1 -c 1 -d 1 "$url" > wrk.txt 2>&1
h2load --h1 -n 20 -c 2 "$url" > h2load.txt 2>&1 || true
npx autocannon -a 20 -c 2 --json "$url" > autocannon.txt 2> autocannon.log
npx loadtest -n 20 -c 2 "$url" > loadtest.txt 2>&1
{
    show hey hey.txt 'Size/request|responses|Error'
    show ab ab.txt 'Complete requests|Failed requests|Non-2xx'
    show httperf httperf.txt 'Reply status|Errors: total'
    echo "autocannon: $(grep -oE '"(errors|timeouts|non2xx|resets)":[0-9]*' autocannon.txt | paste -sd' ')"
    show wrk wrk.txt ' requests in |Socket errors' | sed 's/ in .*//; s/read [1-9][0-9]*/read many/'
    echo "h2load: $(grep -o '[0-9]* failed' h2load.txt)"
    show loadtest loadtest.txt 'Completed|errors:'
} | tee seen
cmp - seen <<'END'
hey: Size/request: 100 bytes
hey: [200] 20 responses
ab: Complete requests: 20
ab: Failed requests: 0
httperf: Reply status: 1xx=0 2xx=20 3xx=0 4xx=0 5xx=0
httperf: Errors: total 0 client-timo 0 socket-timo 0 connrefused 0 connreset 0
autocannon: "errors":0 "timeouts":0 "non2xx":0 "resets":0
wrk: 0 requests
wrk: Socket errors: connect 0, read many, write 0, timeout 0
h2load: 20 failed
loadtest: Completed requests: 20
loadtest: Total errors: 20
END
