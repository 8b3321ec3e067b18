#!/bin/sh
# PgBouncer 1.18.0-1+deb12u1 (Debian 12), Linux.
# Guess: PgBouncer reports a wrong password and an unknown database by the SQLSTATEs of PostgreSQL, 28P01 and 3D000.
# Seen: both are 08P01 (protocol_violation), the state of a broken connection. Only the texts differ. So a client that retries by class
# retries a wrong password for ever, and one that gives up at 08 gives up while a server restarts.
# Needs apt-get of Debian 12, Python 3, and root or PostgreSQL's user. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'kill "$(cat "$folder/pid")" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download pgbouncer=1.18.0-1+deb12u1 > /dev/null
dpkg-deb -x pgbouncer_*.deb package
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat > pgbouncer.ini <<END
[databases]
animals = host=127.0.0.1 port=1
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = plain
auth_file = $folder/users
pidfile = $folder/pid
logfile = $folder/log
END
echo '"clerk" "right"' > users
chmod -R a+rwX "$folder"
as() { if [ "$(id -u)" = 0 ]; then runuser -u nobody -- "$@"; else "$@"; fi; }
as package/usr/sbin/pgbouncer -q -d pgbouncer.ini
cat > ask.py <<'END'
import socket, struct, sys

def error(port, database, password):
    """Returns the SQLSTATE and the message with which a connection is refused."""
    with socket.create_connection(("127.0.0.1", port), 10) as server:
        start = struct.pack("!i", 196608) + f"user\0clerk\0database\0{database}\0\0".encode()
        server.sendall(struct.pack("!i", len(start) + 4) + start)
        stream = server.makefile("rb")
        while True:
            kind, length = struct.unpack("!ci", stream.read(5))
            body = stream.read(length - 4)
            if kind == b"E":
                fields = {field[:1]: field[1:].decode() for field in body.split(b"\0") if field}
                return fields[b"C"] + " " + fields[b"M"]
            if kind == b"R" and struct.unpack("!i", body[:4])[0] == 3:
                text = password.encode() + b"\0"
                server.sendall(b"p" + struct.pack("!i", len(text) + 4) + text)

port = int(sys.argv[1])
print("wrong password:", error(port, "animals", "wrong"))
print("unknown database:", error(port, "plants", "right"))
END
seen=$(python3 ask.py "$port")
echo "$seen"
[ "$(echo "$seen" | sed 's/: \([0-9A-Z]*\) .*/: \1/')" = "wrong password: 08P01
unknown database: 08P01" ]
