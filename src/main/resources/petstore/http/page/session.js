// The API key of this tab, shared with the other tabs of the page until one of them signs out.

const KEY = 'petstore.key';
/** A random word of the last sign-out, for all tabs. Beside a tab's key, the word of that time, also in copies of the tab. */
const SIGN_OUT = 'petstore.sign-out';
const ANSWER_MS = 500;
/** The name of the tabs of this page: one host may have several. */
const NAME = `petstore ${new URL('.', location.href).pathname}`;

let tabs;
let unlock = () => {};
let onKey = () => {};
let onSignOut = () => {};
const waiting = new Set();

/**
 * Begins to share the API key with other tabs. Returns false if the browser refuses to keep data for this site.
 *
 * `signedIn` is called with the key of another tab that signed in, `signedOut` when this tab's key is forgotten after a sign-out.
 */
export function start(signedIn, signedOut) {
  try {
    sessionStorage.getItem(KEY);
    lastSignOut();
    tabs = new BroadcastChannel(NAME);
  } catch {
    return false;
  }
  onKey = signedIn;
  onSignOut = signedOut;
  tabs.addEventListener('message', receive);
  ['pageshow', 'storage'].forEach((name) => addEventListener(name, key));
  ['visibilitychange', 'resume'].forEach((name) => document.addEventListener(name, key));
  return true;
}

/** Returns the word of the last sign-out in this browser; null if there was none. */
export function lastSignOut() {
  return localStorage.getItem(SIGN_OUT);
}

/** Returns the API key; null if this tab has none. Forgets a key that is older than the last sign-out. */
export function key() {
  const kept = sessionStorage.getItem(KEY);
  if (kept === null || sessionStorage.getItem(SIGN_OUT) === lastSignOut()) {
    return kept;
  }
  forget();
  onSignOut();
  return null;
}

/** Holds a lock named after the key until the tab is closed. Browsers have locks only with TLS or on localhost. */
function holdLock() {
  unlock();
  navigator.locks?.request(`${NAME} ${idOf(key())}`, { mode: 'shared' }, () => new Promise((resolve) => { unlock = resolve; }));
}

/** Returns true if a tab, even asleep, is signed in with another key. */
export async function isReplacing(given) {
  const { held } = await navigator.locks?.query() ?? { held: [] };
  return held.some(({ name }) => name.startsWith(`${NAME} `) && name !== `${NAME} ${idOf(given)}`);
}

/** Returns the public part of an API key. The only key of another form is configured by the service. */
export function idOf(apiKey) {
  return /^pets_([0-9A-Za-z]{10})/.exec(apiKey)?.[1] ?? 'configured';
}

/** Keeps an accepted API key, and sends it to the other tabs. Returns false if a tab has signed out since `word`. */
export function signIn(accepted, word) {
  if (word !== lastSignOut()) {
    return false;
  }
  sessionStorage.setItem(KEY, accepted);
  if (word === null) {
    sessionStorage.removeItem(SIGN_OUT);
  } else {
    sessionStorage.setItem(SIGN_OUT, word);
  }
  holdLock();
  sendKey();
  return true;
}

function sendKey() {
  if (key() !== null) {
    tabs.postMessage({ key: key(), word: lastSignOut() });
  }
}

/** Forgets the API key in this tab. */
export function forget() {
  unlock();
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(SIGN_OUT);
}

/** Forgets the API key in all tabs, also in those that are asleep, closed or show another page. */
export function signOut() {
  forget();
  localStorage.setItem(SIGN_OUT, crypto.getRandomValues(new BigUint64Array(2)).join('-'));
  tabs.postMessage({ signOut: true });
}

/** Asks other tabs for an API key. Returns it; null if no tab has one. */
export function askOtherTabs() {
  return new Promise((resolve) => {
    const finish = (found) => {
      clearTimeout(timer);
      waiting.delete(finish);
      resolve(found);
    };
    const timer = setTimeout(() => finish(null), ANSWER_MS);
    waiting.add(finish);
    tabs.postMessage({ ask: true });
  });
}

function receive({ data }) {
  if (data.ask) {
    sendKey();
  } else if (data.signOut) {
    key();
  } else if (data.key && data.word === lastSignOut() && key() === null) {
    (waiting.size === 0 ? [onKey] : waiting).forEach((receiver) => receiver(data.key));
  }
}

/** Removes an API key from the address `#key=…`. Returns it; null if there is none. */
export function takeFromAddress() {
  if (!location.hash.startsWith('#key=')) {
    return null;
  }
  const encoded = location.hash.slice('#key='.length);
  history.replaceState(history.state, '', location.pathname + location.search);
  try {
    return decodeURIComponent(encoded).trim() || null;
  } catch {
    return encoded;
  }
}
