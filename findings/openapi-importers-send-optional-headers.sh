#!/bin/sh
# openapi-to-postmanv2 6.3.3 (Postman's import) and @usebruno/converters 0.23.0 (Bruno's import), npm, Node.js 20.
# Guess: a request imported from an OpenAPI document leaves out the optional headers, or has them switched off. The same document gives
# the same request at each import.
# Seen: both switch all headers on. Postman sends "If-Match: <string>" and Bruno the example, so a GET that the server would answer with 200
# gets 412. Postman makes an Idempotency-Key of its pattern, another at each import, but the same with each sending, as Bruno: so only the
# first POST adds an order. Postman does not take the examples of the document; Bruno switches optional enums off.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent openapi-to-postmanv2@6.3.3 @usebruno/converters@0.23.0 > npm.log 2>&1 || { cat npm.log; exit 2; }
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
        - { name: state, in: query, schema: { type: string, enum: [open, sent] } }
        - { name: If-Match, in: header, schema: { type: string }, example: '"abc"' }
      responses:
        "200":
          description: The orders.
    post:
      operationId: addOrder
      parameters:
        - { name: Idempotency-Key, in: header, schema: { type: string, pattern: "^[a-z]{30}$" }, example: ordered-once }
      responses:
        "201":
          description: The order is added.
END
cat > import.js <<'END'
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { openApiToBruno } from '@usebruno/converters';

const document = readFileSync('orders.yaml', 'utf8');
const shown = (value) => /^[a-z]{30}$/.test(value) ? '(30 letters)' : value;
const list = (entries, key) => entries.filter((entry) => !['Content-Type', 'Accept'].includes(entry[key]))
    .map((entry) => `${entry[key]}: ${shown(entry.value)}, ${entry.enabled ?? !entry.disabled ? 'on' : 'off'}`);
const leaves = (items, children) => items.flatMap((item) => item[children] ? leaves(item[children], children) : [item]);
function postman() {
    execFileSync('npx', ['openapi2postmanv2', '-s', 'orders.yaml', '-o', 'postman.json']);
    return leaves(JSON.parse(readFileSync('postman.json', 'utf8')).item, 'item').map(({ request }) => request);
}
const requests = postman();
for (const { method, header, url } of requests) {
    console.log(`Postman ${method}: ${list([...url.query ?? [], ...header ?? []], 'key').join('; ').replace(/open|sent/, '(open or sent)')}`);
}
const key = (all) => all.flatMap(({ header }) => header ?? []).find((entry) => entry.key === 'Idempotency-Key').value;
console.log(`Postman, Idempotency-Key of two imports: ${key(requests) === key(postman()) ? 'the same' : 'different'}`);
for (const { request } of leaves(openApiToBruno(document).items, 'items')) {
    console.log(`Bruno ${request.method}: ${list([...request.params, ...request.headers], 'name').join('; ')}`);
}
END
node import.js 2> import.log | tee seen || cat import.log
cmp - seen <<'END'
Postman GET: state: (open or sent), on; If-Match: <string>, on
Postman POST: Idempotency-Key: (30 letters), on
Postman, Idempotency-Key of two imports: different
Bruno GET: state: open, off; state: sent, off; If-Match: "abc", on
Bruno POST: Idempotency-Key: ordered-once, on
END
