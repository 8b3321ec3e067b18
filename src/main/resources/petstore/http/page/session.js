// The API key of this tab, shared with the other tabs of the page until one of them signs out.

import { attempt, drop, keep, own, recall } from './storage.js';

const KEY = own('key');
/** A random word that each sign-out replaces in `localStorage`. A tab keeps the word of its sign-in: if they differ, its key has ended. */
const SIGN_OUT = own('sign-out');
const WORD_BYTES = 16;
/** The word before the first sign-out. It is as long as later ones, which then fit even into a full storage. */
const NO_SIGN_OUT = '0'.repeat(2 * WORD_BYTES);
const ANSWER_MS = 500;
const NAME = own('tabs');

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
    localStorage.getItem(SIGN_OUT);
    tabs = new BroadcastChannel(NAME);
  } catch {
    return false;
  }
  // Without a word, no sign-out would end the key.
  if (!recall(SIGN_OUT)) {
    drop(KEY);
  }
  onKey = signedIn;
  onSignOut = signedOut;
  tabs.addEventListener('message', receive);
  ['pageshow', 'storage'].forEach((name) => addEventListener(name, key));
  ['visibilitychange', 'resume'].forEach((name) => document.addEventListener(name, key));
  return true;
}

/** Returns the word of the last sign-out in this browser: an empty text if the storage has none, null if it cannot be read. */
export function lastSignOut() {
  return attempt(() => localStorage.getItem(SIGN_OUT) ?? '');
}

/** Begins a sign-in. Returns the word that `signIn` needs. */
export function beginSignIn() {
  if (lastSignOut() === '') {
    attempt(() => localStorage.setItem(SIGN_OUT, NO_SIGN_OUT));
  }
  return lastSignOut();
}

/** Returns the API key; null if this tab has none. Forgets a key that is older than the last sign-out. */
export function key() {
  if (recall(KEY) !== null && ![null, recall(SIGN_OUT)].includes(lastSignOut())) {
    end();
  }
  return recall(KEY);
}

function end() {
  forget();
  onSignOut();
}

/** Holds a lock that names the key, until the tab is closed. Browsers have locks only with TLS or on localhost. */
function holdLock() {
  unlock();
  navigator.locks?.request(`${NAME} ${idOf(key())}`, { mode: 'shared' }, () => new Promise((resolve) => { unlock = resolve; })).catch(() => {});
}

/** Returns true if another tab, even one that is asleep, is signed in with another key. */
export async function isReplacing(given) {
  const { held } = await navigator.locks?.query().catch(() => null) ?? { held: [] };
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
  keep(KEY, accepted);
  keep(SIGN_OUT, word ?? '');
  holdLock();
  sendKey();
  return true;
}

/** Sends the key and its word to the other tabs. They need the word to end the key at the next sign-out. */
function sendKey() {
  if (key() !== null && lastSignOut()) {
    tabs.postMessage({ key: key(), word: lastSignOut() });
  }
}

/** Forgets the API key in this tab. */
export function forget() {
  unlock();
  drop(KEY);
  drop(SIGN_OUT);
}

/** Returns a random word. `crypto.randomUUID` exists only with TLS or on localhost. */
export function randomWord() {
  return [...crypto.getRandomValues(new Uint8Array(WORD_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Forgets the API key in all tabs, also in those that are asleep, closed or show another page. Storage may refuse the new word. */
export function signOut() {
  const ended = recall(SIGN_OUT);
  forget();
  attempt(() => localStorage.removeItem(SIGN_OUT));
  attempt(() => localStorage.setItem(SIGN_OUT, randomWord()));
  tabs.postMessage({ ended });
}

/** Asks other tabs for an API key. Returns it; null if no tab has one. */
export function askOtherTabs() {
  return new Promise((resolve) => {
    waiting.add(resolve);
    setTimeout(() => {
      waiting.delete(resolve);
      resolve(null);
    }, ANSWER_MS);
    tabs.postMessage({ ask: true });
  });
}

function receive({ data }) {
  if (data.ask) {
    sendKey();
  } else if (recall(KEY) !== null && recall(SIGN_OUT) === data.ended) {
    end();
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
