#!/bin/sh
# parse-link-header 2.0.0, @web3-storage/parse-link-header 3.1.0 and http-link-header 1.1.4 (npm), Node.js 20.
# Guess: a parser of Link finds the next page however RFC 8288 lets a server write it.
# Seen: names of parameters are case-insensitive, and blanks may stand around "=". The first two parsers then return no link at all, so
# that paging ends without an error. Of two rel parameters they take the last; RFC 8288 says the first. http-link-header is right.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent parse-link-header@2.0.0 @web3-storage/parse-link-header@3.1.0 http-link-header@1.1.4 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > parse.js <<'END'
import first from 'parse-link-header';
import { parseLinkHeader as second } from '@web3-storage/parse-link-header';
import third from 'http-link-header';

const relations = {
    'parse-link-header': (field) => Object.keys(first(field)),
    '@web3-storage/parse-link-header': (field) => Object.keys(second(field)),
    'http-link-header': (field) => third.parse(field).refs.map((link) => link.rel),
};
for (const field of ['</orders?page=2>; rel="next"', '</orders?page=2>; REL="next"', '</orders?page=2>; rel = "next"',
        '</orders?page=2>; rel="next"; rel="last"']) {
    console.log(field);
    for (const [name, parse] of Object.entries(relations)) {
        const found = parse(field).join() || 'no link';
        console.log(`  ${name}: ${found}`);
    }
}
END
node parse.js | tee seen
cmp - seen <<'END'
</orders?page=2>; rel="next"
  parse-link-header: next
  @web3-storage/parse-link-header: next
  http-link-header: next
</orders?page=2>; REL="next"
  parse-link-header: no link
  @web3-storage/parse-link-header: no link
  http-link-header: next
</orders?page=2>; rel = "next"
  parse-link-header: no link
  @web3-storage/parse-link-header: no link
  http-link-header: next
</orders?page=2>; rel="next"; rel="last"
  parse-link-header: last
  @web3-storage/parse-link-header: last
  http-link-header: next
END
