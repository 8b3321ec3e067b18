#!/bin/sh
# undici 7.30.2 (npm), interceptors.cache({ type: 'private' }), Node.js 20.
# Guess: a private cache keeps a response with an ETag and "private, no-cache", also if the request had Authorization, and sends
# If-None-Match with every later request (RFC 9111, sections 3.5 and 4.3).
# Seen: after each 304 the cache forgets the response, so that every second request transfers it again. If the request had
# Authorization, it keeps nothing, as a shared cache must: only must-revalidate, public or s-maxage make it keep the response.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent undici@7.30.2 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > cache.js <<'END'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, fetch, interceptors } from 'undici';

for (const [control, headers] of [['private, no-cache', {}], ['private, no-cache', { authorization: 'Bearer a' }],
        ['private, no-cache, must-revalidate', { authorization: 'Bearer a' }]]) {
    const sent = [];
    const server = createServer((request, response) => {
        const status = request.headers['if-none-match'] === '"1"' ? 304 : 200;
        sent.push(status);
        response.writeHead(status, { 'etag': '"1"', 'cache-control': control });
        response.end(status === 200 ? 'text' : undefined);
    });
    await once(server.listen(0), 'listening');
    const dispatcher = new Agent().compose(interceptors.cache({ type: 'private' }));
    for (let i = 0; i < 6; i++) {
        const response = await fetch(`http://localhost:${server.address().port}/`, { dispatcher, headers });
        if (await response.text() !== 'text') {
            throw new Error('another body');
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    console.log(`${control}, ${headers.authorization ? 'with' : 'without'} Authorization: ${sent.join(' ')}`);
    server.close();
    await dispatcher.close();
}
END
node cache.js | tee seen
cmp - seen <<'END'
private, no-cache, without Authorization: 200 304 200 304 200 304
private, no-cache, with Authorization: 200 200 200 200 200 200
private, no-cache, must-revalidate, with Authorization: 200 304 200 304 200 304
END
