#!/bin/sh
# @apiture/openapi-down-convert 0.14.2, with @redocly/cli 2.77.0 as the judge (npm), Node.js 20.
# Guess: the converter from OpenAPI 3.1 to 3.0 writes a document of 3.0.3, or says which parts it cannot convert.
# Seen: exit code 0 and no warning, but the result is invalid: it keeps a number in exclusiveMinimum, the type null, lists of types and
# prefixItems. A date as example, 2030-12-05 without quotes, becomes a time in UTC, which its own schema refuses.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent @apiture/openapi-down-convert@0.14.2 @redocly/cli@2.77.0 > npm.log 2>&1 || { cat npm.log; exit 2; }
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
      parameters:
        - { name: since, in: query, schema: { type: string, format: date }, example: 2030-12-05 }
      responses:
        "200":
          description: An order.
          content:
            application/json:
              schema:
                type: object
                properties:
                  kind: { const: open }
                  note: { type: [string, "null"] }
                  label: { type: [string, integer] }
                  price: { type: number, exclusiveMinimum: 0 }
                  size: { anyOf: [{ type: "null" }, { type: integer }] }
                  pair: { type: array, prefixItems: [{ type: string }], items: { type: string } }
END
cat > redocly.yaml <<'END'
rules:
  struct: error
  no-invalid-parameter-examples: error
END
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
# Usage: problems FILE Prints where the document breaks the rules of its version.
problems() {
    npx redocly lint --format json "$1" 2> lint.log > lint.json || true
    node -e 'for (const problem of JSON.parse(require("fs").readFileSync("lint.json")).problems) {
        const [place] = problem.location;
        console.log("  " + (place.pointer ?? "").split("/").slice(-3).join("/") + ": " + problem.message.split("\n")[0]);
    }' | sort
}
{
    echo 'before:'
    problems orders.yaml
    code=0
    npx openapi-down-convert --input orders.yaml --output old.yaml > convert.log 2>&1 || code=$?
    echo "conversion: exit code $code, $(wc -l < convert.log) lines of messages"
    problems old.yaml
} | tee seen
cmp - seen <<'END'
before:
conversion: exit code 0, 0 lines of messages
  anyOf/0/type: `type` can be one of the following only: "object", "array", "string", "number", "integer", "boolean".
  parameters/0/example: Example value must conform to the schema: must match format "date".
  properties/label/type: `type` can be one of the following only: "object", "array", "string", "number", "integer", "boolean".
  properties/pair/prefixItems: Property `prefixItems` is not expected here.
  properties/price/exclusiveMinimum: Expected type `boolean` but got `integer`.
END
