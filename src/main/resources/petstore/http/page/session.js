// The API key of this tab, shared with the other tabs of the page.

const KEY = 'petstore.key';
const ANSWER_MS = 250;

const tabs = new BroadcastChannel(`petstore ${new URL('.', location.href).pathname}`);
let onKey = () => {};
let onSignOut = () => {};

/** Returns the API key; null if this tab has none. */
export function key() {
  return sessionStorage.getItem(KEY);
}

/** Keeps an accepted API key, and sends it to the other tabs. */
export function signIn(accepted) {
  sessionStorage.setItem(KEY, accepted);
  tabs.postMessage({ key: accepted });
}

/** Forgets the API key in this tab. */
export function forget() {
  sessionStorage.removeItem(KEY);
}

/** Forgets the API key in all tabs. */
export function signOut() {
  forget();
  tabs.postMessage({ signOut: true });
}

/** Asks other tabs for an API key. Returns it; null if no tab has one. */
export function askOtherTabs() {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(null), ANSWER_MS);
    const finish = (found) => {
      clearTimeout(timer);
      tabs.removeEventListener('message', listen);
      resolve(found);
    };
    const listen = ({ data }) => {
      if (data.key) {
        finish(data.key);
      }
    };
    tabs.addEventListener('message', listen);
    tabs.postMessage({ ask: true });
  });
}

/** Registers handlers for another tab that signs in or out. */
export function onOtherTabs(signedIn, signedOut) {
  onKey = signedIn;
  onSignOut = signedOut;
}

tabs.addEventListener('message', ({ data }) => {
  if (data.ask && key()) {
    tabs.postMessage({ key: key() });
  } else if (data.key && !key()) {
    onKey(data.key);
  } else if (data.signOut && key()) {
    forget();
    onSignOut();
  }
});

/** Removes an API key from the address `#key=…`. Returns it; null if there is none. */
export function takeFromAddress() {
  if (!location.hash.startsWith('#key=')) {
    return null;
  }
  const encoded = location.hash.slice('#key='.length);
  history.replaceState(history.state, '', location.pathname + location.search);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
