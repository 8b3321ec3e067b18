#!/bin/sh
# Proxies of Debian 12 that compress a response of another server: nginx 1.22.1, HAProxy 2.6.12, Caddy 2.6.2, Apache 2.4.71.
# Guess: a client that sends back the ETag it got through a proxy gets 304 for If-None-Match, and its If-Match is true, as without the proxy.
# Seen: Apache makes "abc-gzip" of "abc" and sends that to the server as it comes, so the response is never 304 and If-Match always fails.
# nginx and HAProxy make it weak: 304 works, If-Match always fails (412). Caddy leaves the strong ETag although it changes the bytes, which
# RFC 9110 forbids, and so it alone leaves If-Match usable.
# Needs apt-get, dpkg, curl and Node.js 20 or later. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap '[ ! -f "$folder/pids" ] || kill $(cat "$folder/pids") 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
for package in nginx=1.22.1-9+deb12u11 haproxy=2.6.12-1+deb12u4 caddy=2.6.2-5 apache2-bin=2.4.71-1~deb12u1 liblua5.3-0 \
        libopentracing-c-wrapper0 libopentracing1 libaprutil1 libapr1; do
    apt-get download "$package" > apt.log 2>&1 || { cat apt.log; exit 2; }
done
for file in *.deb; do
    dpkg -x "$file" package
done
package=$PWD/package
LD_LIBRARY_PATH=$package/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH HOME="$PWD" XDG_DATA_HOME="$PWD" XDG_CONFIG_HOME="$PWD"
port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }
# Usage: start PORT COMMAND... Starts a server and waits until it accepts connections.
start() {
    port=$1
    shift
    "$@" > server.log 2>&1 &
    echo $! >> pids
    for i in $(seq 100); do
        curl -s -o started "http://127.0.0.1:$port/" && break || sleep 0.1
    done
}
cat > server.js <<'END'
const { createServer } = require('node:http');

const list = (field) => field.split(',').map((tag) => tag.trim());
createServer((request, response) => {
    response.setHeader('ETag', '"abc"');
    response.setHeader('Content-Type', 'application/json');
    const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
    if (match !== undefined && !list(match).includes('"abc"')) {
        response.statusCode = 412;
    } else if (noneMatch !== undefined && list(noneMatch).some((tag) => tag.replace(/^W\//, '') === '"abc"')) {
        response.statusCode = 304;
    }
    response.end(response.statusCode === 200 ? JSON.stringify(Array(2_000).fill('order')) : undefined);
}).listen(Number(process.argv[2]), '127.0.0.1');
END
server=$(port)
start "$server" node server.js "$server"
nginx=$(port)
cat > nginx.conf <<END
daemon off;
master_process off;
pid $PWD/nginx.pid;
error_log $PWD/nginx.log;
events {}
http {
    access_log off;
    client_body_temp_path $PWD/bodies;
    proxy_temp_path $PWD/proxy;
    fastcgi_temp_path $PWD/fastcgi;
    uwsgi_temp_path $PWD/uwsgi;
    scgi_temp_path $PWD/scgi;
    gzip on;
    gzip_proxied any;
    gzip_types application/json;
    server {
        listen 127.0.0.1:$nginx;
        location / { proxy_pass http://127.0.0.1:$server; }
    }
}
END
start "$nginx" "$package/usr/sbin/nginx" -c "$PWD/nginx.conf"
haproxy=$(port)
cat > haproxy.cfg <<END
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
listen shop
    bind 127.0.0.1:$haproxy
    compression algo gzip
    compression type application/json
    server first 127.0.0.1:$server
END
start "$haproxy" "$package/usr/sbin/haproxy" -f haproxy.cfg
caddy=$(port)
cat > Caddyfile <<END
{
    admin off
    auto_https off
}
http://127.0.0.1:$caddy {
    encode gzip
    reverse_proxy 127.0.0.1:$server
}
END
start "$caddy" "$package/usr/bin/caddy" run --config Caddyfile --adapter caddyfile
apache=$(port)
{
    for module in mpm_event authz_core filter deflate proxy proxy_http; do
        echo "LoadModule ${module}_module $package/usr/lib/apache2/modules/mod_$module.so"
    done
    cat <<END
ServerRoot $PWD
ServerName localhost
PidFile $PWD/apache.pid
ErrorLog $PWD/apache.log
Listen 127.0.0.1:$apache
ProxyPass / http://127.0.0.1:$server/
AddOutputFilterByType DEFLATE application/json
END
} > apache.conf
start "$apache" "$package/usr/sbin/apache2" -DFOREGROUND -f "$PWD/apache.conf"
# Usage: status PORT CURL-OPTION... Prints the status code.
status() {
    port=$1
    shift
    curl -s -o body -w '%{http_code}' -H 'Accept-Encoding: gzip' "$@" "http://127.0.0.1:$port/"
}
for name in server nginx haproxy caddy apache; do
    eval "port=\$$name"
    status "$port" -D head > code
    etag=$(tr -d '\r' < head | sed -n 's/^etag: //Ip')
    echo "$name: $(grep -ci '^content-encoding: gzip' head || true) codings, $etag, If-None-Match $(status "$port" -H "If-None-Match: $etag")," \
        "If-Match $(status "$port" -X POST -H "If-Match: $etag")"
done | tee seen
cmp - seen <<'END'
server: 0 codings, "abc", If-None-Match 304, If-Match 200
nginx: 1 codings, W/"abc", If-None-Match 304, If-Match 412
haproxy: 1 codings, W/"abc", If-None-Match 304, If-Match 412
caddy: 1 codings, "abc", If-None-Match 304, If-Match 200
apache: 1 codings, "abc-gzip", If-None-Match 200, If-Match 412
END
