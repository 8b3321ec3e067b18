#!/bin/sh
# org.openapitools:openapi-generator-cli 7.25.0 (Maven Central), its generator bash, Java 25.
# Guess: the generated client sends a header as it is given, and refuses a parameter above its maximum.
# Seen: the quotes of an ETag are gone, so that If-None-Match never matches, and the response is never 304. Every GET has a
# Content-Length of 0 and the Content-Type of a form. A parameter above its maximum is sent.
# Needs Java 17 or later, Maven, Bash, curl and Python 3. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap '[ ! -f "$folder/pid" ] || kill "$(cat "$folder/pid")" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 \
    -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
cat > orders.yaml <<'END'
openapi: 3.1.1
info:
  title: Orders
  version: "1"
servers:
  - url: http://localhost:8080
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:
        - { name: limit, in: query, schema: { type: integer, maximum: 100 } }
        - { name: If-None-Match, in: header, schema: { type: string } }
      responses:
        "200":
          description: The orders.
END
java -jar lib/openapi-generator-cli-7.25.0.jar generate -i orders.yaml -g bash -o client > generate.log 2>&1 || { cat generate.log; exit 2; }
cat > server.py <<'END'
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        names = ["If-None-Match", "Content-Length", "Content-Type"]
        print(self.path, {name: self.headers[name] for name in names if name in self.headers}, file=seen, flush=True)
        self.send_response(304 if self.headers["If-None-Match"] == '"abc"' else 200)
        self.end_headers()
    def log_message(self, *arguments):
        pass

seen = open("seen", "w")
server = http.server.HTTPServer(("localhost", 0), Handler)
print(server.server_port, file=open("port", "w"), flush=True)
server.serve_forever()
END
python3 server.py &
echo $! > pid
for i in $(seq 100); do
    [ -s port ] && break || sleep 0.1
done
url=http://localhost:$(cat port)
curl -s -o body -H 'If-None-Match: "abc"' "$url/orders?limit=5"
bash client/client.sh --host "$url" listOrders limit=5 'If-None-Match:"abc"' > client.log 2>&1
bash client/client.sh --host "$url" listOrders limit=500 > client.log 2>&1
cat seen
cmp - seen <<'END'
/orders?limit=5 {'If-None-Match': '"abc"'}
/orders?limit=5 {'If-None-Match': 'abc', 'Content-Length': '0', 'Content-Type': 'application/x-www-form-urlencoded'}
/orders?limit=500 {'Content-Length': '0', 'Content-Type': 'application/x-www-form-urlencoded'}
END
