// Requests to the API. Addresses are relative to this page, because a proxy may serve it under another path.

/** The service did not respond. */
export class Unreachable extends Error {}

/** Sends a request. Throws Unreachable if there is no response. */
export async function send(key, method, target, headers = {}, body = undefined) {
  let authorization;
  try {
    authorization = new Headers({ ...headers, Authorization: `Bearer ${key}` });
  } catch {
    // The key has characters that a header cannot have, so it is not an API key.
    return { status: 401, headers: new Headers(), text: '' };
  }
  try {
    const response = await fetch(target, { method, headers: authorization, body, credentials: 'omit', redirect: 'error' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    throw new Unreachable('no response', { cause });
  }
}

/** Returns the target of a page of the list. */
export function listTarget({ status, after }, limit) {
  const query = new URLSearchParams({ limit });
  if (status) {
    query.set('status', status);
  }
  if (after && after !== '0') {
    query.set('after', after);
  }
  return `v1/pets?${query}`;
}

/** Returns the `after` of the next page from the header field Link; null on the last page. */
export function nextAfter(headers) {
  const link = headers.get('Link');
  if (!link) {
    return null;
  }
  return new URL(link.slice(link.indexOf('<') + 1, link.indexOf('>')), location.href).searchParams.get('after');
}

/** Returns the seconds to wait before the next try. */
export function retryAfter(headers) {
  return Math.max(1, Number.parseInt(headers.get('Retry-After') ?? '1', 10) || 1);
}

/** Returns the seconds until the next automatic request: 0 while more than half of the rate limit remains. */
export function secondsToSpare(headers) {
  const limit = headers.get('RateLimit');
  const spare = limit === null || parameter(limit, 'r') * 2 > parameter(headers.get('RateLimit-Policy'), 'q');
  return spare ? 0 : parameter(limit, 't');
}

function parameter(field, name) {
  const part = (field ?? '').split(';').find((each) => each.trim().startsWith(`${name}=`));
  return part ? Number(part.split('=')[1]) : 0;
}

const RETRY_SECONDS = 2;
const RETRIED = [429, 502, 503, 504];

/**
 * Sends a request until a response is final. Returns that response; null if the signal ended the wait.
 *
 * `onWait` gets the name of a message (`offline`, `unavailable` or `limited`) and the seconds until the next try.
 */
export async function sendUntilAnswered(request, signal, onWait, alsoRetried = () => false) {
  while (!signal.aborted) {
    let reason = 'offline';
    let seconds = RETRY_SECONDS;
    try {
      const response = await request();
      if (!RETRIED.includes(response.status) && !alsoRetried(response)) {
        return signal.aborted ? null : response;
      }
      reason = response.status === 429 ? 'limited' : 'unavailable';
      seconds = retryAfter(response.headers);
    } catch (error) {
      if (!(error instanceof Unreachable)) {
        throw error;
      }
    }
    if (!signal.aborted) {
      onWait(reason, seconds);
      await pause(seconds * 1000, signal);
    }
  }
  return null;
}

/** Returns the message of an error response. */
export function message(response) {
  try {
    return JSON.parse(response.text).message ?? String(response.status);
  } catch {
    return String(response.status);
  }
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}
