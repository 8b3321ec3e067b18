// The page for people: signs in, finds the scopes of the API key, and shows the list, the form, or both.

import * as add from './add.js';
import * as list from './list.js';
import * as session from './session.js';
import { message, send, sendUntilAnswered } from './api.js';
import { hasExactIntegers } from './exact.js';
import { clear, isLocked, lock, moveFocus, say, show } from './text.js';

const element = (id) => document.getElementById(id);
const form = element('sign-in-form');
const controls = [element('key'), form.querySelector('button')];

/** The statuses of a POST without a body if the API key is accepted. */
const PROBED = [400, 403, 415];

let entering = new AbortController();
/** The API key of a link, while the page asks whether to use it. */
let offered = null;

/** Shows the parts of the page with these ids, and hides the others. */
function showOnly(...ids) {
  ['sign-in', 'other-key', 'list', 'add', 'scope', 'sign-out'].forEach((id) => { element(id).hidden = !ids.includes(id); });
}

function stop() {
  entering.abort();
  list.close();
  add.close();
}

function showSignIn(isLocked) {
  showOnly('sign-in');
  ['sign-in-error', 'sign-in-status'].forEach((id) => clear(element(id)));
  lock(controls, isLocked);
}

function askForKey() {
  stop();
  showSignIn(false);
  element('key').focus();
}

/** Forgets a key that is not accepted, but not the tab's own if a link has another. */
function refuse(refused = session.key()) {
  if (refused !== session.key() && session.key() !== null) {
    ask(refused);
    say(element('other-key-error'), 'key-refused');
    return;
  }
  session.forget();
  askForKey();
  say(element('sign-in-error'), 'key-refused');
}

function showSignedOut() {
  askForKey();
  say(element('sign-in-status'), 'signed-out');
}

/** Signs in with an API key. A POST without a body shows whether the key may add animals, and adds nothing. */
async function enter(key) {
  entering.abort();
  entering = new AbortController();
  const word = session.beginSignIn();
  showSignIn(true);
  const probe = await sendUntilAnswered(() => (session.lastSignOut() === word ? send(key, 'POST', 'v1/pets') : showSignedOut()), entering.signal, (reason, seconds) => {
    lock(controls, false);
    element('sign-out').hidden = session.key() === null;
    say(element('sign-in-error'), reason, seconds);
  });
  if (probe === null) {
    return;
  }
  if (probe.status === 401) {
    refuse(key);
    return;
  }
  if (!PROBED.includes(probe.status)) {
    askForKey();
    say(element('sign-in-error'), 'failed', message(probe));
    return;
  }
  add.close();
  if (!session.signIn(key, word)) {
    showSignedOut();
    return;
  }
  element('key').value = '';
  const mayWrite = probe.status !== 403;
  showOnly('list', 'sign-out', ...(mayWrite ? ['add'] : ['scope']));
  element('go-to-add').hidden = !mayWrite;
  show(element('scope'), 'read-only');
  if (mayWrite) {
    add.resume();
  }
  if (await list.open() === 403) {
    showOnly('scope', 'sign-out', ...(mayWrite ? ['add'] : []));
    say(element('scope'), mayWrite ? 'write-only' : 'no-scope');
    moveFocus(element('add-title'));
  }
}

/** Signs in with the API key of a link, of this tab or of another tab. Asks before a link replaces a key. */
async function begin(given) {
  const present = session.key() ?? await session.askOtherTabs();
  if (given !== null && given !== present && (present !== null || await session.isReplacing(given))) {
    ask(given);
  } else if (given !== null || present !== null) {
    enter(given ?? present);
  } else if (element('sign-in').hidden && session.key() === null) {
    askForKey();
  }
}

/** Signs in with the key of another tab, unless this tab is busy. */
function followTab(key) {
  if (!element('sign-in').hidden && entering.signal.aborted) {
    enter(key);
  }
}

function ask(given) {
  stop();
  offered = given;
  clear(element('other-key-error'));
  showOnly('other-key');
  element('other-key-title').focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isLocked(form.querySelector('button'))) {
    enter(element('key').value.trim());
  }
});

element('sign-out').addEventListener('click', () => {
  session.signOut();
  showSignedOut();
});

element('keep-key').addEventListener('click', () => begin(null));
element('replace-key').addEventListener('click', () => enter(offered));

element('go-to-add').addEventListener('click', () => element('name').focus());

addEventListener('hashchange', () => {
  const given = session.takeFromAddress();
  if (given !== null && problem === null) {
    begin(given);
  }
});

const given = session.takeFromAddress();
const problem = !hasExactIntegers() ? 'old-browser' : session.start(followTab, showSignedOut) ? null : 'blocked';
if (problem !== null) {
  showOnly('scope');
  say(element('scope'), problem);
} else {
  list.start(refuse);
  add.start(refuse);
  begin(given);
}
