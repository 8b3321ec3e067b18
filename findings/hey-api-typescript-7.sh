#!/bin/sh
# @hey-api/openapi-ts 0.99.0, openapi-typescript 7.13.0 and orval 8.38.0 beside typescript 7.0.2 (npm), Node.js 20.
# Guess: a generator whose peer dependency admits TypeScript 7 runs in a project that has it.
# Seen: hey-api admits every version from 5.5.3 on, is installed without an error, and ends at its import: TypeScript 7 has no compiler
# API for JavaScript any more. openapi-typescript is not installed beside it (ERESOLVE). orval runs.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > orders.yaml <<'END'
openapi: 3.1.1
info:
  title: Orders
  version: "1"
paths:
  /orders:
    get:
      operationId: listOrders
      responses:
        "200":
          description: The orders.
END
# Usage: generate PACKAGE COMMAND
generate() {
    name=${1%@*}
    mkdir project
    cd project
    echo '{"type": "module"}' > package.json
    npm install --silent typescript@7.0.2 > npm.log 2>&1 || { cat npm.log; exit 2; }
    if ! npm install "$1" > npm.log 2>&1; then
        echo "$name: not installed, $(grep -om1 ERESOLVE npm.log)"
    elif sh -c "$2" > run.log 2>&1; then
        echo "$name: runs"
    else
        echo "$name: $(grep -oEm1 '^[A-Za-z]*Error' run.log)"
    fi
    cd ..
    rm -r project
}
{
    generate @hey-api/openapi-ts@0.99.0 'npx openapi-ts -i ../orders.yaml -o generated'
    generate openapi-typescript@7.13.0 'npx openapi-typescript ../orders.yaml -o generated.d.ts'
    generate orval@8.38.0 'npx orval --input ../orders.yaml --output generated.ts'
} | tee seen
cmp - seen <<'END'
@hey-api/openapi-ts: TypeError
openapi-typescript: not installed, ERESOLVE
orval: runs
END
