// Requests to the API. Addresses are relative to this page, because a proxy may serve it under another path.

/** The response without an API key. */
const NO_KEY = { status: 401, headers: new Headers(), text: '' };

const LONGEST_REQUEST_MS = 60_000;

/** Sends a request. Returns the response; only a `reason`, the name of a message, if none came or another program responded. */
export async function send(key, method, target, headers = {}, body = undefined) {
  const fields = authorized(key, headers);
  if (fields === null) {
    return NO_KEY;
  }
  let response;
  try {
    const signal = AbortSignal.timeout(LONGEST_REQUEST_MS);
    const received = await fetch(target, { method, headers: fields, body, credentials: 'same-origin', redirect: 'manual', signal });
    response = { status: received.status, headers: received.headers, text: await received.text() };
  } catch {
    return { reason: 'wait-offline' };
  }
  return isFromService(response, method, fields) ? response : { reason: 'wait-foreign' };
}

/** Returns the headers with the API key; null if there is none, or if it has characters that a header cannot have. */
function authorized(key, headers) {
  try {
    return key === null ? null : new Headers({ ...headers, Authorization: `Bearer ${key}` });
  } catch {
    return null;
  }
}

/** Returns true for a body of the service. A sign-in proxy or a firewall may send any status and headers. */
function isFromService({ status, text }, method, fields) {
  if (status === 304) {
    return fields.has('If-None-Match');
  }
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    return false;
  }
  switch (status) {
    case 200: return method === 'GET' && Array.isArray(content) && content.every(isAnimal);
    case 201: return method === 'POST' && isAnimal(content);
    default: return status >= 400 && content?.status === status && isText(content.code) && isText(content.message);
  }
}

function isAnimal(content) {
  return Number.isInteger(content?.id) && isText(content.name) && Number.isInteger(content.categoryId)
    && (content.status === undefined || isText(content.status));
}

function isText(value) {
  return typeof value === 'string';
}

/** Returns the parameters that are not empty, as the query of an address. */
export function query(parameters) {
  return String(new URLSearchParams(Object.entries(parameters).filter(([, value]) => value)));
}

/** Returns the `after` of the next page from the header field Link; null on the last page. Proxies may add links of their own. */
export function nextAfter(headers) {
  const next = /<([^<>]*)>\s*;\s*rel="?next\b/.exec(headers.get('Link') ?? '');
  return next === null ? null : new URLSearchParams(next[1].split('?')[1]).get('after');
}

const LONGEST_WAIT = 3600;

/** Returns the seconds to wait before the next try: at most an hour, because timers count at most 24 days. */
function retryAfter(headers) {
  const field = headers.get('Retry-After') ?? '';
  const seconds = /^\d+$/.test(field) ? Number(field) : / GMT$/.test(field) ? (Date.parse(field) - Date.now()) / 1000 : 1;
  return Math.min(Math.max(Math.ceil(seconds) || 1, 1), LONGEST_WAIT);
}

/** Returns the seconds until the next automatic request: 0 while more than half of the rate limit remains. */
export function secondsToSpare({ headers }) {
  const limit = headers.get('RateLimit');
  const isSpare = parameter(limit, 'r') * 2 > parameter(headers.get('RateLimit-Policy'), 'q');
  return isSpare ? 0 : Math.min(parameter(limit, 't'), LONGEST_WAIT);
}

function parameter(field, name) {
  return Number(new RegExp(`\\b${name}=(\\d+)`).exec(field)?.[1] ?? 0);
}

const RETRY_SECONDS = 2;

/** Returns the name of the message for a status after which to try again; null for any other. */
function waitOf(status) {
  switch (status) {
    case 429: return 'wait-limited';
    case 500: return 'wait-internal';
    default: return status > 500 || status === 409 ? 'wait-unavailable' : null;
  }
}

/**
 * Sends a request until a response is final. Returns that response; null if the signal ended the wait, also while it sends.
 *
 * `onWait` gets the name of a message and the seconds until the next try, and can delay it.
 */
export async function sendUntilAnswered(request, signal, onWait) {
  while (!signal.aborted) {
    const response = await request();
    if (signal.aborted) {
      return null;
    }
    const reason = response.reason ?? waitOf(response.status);
    if (reason === null) {
      return response;
    }
    const seconds = response.reason ? RETRY_SECONDS : retryAfter(response.headers);
    await onWait(reason, seconds);
    await pause(seconds * 1000, signal);
  }
  return null;
}

export function message(response) {
  return JSON.parse(response.text).message;
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
