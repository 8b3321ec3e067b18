#!/bin/sh
# @hey-api/openapi-ts 0.99.0 and orval 8.38.0 (npm), Node.js 20.
# Guess: a TypeScript client whose generated type of an int64 is bigint holds the integer that the server sent.
# Seen: both read the body by JSON.parse, which rounds. Then hey-api (transformers with bigInt) makes a BigInt of the rounded number, and
# orval (useBigInt) leaves a number below the type bigint. So 9007199254740993 becomes 9007199254740992, without an error.
# Needs Node.js 20 or later and npm. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type": "module"}' > package.json
npm install --silent @hey-api/openapi-ts@0.99.0 orval@8.38.0 typescript@5.9.3 tsx@4.20.6 > npm.log 2>&1 || { cat npm.log; exit 2; }
cat > orders.yaml <<'END'
openapi: 3.1.1
info:
  title: Orders
  version: "1"
paths:
  /order:
    get:
      operationId: getOrder
      responses:
        "200":
          description: An order.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/Order"
components:
  schemas:
    Order:
      type: object
      required: [number]
      properties:
        number:
          type: integer
          format: int64
END
cat > hey.config.mjs <<'END'
export default {
    input: './orders.yaml',
    output: { path: './hey', module: { extension: '.ts' } },
    plugins: ['@hey-api/client-fetch', { name: '@hey-api/transformers', bigInt: true }, { name: '@hey-api/sdk', transformer: true }],
};
END
cat > orval.config.mjs <<'END'
export default {
    orders: { input: './orders.yaml', output: { target: './orval/orders.ts', client: 'fetch', override: { useBigInt: true } } },
};
END
npx openapi-ts --file hey.config.mjs > hey.log 2>&1 || { cat hey.log; exit 2; }
npx orval --config orval.config.mjs > orval.log 2>&1 || { cat orval.log; exit 2; }
grep -h 'number: ' hey/types.gen.ts orval/orders.ts
cat > read.ts <<'END'
import { getOrder as getByHey } from './hey/sdk.gen.ts';
import { getOrder as getByOrval } from './orval/orders.ts';

globalThis.fetch = async () => new Response('{"number": 9007199254740993}', { headers: { 'content-type': 'application/json' } });
const show = (client: string, value: unknown) => console.log(`${client}: ${typeof value} ${value}`);
show('hey-api', (await getByHey({ baseUrl: 'http://localhost' })).data!.number);
show('orval', (await getByOrval()).data.number);
END
npx tsx read.ts | tee seen
printf '%s\n' 'hey-api: bigint 9007199254740992' 'orval: number 9007199254740992' | cmp - seen
