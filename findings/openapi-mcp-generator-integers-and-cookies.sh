#!/bin/sh
# openapi-mcp-generator 4.0.1 (npm), Node.js 20: an MCP server made of an OpenAPI document.
# Guess: a tool takes what the operation takes, and sends it as the document says. What cannot be sent is not offered, or refused.
# Seen: "integer" becomes "number" in the schema of a tool, so 1.5 is sent as the number of a page. A list in the query, which OpenAPI by
# default repeats (tag=a&tag=b), is joined (tag=a,b). A required cookie is asked for, and then left out of the request.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent openapi-mcp-generator@4.0.1 > npm.log 2>&1 || { cat npm.log; exit 2; }
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
        - { name: page, in: query, schema: { type: integer, minimum: 1 } }
        - { name: tag, in: query, schema: { type: array, items: { type: string } } }
        - { name: shop, in: cookie, required: true, schema: { type: string } }
      responses:
        "200":
          description: The orders.
END
npx openapi-mcp-generator -i orders.yaml -o server -b http://localhost:PORT --force > generate.log 2>&1 || { cat generate.log; exit 2; }
cd server
npm install --silent > ../install.log 2>&1 || { cat ../install.log; exit 2; }
cat > ../call.mjs <<'END'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const api = createServer((request, response) => {
    console.log(`sent: ${request.method} ${request.url}, Cookie ${request.headers.cookie ?? 'none'}`);
    response.end('[]');
});
await once(api.listen(0), 'listening');
writeFileSync('src/index.ts', readFileSync('src/index.ts', 'utf8').replaceAll('localhost:PORT', `localhost:${api.address().port}`));
await once(spawn('npx', ['tsc'], { stdio: 'ignore' }), 'exit');
const tools = spawn('node', ['build/index.js'], { stdio: ['pipe', 'pipe', 'ignore'] });
const lines = createInterface({ input: tools.stdout })[Symbol.asyncIterator]();
async function call(method, params) {
    tools.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) + '\n');
    return JSON.parse((await lines.next()).value).result;
}
await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'clerk', version: '1' } });
tools.stdin.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) + '\n');
const { properties, required } = (await call('tools/list', {})).tools[0].inputSchema;
console.log(`schema: page is ${properties.page.type}, required is ${required}`);
await call('tools/call', { name: 'listOrders', arguments: { page: 1.5, tag: ['a', 'b'], shop: 'first' } });
tools.kill();
process.exit();
END
timeout 60 node ../call.mjs | tee ../seen
cmp - ../seen <<'END'
schema: page is number, required is shop
sent: GET /orders?page=1.5&tag=a%2Cb, Cookie none
END
