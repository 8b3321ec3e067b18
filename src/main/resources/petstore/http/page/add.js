// The form that adds an animal once, even if its button is pressed again or the network fails.

import { idOf, key, randomWord } from './session.js';
import { message, send, sendUntilAnswered } from './api.js';
import { parse, petJson } from './exact.js';
import { addressOf, follow, refreshSoon } from './list.js';
import { drop, keep, own, recall } from './storage.js';
import { clear, isLocked, lock, moveFocus, say, show, text } from './text.js';

const DRAFT = own('draft');
/** The animal that is sent, until a response says whether it was added. */
const PENDING = own('pending');

const element = (id) => document.getElementById(id);
const section = element('add');
/** The time for which the page relies on an Idempotency-Key: at most half of the service's, because requests can be slow. */
const SURE_MS = Math.min(3_600_000, section.dataset.idempotencyRetention / 2);
const form = element('add-form');
const fields = ['name', 'categoryId', 'status'].map(element);
const controls = [...fields, form.querySelector('button')];

let refused = () => {};
let added = null;
let running = new AbortController();

/** Adds the listeners of the form. `onRefused` is called when the API key is no longer accepted. */
export function start(onRefused) {
  refused = onRefused;
  form.addEventListener('input', keepDraft);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isLocked(form.querySelector('button')) && key() !== null) {
      sendPending({ values: values(), keyId: idOf(key()), since: Date.now(), idempotencyKey: randomWord() }, false);
    }
  });
  element('add-stop').addEventListener('click', () => ask(stored(PENDING)));
  element('add-again').addEventListener('click', addAgain);
  element('add-discard').addEventListener('click', discard);
  element('add-another').addEventListener('click', addAnother);
  follow(element('add-link'));
  fill(stored(DRAFT) ?? {});
}

/** Sends the pending animal again, e.g. after the page was reloaded. */
export function resume() {
  const pending = stored(PENDING);
  showPart(null);
  if (pending?.stopped) {
    ask(pending);
  } else if (pending) {
    fill(pending.values);
    sendPending(pending, true);
  }
}

/** Shows one of the parts above the form, or none. */
function showPart(shown) {
  ['add-result', 'add-question', 'add-stop'].forEach((id) => { element(id).hidden = id !== shown; });
}

/** Shows a part with its message, and moves the focus there; announces the message if somebody uses another part of the page. */
function present(part, ...said) {
  showPart(part);
  const tell = moveFocus(element(part), section) ? show : say;
  tell(element(`${part}-text`), ...said);
}

/** Returns true if the service adds the animal only once. An Idempotency-Key belongs to the API key. */
function isSure({ keyId: owner, since }) {
  return owner === idOf(key()) && Math.abs(Date.now() - since) < SURE_MS;
}

/** Stops requests, and asks whether to add a pending animal again. The form is locked until the answer. */
function ask(pending) {
  close();
  keep(PENDING, JSON.stringify({ ...pending, stopped: true }));
  fill(pending.values);
  lock(controls, true);
  clear(element('add-status'));
  present('add-question', isSure(pending) ? 'add-stopped' : 'add-unsure', pending.values.name);
}

/** Stops requests. An animal whose outcome is unknown stays pending. */
export function close() {
  running.abort();
}

/** Adds the pending animal again, with the same Idempotency-Key. */
function addAgain() {
  const pending = stored(PENDING);
  const mayBeTwice = element('add-question-text').dataset.shows === 'add-unsure';
  element('add-title').focus();
  sendPending(mayBeTwice ? { ...pending, keyId: idOf(key()), since: Date.now() } : pending, true);
}

function discard() {
  drop(PENDING);
  drop(DRAFT);
  showPart(null);
  showErrors([]);
  lock(controls, false);
  fill({});
  fields[0].focus();
}

function stored(name) {
  return JSON.parse(recall(name));
}

function keepDraft() {
  keep(DRAFT, JSON.stringify(values()));
}

function values() {
  return Object.fromEntries(new FormData(form));
}

function fill(draft) {
  fields.forEach((field) => { field.value = draft[field.id] ?? ''; });
}

/**
 * Sends the same animal with the same Idempotency-Key until the outcome is known. `isUnknown` says that it was sent before.
 *
 * Asks instead of sending it if it might be added twice.
 */
async function sendPending(pending, isUnknown) {
  close();
  running = new AbortController();
  keep(PENDING, JSON.stringify({ ...pending, stopped: false }));
  showPart(null);
  showErrors([]);
  lock(controls, true);
  say(element('add-status'), 'adding');
  const response = await sendUntilAnswered(() => (isSure(pending) || !isUnknown ? post(pending) : ask(pending)), running.signal,
    (reason, seconds) => {
      isUnknown ||= reason !== 'wait-limited';
      say(element('add-status'), ...(isUnknown ? ['wait-unknown', text(reason, seconds)] : [reason, seconds]));
      showPart('add-stop');
    });
  if (response === null) {
    return;
  }
  if (isUnknown && [401, 403].includes(response.status)) {
    // An earlier try may have added the animal: the form stays locked until another API key can ask again.
    ask(pending);
  } else {
    drop(PENDING);
    lock(controls, false);
    clear(element('add-status'));
    showPart(null);
  }
  switch (response.status) {
    case 201: succeed(pending.values, response); break;
    case 401: refused(); break;
    case 403: say(element('add-error'), 'read-only'); break;
    default: refuse(response);
  }
}

function post({ values: typed, idempotencyKey }) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey };
  return send(key(), 'POST', 'v1/pets', headers, petJson(typed));
}

function succeed(typed, response) {
  const pet = parse(response.text);
  added = typed;
  drop(DRAFT);
  fill({});
  element('add-link').href = addressOf(pet.id);
  present('add-result', 'added', pet.name, pet.id);
  refreshSoon();
}

function addAnother() {
  fill(added);
  keepDraft();
  showPart(null);
  fields[0].focus();
  fields[0].select();
}

/** Shows each part of the API's message at the field that it names, and all other parts above the form. */
function refuse(response) {
  showErrors(message(response).split('; '));
  if (!moveFocus(form.querySelector('[aria-invalid="true"]') ?? fields[0], section)) {
    show(element('spoken'), 'not-added');
  }
}

function fieldOf(part) {
  return fields.find((field) => part.startsWith(`${field.id} `));
}

function showErrors(parts) {
  [...fields, undefined].forEach((field) => {
    const own = parts.filter((part) => fieldOf(part) === field).join('; ');
    const place = element(`${field?.id ?? 'add'}-error`);
    if (own === '') {
      clear(place);
    } else if (field === undefined) {
      say(place, 'said', own);
    } else {
      show(place, field.id === 'categoryId' ? 'not-a-category' : 'said', own);
    }
    field?.setAttribute('aria-invalid', String(own !== ''));
  });
}
