#!/bin/sh
# ratelimit-header-parser 0.1.0 (npm), Node.js 20.
# Guess: the parser reads the RateLimit field of every IETF draft, or returns undefined for a response whose fields it does not know.
# Seen: it reads the fields of drafts 5 to 7. For the list of structured fields of draft 8 and later, it returns an object in which
# limit, used and remaining are NaN, and reset is an invalid date. So a client that waits once "remaining < 1" never waits.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent ratelimit-header-parser@0.1.0 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > parse.js <<'END'
import { parseRateLimit } from 'ratelimit-header-parser';

for (const [draft, fields] of [
    ['5 and 6', { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '50', 'RateLimit-Reset': '30' }],
    ['7', { 'RateLimit': 'limit=100, remaining=50, reset=30' }],
    ['8 and later', { 'RateLimit-Policy': '"default";q=100;w=60', 'RateLimit': '"default";r=50;t=30' }],
    ['none', {}],
]) {
    const parsed = parseRateLimit(new Headers(fields));
    console.log(`${draft}:`, parsed && { ...parsed, reset: Number.isNaN(Number(parsed.reset)) ? parsed.reset : 'a date' });
}
END
node parse.js | tee seen
cmp - seen <<'END'
5 and 6: { limit: 100, used: 50, remaining: 50, reset: 'a date' }
7: { limit: 100, used: 50, remaining: 50, reset: 'a date' }
8 and later: { limit: NaN, used: NaN, remaining: NaN, reset: Invalid Date }
none: undefined
END
