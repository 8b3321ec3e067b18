// JSON with exact integers. Numbers are kept as text, because a JavaScript number has 53 bits.

const DIGITS = [...'0123456789'];
const { compare } = new Intl.Collator('en', { sensitivity: 'base' });

/** Returns true if this browser can read and write exact integers. */
export function hasExactIntegers() {
  return 'rawJSON' in JSON;
}

/** Returns the value of a JSON text, with each number as a string of its digits. */
export function parse(json) {
  return JSON.parse(json, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

/** Returns the JSON of a new animal. A category that is not a whole number is sent as text, for the service to refuse. */
export function petJson({ name, categoryId, status }) {
  const category = withAsciiDigits(categoryId);
  return JSON.stringify({
    name,
    categoryId: isInteger(category) ? JSON.rawJSON(category) : category || undefined,
    status: status || undefined,
  });
}

/** Returns true for a whole number as JSON writes it, with at most 31 digits. */
export function isInteger(digits) {
  return /^-?(0|[1-9][0-9]{0,30})$/.test(digits);
}

/** Returns a trimmed text with the digits of any script as ASCII digits, which have the same base in Unicode's order. */
export function withAsciiDigits(typed) {
  return typed.trim().replace(/\p{Nd}/gu, (digit) => DIGITS.find((ascii) => compare(ascii, digit) === 0) ?? digit);
}
