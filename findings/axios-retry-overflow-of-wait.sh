#!/bin/sh
# axios-retry 4.5.0 with axios 1.21.1, got 16.1.0, ky 2.1.0 and undici 7.30.2 (npm), Node.js 20.
# Guess: a client that repeats a request after Retry-After waits as long as that says, or gives up. None repeats it at once.
# Seen: for 30 days axios-retry sends its three repetitions within a second, with exponentialDelay too: Node.js makes 1 ms of a timer
# of 2^31 ms or more, which is 24.8 days. For 20 days it waits. got gives up at 30 days, ky and undici wait.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent axios@1.21.1 axios-retry@4.5.0 got@16.1.0 ky@2.1.0 undici@7.30.2 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > retry.js <<'END'
import { once } from 'node:events';
import { createServer } from 'node:http';
import axios from 'axios';
import axiosRetry, { exponentialDelay } from 'axios-retry';
import got from 'got';
import ky from 'ky';
import { Agent, interceptors, request } from 'undici';

function axiosWith(options) {
    const client = axios.create();
    axiosRetry(client, options);
    return (url) => client.get(url);
}
const clients = {
    'axios-retry': axiosWith({}),
    'axios-retry, exponentialDelay': axiosWith({ retryDelay: exponentialDelay }),
    'got': (url) => got(url).text(),
    'ky': (url) => ky(url).text(),
    'undici': (url) => request(url, { dispatcher: new Agent().compose(interceptors.retry()) }),
};
for (const days of [20, 30]) {
    for (const [name, get] of Object.entries(clients)) {
        let requests = 0;
        const server = createServer((_, response) => {
            requests++;
            response.writeHead(503, { 'retry-after': days * 86_400 });
            response.end();
        });
        await once(server.listen(0), 'listening');
        const end = await Promise.race([get(`http://localhost:${server.address().port}/`).then(() => 'returns', () => 'gives up'),
            new Promise((resolve) => setTimeout(resolve, 2_000, 'waits'))]);
        console.log(`${days} days, ${name}: ${requests} request${requests > 1 ? 's' : ''}, ${end}`);
        server.close();
    }
}
process.exit();
END
node retry.js 2> warnings | tee seen
cmp - seen <<'END'
20 days, axios-retry: 1 request, waits
20 days, axios-retry, exponentialDelay: 1 request, waits
20 days, got: 1 request, waits
20 days, ky: 1 request, waits
20 days, undici: 1 request, waits
30 days, axios-retry: 4 requests, gives up
30 days, axios-retry, exponentialDelay: 4 requests, gives up
30 days, got: 1 request, gives up
30 days, ky: 1 request, waits
30 days, undici: 1 request, waits
END
