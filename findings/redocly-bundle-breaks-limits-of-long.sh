#!/bin/sh
# @redocly/cli 2.77.0 (npm), then openapi-generator-cli 7.25.0, generator spring (Maven Central), Java 25.
# Guess: "redocly bundle" of a document without references to other files changes nothing that it means, and a server made of the bundle
# compiles as one made of the document.
# Seen: the bundle rounds the limits of an int64 to 9223372036854776000, without a warning, and its own lint finds no fault. The generator
# makes a Java long of that, which the compiler refuses: integer number too large.
# Needs Java 17 or later, Maven, Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent @redocly/cli@2.77.0 > npm.log 2>&1 || { cat npm.log; exit 2; }
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
  /order:
    get:
      operationId: getOrder
      responses:
        "200":
          description: An order.
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Order" }
components:
  schemas:
    Order:
      type: object
      properties:
        number: { type: integer, format: int64, minimum: -9223372036854775808, maximum: 9223372036854775807 }
END
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
npx redocly bundle orders.yaml -o bundle.yaml > bundle.log 2>&1 || { cat bundle.log; exit 2; }
{
    echo "bundle: $(grep -oE '(min|max)imum: .*' bundle.yaml | paste -sd' ')"
    npx redocly lint --extends=spec bundle.yaml > lint.log 2>&1 && echo 'lint: no fault' || echo 'lint: a fault'
    for name in orders bundle; do
        java -jar lib/openapi-generator-cli-7.25.0.jar generate -i $name.yaml -g spring -o $name > generate.log 2>&1 || { cat generate.log; exit 2; }
        limits=$(grep -ohE '@(Min|Max)\([^)]*\)' $name/src/main/java/org/openapitools/model/Order.java)
        echo "$name: $(echo "$limits" | paste -sd' ')"
        {
            echo "class $name {"
            echo "$limits" | sed -E 's/.*@(Min|Max)\(value = (.*)\)/static final long \1 = \2;/'
            echo '}'
        } > $name.java
        javac -d classes $name.java > javac.log 2>&1 && echo '  compiles' || sed -n 's/.*error: /  /p' javac.log
    done
} | tee seen
cmp - seen <<'END'
bundle: minimum: -9223372036854776000 maximum: 9223372036854776000
lint: no fault
orders: @Min(value = -9223372036854775808L) @Max(value = 9223372036854775807L)
  compiles
bundle: @Min(value = -9223372036854776000L) @Max(value = 9223372036854776000L)
  integer number too large
  integer number too large
END
