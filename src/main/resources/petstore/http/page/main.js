// The page for people: signs in, finds the scopes of the API key, and shows the list, the form, or both.

import * as add from './add.js';
import * as list from './list.js';
import * as session from './session.js';
import { send, sendUntilAnswered } from './api.js';
import { canReadExactly } from './exact.js';
import { isLocked, lock, show, text } from './text.js';

const element = (id) => document.getElementById(id);
const form = element('sign-in-form');
const controls = [element('key'), form.querySelector('button')];

let entering = new AbortController();

/** Shows the parts of the page with these ids, and hides the others. */
function showOnly(...ids) {
  ['sign-in', 'list', 'add', 'scope', 'sign-out'].forEach((id) => { element(id).hidden = !ids.includes(id); });
}

function askForKey(reason, isError = true) {
  entering.abort();
  list.close();
  add.close();
  showOnly('sign-in');
  lock(controls, false);
  show(element('sign-in-error'), isError ? reason : '');
  show(element('sign-in-status'), isError ? '' : reason);
  element('key').focus();
}

function refuse() {
  session.forget();
  askForKey(text('key-refused'));
}

/** Signs in with an API key. A POST without a body shows whether the key may add animals, and adds nothing. */
async function enter(key) {
  entering.abort();
  entering = new AbortController();
  lock(controls, true);
  const probe = await sendUntilAnswered(() => send(key, 'POST', 'v1/pets'), entering.signal,
    (reason, seconds) => show(element('sign-in-error'), text(reason, seconds)));
  if (probe === null) {
    return;
  }
  if (probe.status === 401) {
    refuse();
    return;
  }
  session.signIn(key);
  element('key').value = '';
  const mayWrite = probe.status !== 403;
  showOnly('list', 'sign-out', ...(mayWrite ? ['add'] : ['scope']));
  element('go-to-add').hidden = !mayWrite;
  show(element('scope'), text('read-only'));
  if (mayWrite) {
    add.resume();
  }
  if (await list.open() === 403) {
    showOnly('scope', 'sign-out', ...(mayWrite ? ['add'] : []));
    show(element('scope'), text(mayWrite ? 'write-only' : 'no-scope'));
    element('add-title').focus();
  }
}

async function begin() {
  const given = session.takeFromAddress();
  if (!canReadExactly()) {
    showOnly('scope');
    show(element('scope'), text('old-browser'));
    return;
  }
  const key = given ?? session.key() ?? await session.askOtherTabs();
  if (key === null) {
    askForKey('');
  } else {
    showOnly('sign-in');
    await enter(key);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isLocked(form.querySelector('button'))) {
    show(element('sign-in-error'), '');
    show(element('sign-in-status'), '');
    enter(element('key').value.trim());
  }
});

element('sign-out').addEventListener('click', () => {
  session.signOut();
  askForKey(text('signed-out'), false);
});

element('go-to-add').addEventListener('click', () => element('name').focus());

addEventListener('hashchange', () => {
  const given = session.takeFromAddress();
  if (given !== null) {
    enter(given);
  }
});

session.onOtherTabs(enter, () => askForKey(text('signed-out'), false));
list.start(refuse);
add.start({ refused: refuse, added: list.refreshSoon, show: list.showAnimal });
begin();
