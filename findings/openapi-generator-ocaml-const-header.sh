#!/bin/sh
# org.openapitools:openapi-generator-cli 7.25.0 (Maven Central), its stable generator ocaml, Java 25.
# Guess: it makes no difference to a generator whether a header stands at its response or is referred to in components.
# Seen: a header in components whose schema has const or enum ends the generation for OCaml with "Unreferenced enum". The same header
# at the response, or without const, is fine. The generator for Go makes a client of each.
# Needs Java 17 or later and Maven. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 \
    -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
# Usage: generate NAME GENERATOR HEADER COMPONENT
generate() {
    cat > orders.yaml <<END
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
          headers:
            Cache-Control: $3
components:
  headers:
    Control: $4
END
    java -jar lib/openapi-generator-cli-7.25.0.jar generate -i orders.yaml -g "$2" -o "out/$1" > log 2>&1 && result=generated ||
        result=$(grep -o 'IllegalArgumentException: Unreferenced enum.*' log | head -1)
    echo "$1: $result"
}
const='{ schema: { type: string, const: no-store } }'
{
    generate 'ocaml, at the response' ocaml "$const" '{ schema: { type: string } }'
    generate 'ocaml, in components without const' ocaml '{ $ref: "#/components/headers/Control" }' '{ schema: { type: string } }'
    generate 'ocaml, in components' ocaml '{ $ref: "#/components/headers/Control" }' "$const"
    generate 'ocaml, in components with enum' ocaml '{ $ref: "#/components/headers/Control" }' '{ schema: { type: string, enum: [a, b] } }'
    generate 'go, in components' go '{ $ref: "#/components/headers/Control" }' "$const"
} | tee seen
cmp - seen <<'END'
ocaml, at the response: generated
ocaml, in components without const: generated
ocaml, in components: IllegalArgumentException: Unreferenced enum [no-store]
ocaml, in components with enum: IllegalArgumentException: Unreferenced enum [a, b]
go, in components: generated
END
