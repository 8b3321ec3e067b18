#!/bin/sh
# org.openapitools:openapi-generator-cli 7.25.0 (Maven Central), its generators k6 and protobuf-schema, Java 25.
# Guess: the script for k6 passes against a server that keeps to the document, with its bearer key. The service of Protocol Buffers
# returns a list where the document has a list.
# Seen: k6 also demands 200 because of each default response, so a POST that returns 201 always fails one check. It sends no
# Authorization, and the text "long" for an int64. In the service, a list of orders is one order. The exit code is 0.
# Needs Java 17 or later and Maven. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
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
security:
  - key: []
paths:
  /orders:
    get:
      operationId: listOrders
      responses:
        "200":
          description: All orders.
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Order" } }
        default: { $ref: "#/components/responses/Failed" }
    post:
      operationId: addOrder
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Order" }
      responses:
        "201":
          description: The order was added.
        default: { $ref: "#/components/responses/Failed" }
components:
  responses:
    Failed:
      description: An error.
      content:
        application/json:
          schema: { $ref: "#/components/schemas/Error" }
  schemas:
    Order:
      type: object
      properties:
        number: { type: integer, format: int64 }
    Error:
      type: object
      properties:
        code: { type: string }
  securitySchemes:
    key: { type: http, scheme: bearer }
END
for generator in k6 protobuf-schema; do
    code=0
    java -jar lib/openapi-generator-cli-7.25.0.jar generate -i orders.yaml -g $generator -o $generator > $generator.log 2>&1 || code=$?
    echo "$generator: exit code $code"
done > seen
{
    sed -n 's/^ *\(http\.[a-z]*(.*\);/\1/p; s/^.*\(http\.[a-z]*(.*\);/\1/p; s/^ *\(let body.*\)/\1/p; /status ===/s/^ *//p' k6/script.js
    echo "Authorization in the script: $(grep -ci authorization k6/script.js || true)"
    sed -n '/^message ListOrdersResponse/,/^}/p' protobuf-schema/services/*.proto
} >> seen
cat seen
cmp - seen <<'END'
k6: exit code 0
protobuf-schema: exit code 0
http.get(url)
"All orders.": (r) => r.status === 200
"": (r) => r.status === 200
let body = {"number": "long"};
http.post(url, JSON.stringify(body), params)
"The order was added.": (r) => r.status === 201
"": (r) => r.status === 200
Authorization in the script: 0
message ListOrdersResponse {
    oneof response {
        Order order_200 = 1;
        Error error_0 = 2;
    }
}
END
