#!/bin/sh
# Three mock servers of OpenAPI 3.1: @mockoon/cli 9.9.0, @scalar/mock-server 0.14.4, @stoplight/prism-cli 5.16.0 (npm), Node.js 20.
# Guess: the body that a mock server makes up is valid under the schema of the response, and a body of the document is used if it has one.
# Seen: only Prism's is. Mockoon breaks const, exclusiveMaximum, minLength and an array of const, and does not use the example of the
# response. Scalar breaks exclusiveMinimum. Of the fields, Mockoon leaves out one with const, and Scalar sends an example as "".
# Needs Node.js 20 or later, npm and curl. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap '[ ! -f "$folder/pids" ] || kill $(cat "$folder/pids") 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent @mockoon/cli@9.9.0 @scalar/mock-server@0.14.4 @stoplight/prism-cli@5.16.0 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > orders.yaml <<'END'
openapi: 3.1.1
info:
  title: Orders
  version: "1"
paths:
  /made-up:
    get:
      responses:
        "200":
          description: An order.
          headers:
            X-Const: { required: true, schema: { type: string, const: a } }
            X-Example: { required: true, example: b, schema: { type: string } }
          content:
            application/json:
              schema:
                type: object
                required: [kind, tags, amount, note]
                properties:
                  kind: { const: open }
                  tags: { type: array, minItems: 1, items: { type: string, const: new } }
                  amount: { type: integer, exclusiveMinimum: 4, exclusiveMaximum: 6 }
                  note: { type: string, minLength: 1 }
  /example:
    get:
      responses:
        "200":
          description: An order.
          content:
            application/json:
              schema: { type: object, properties: { amount: { type: integer } } }
              example: { amount: 5 }
END
cat > show.js <<'END'
// Prints which rules of the schema a response breaks.
export async function show(name, get) {
    const madeUp = await get('/made-up');
    const order = await madeUp.json();
    const broken = Object.entries({
        'kind': order.kind !== 'open',
        'tags': !(order.tags?.length > 0 && order.tags.every((tag) => tag === 'new')),
        'amount': order.amount !== 5,
        'note': !(order.note?.length > 0),
    }).filter(([, isBroken]) => isBroken).map(([member]) => member);
    const field = (header) => JSON.stringify(madeUp.headers.get(header));
    const example = (await (await get('/example')).json()).amount === 5 ? 'the example' : 'another body';
    console.log(`${name}: breaks ${broken.join(', ') || 'nothing'}; X-Const ${field('x-const')}, X-Example ${field('x-example')}; ${example}`);
}
END
cat > scalar.js <<'END'
import { readFileSync } from 'node:fs';
import { createMockServer } from '@scalar/mock-server';
import { show } from './show.js';

const server = await createMockServer({ document: readFileSync('orders.yaml', 'utf8') });
await show('Scalar', (path) => server.request(path));
END
cat > remote.js <<'END'
import { show } from './show.js';

const [, , name, port] = process.argv;
await show(name, (path) => fetch(`http://localhost:${port}${path}`));
END
# Usage: serve NAME COMMAND... Appends the port to the command.
serve() {
    name=$1
    shift
    port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close(); })')
    node "$@" --port "$port" > "$name.log" 2>&1 &
    echo $! >> pids
    for i in $(seq 300); do
        curl -s -o started "http://localhost:$port/" && break || sleep 0.1
    done
    node remote.js "$name" "$port"
}
{
    serve Mockoon node_modules/.bin/mockoon-cli start --data orders.yaml --disable-log-to-file
    node scalar.js 2> scalar.log
    serve Prism node_modules/.bin/prism mock orders.yaml
} | tee seen
cmp - seen <<'END'
Mockoon: breaks kind, tags, amount, note; X-Const null, X-Example "b"; another body
Scalar: breaks amount; X-Const "a", X-Example ""; the example
Prism: breaks nothing; X-Const "a", X-Example "b"; the example
END
