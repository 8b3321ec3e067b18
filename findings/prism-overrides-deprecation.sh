#!/bin/sh
# @stoplight/prism-cli 5.16.0 (npm), Node.js 20: the mock server.
# Guess: the mock of a deprecated operation sends the Deprecation field that the document describes. A parameter of the format int64
# takes every integer of 64 bits.
# Seen: Prism sends "Deprecation: true", the value of a draft that RFC 9745 replaced by a date, and then reports the field as a
# violation of the document. An int64 above 2^53 - 1 is refused with 422, although the format ends at 2^63 - 1.
# Needs Node.js 20 or later, npm and curl. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap '[ ! -f "$folder/pid" ] || kill "$(cat "$folder/pid")" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent @stoplight/prism-cli@5.16.0 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > orders.yaml <<'END'
openapi: 3.1.1
info:
  title: Orders
  version: "1"
paths:
  /orders/{number}:
    get:
      deprecated: true
      parameters:
        - { name: number, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        "200":
          description: An order.
          headers:
            Deprecation: { required: true, schema: { type: string, const: "@1795132800" } }
            Sunset: { required: true, schema: { type: string, const: "Thu, 05 Dec 2030 23:59:59 GMT" } }
END
port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close(); })')
node node_modules/@stoplight/prism-cli/dist/index.js mock --port "$port" orders.yaml > prism.log 2>&1 &
echo $! > pid
for i in $(seq 300); do
    curl -s -o started "http://localhost:$port/" && break || sleep 0.1
done
for number in 9007199254740991 9007199254740992 9223372036854775807; do
    echo "$number"
    curl -s -i "http://localhost:$port/orders/$number" | tr -d '\r' | grep -iE '^(HTTP|deprecation|sunset|sl-violations)' | sort -f | sed 's/^/  /'
done | tee seen
cmp - seen <<'END'
9007199254740991
  deprecation: true
  HTTP/1.1 200 OK
  sl-violations: [{"location":["response","header","deprecation"],"severity":"Error","code":"const","message":"Response header parameter deprecation must be equal to constant"}]
  Sunset: Thu, 05 Dec 2030 23:59:59 GMT
9007199254740992
  HTTP/1.1 422 Unprocessable Entity
9223372036854775807
  HTTP/1.1 422 Unprocessable Entity
END
