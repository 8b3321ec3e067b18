// Tries the generated client against the service at PETSTORE_URL with the API key PETSTORE_KEY. Exits with 1 at the first
// difference.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import createClient from 'openapi-fetch';
import type { components, paths } from './petstore.js';

type NewPet = components['schemas']['NewPet'];
type Pet = components['schemas']['Pet'];
type ApiError = components['schemas']['Error'];

/** The same type with a bigint for each number. */
type Exact<T> = T extends number ? bigint : T extends object ? { [K in keyof T]: Exact<T[K]> } : T;

/** Parses a body with integers of 64 bits: a number of JavaScript is exact up to 2^53. */
const exact = <T>(body: string | undefined) => parse(body!, undefined, parseNumberAndBigInt) as Exact<T>;

const expect = (name: string, expected: unknown, actual: unknown) => {
  if (!isDeepStrictEqual(expected, actual)) {
    console.error(`typescript: ${name}: expected ${stringify(expected)}, was ${stringify(actual)}`);
    process.exit(1);
  }
};

const api = (key: string | undefined) => createClient<paths>({
  baseUrl: process.env['PETSTORE_URL'],
  headers: { Authorization: `Bearer ${key}` },
});
const pets = api(process.env['PETSTORE_KEY']);

/** Adds an animal twice with the same Idempotency-Key, as a retry does. */
const addsOnce = async (categoryId: bigint) => {
  const animal: Exact<NewPet> = { name: 'Señor Llama', categoryId, status: 'available' };
  const request = {
    body: animal as unknown as NewPet,
    bodySerializer: (body: unknown) => stringify(body)!,
    params: { header: { 'Idempotency-Key': randomUUID() } },
    parseAs: 'text',
  } as const;
  const first = await pets.POST('/pets', request);
  const retry = await pets.POST('/pets', request);
  expect('status', 201, first.response.status);
  const pet = exact<Pet>(first.data);
  expect('name', 'Señor Llama', pet.name);
  expect('categoryId', categoryId, pet.categoryId);
  expect('Idempotent-Replayed of the first response', null, first.response.headers.get('Idempotent-Replayed'));
  expect('Idempotent-Replayed of the retry', 'true', retry.response.headers.get('Idempotent-Replayed'));
  expect('the animal of the retry', pet, exact<Pet>(retry.data));
  return pet;
};

/** Returns the animals of all pages: as long as there is a link to the next page, `after` is taken from it. */
const all = async () => {
  const animals: Exact<Pet>[] = [];
  let after: string | null | undefined;
  do {
    // The id stays text on its way from the link into the query.
    const query = { limit: 20, after: after as unknown as number | undefined };
    const { data, response } = await pets.GET('/pets', { params: { query }, parseAs: 'text' });
    animals.push(...exact<Pet[]>(data));
    const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
    after = next && new URL(next, response.url).searchParams.get('after');
  } while (after);
  return animals;
};

const fails = (name: string, status: number, code: string, words: string,
  { error, response }: { error?: ApiError; response: Response }) => {
  expect(`status of ${name}`, status, response.status);
  expect(`code of ${name}`, code, error?.code);
  expect(`status in the body of ${name}`, status, error?.status);
  expect(`'${words}' in: ${error?.message}`, true, error?.message.includes(words));
};

const odd = await addsOnce(9007199254740993n);
const greatest = await addsOnce(9223372036854775807n);

const animals = await all();
expect('three pages or more', true, animals.length > 40);
const ids = animals.map(({ id }) => id);
expect('ids ascend', [...new Set(ids)].sort((a, b) => Number(a - b)), ids);
expect('the last animals of all pages', [odd, greatest], animals.slice(-2));

const { data: rounded } = await pets.GET('/pets', { params: { query: { after: Number(odd.id) - 1 } } });
expect('categoryId as a number, which is inexact', 9007199254740992, rounded?.[0]?.categoryId);

const query = { limit: 1 };
const page = await pets.GET('/pets', { params: { query } });
const header = { 'If-None-Match': page.response.headers.get('ETag') ?? undefined };
const again = await pets.GET('/pets', { params: { query, header } });
expect('status with If-None-Match', 304, again.response.status);

fails('a blank name', 400, 'invalid_request', 'name must', await pets.POST('/pets', { body: { name: ' ', categoryId: 1 } }));
fails('a wrong key', 401, 'unauthorized', 'API key', await api('wrong').GET('/pets'));
console.log(`typescript: ${animals.length} animals on all pages, one per Idempotency-Key, ETag, errors and int64 as expected`);
