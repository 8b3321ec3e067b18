// The form that adds an animal once, even if its button is pressed again or the network fails.

import { idOf, key, randomWord } from './session.js';
import { message, send, sendUntilAnswered, waitOf } from './api.js';
import { parse, petJson } from './exact.js';
import { addressOf, follow } from './list.js';
import { drop, keep, recall } from './storage.js';
import { clear, isLocked, lock, moveFocus, say, show } from './text.js';

const DRAFT = 'petstore.draft';
/** An animal whose outcome is unknown, from its first sending until its response. */
const PENDING = 'petstore.pending';
const FIELDS = ['name', 'categoryId', 'status'];

const element = (id) => document.getElementById(id);
const section = element('add');
/** The time for which the page relies on an Idempotency-Key: at most half of the service's, because requests can be slow. */
const SURE_MS = Math.min(3_600_000, section.dataset.idempotencyRetention / 2);
const form = element('add-form');
const fields = FIELDS.map(element);
const controls = [...fields, form.querySelector('button')];

let refused = () => {};
let showAnimal = () => {};
let onAdded = () => {};
let added = null;
let running = new AbortController();

/**
 * Adds the listeners of the form. `handlers.refused` is called when the API key is no longer accepted, `handlers.added` when an animal
 * was added. `handlers.show` is called with the id of an animal to show.
 */
export function start(handlers) {
  refused = handlers.refused;
  showAnimal = handlers.show;
  onAdded = handlers.added;
  form.addEventListener('input', keepDraft);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isLocked(form.querySelector('button'))) {
      submit();
    }
  });
  element('add-stop').addEventListener('click', () => ask(stored(PENDING)));
  element('add-again').addEventListener('click', addAgain);
  element('add-discard').addEventListener('click', discard);
  element('add-another').addEventListener('click', addAnother);
  follow(element('add-link'), () => showAnimal(added.id));
  fill(stored(DRAFT) ?? {});
}

/** Sends the pending animal again, e.g. after the page was reloaded. Asks first if it might be added twice. */
export function resume() {
  const pending = stored(PENDING);
  ['add-question', 'add-stop'].forEach((id) => { element(id).hidden = true; });
  if (pending?.stopped || (pending && !isSure(pending))) {
    ask(pending);
  } else if (pending) {
    fill(pending.values);
    sendPending(pending);
  }
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
  element('add-stop').hidden = true;
  element('add-question').hidden = false;
  const tell = moveFocus(element('add-question'), section) ? show : say;
  tell(element('add-question-text'), isSure(pending) ? 'add-stopped' : 'add-unsure', pending.values.name);
}

/** Stops requests. An animal whose outcome is unknown stays pending. */
export function close() {
  running.abort();
}

/** Adds the pending animal again, with the same Idempotency-Key. Asks again if the question has become another. */
function addAgain() {
  const pending = stored(PENDING);
  if (isSure(pending)) {
    sendPending({ ...pending, stopped: false });
  } else if (element('add-question-text').dataset.shows === 'add-unsure') {
    sendPending({ ...pending, stopped: false, keyId: idOf(key()), since: Date.now() });
  } else {
    ask(pending);
    return;
  }
  element('add-title').focus();
}

function discard() {
  drop(PENDING);
  drop(DRAFT);
  element('add-question').hidden = true;
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
  return Object.fromEntries(fields.map((field) => [field.id, field.value]));
}

function fill(draft) {
  fields.forEach((field) => { field.value = draft[field.id] ?? ''; });
}

function submit() {
  if (key() !== null) {
    sendPending({ values: values(), keyId: idOf(key()), since: Date.now(), idempotencyKey: randomWord() });
  }
}

/** Sends the same animal with the same Idempotency-Key until the outcome is known. */
async function sendPending(pending) {
  close();
  running = new AbortController();
  let isUnknown = stored(PENDING)?.idempotencyKey === pending.idempotencyKey;
  keep(PENDING, JSON.stringify(pending));
  ['add-result', 'add-question', 'add-stop'].forEach((id) => { element(id).hidden = true; });
  showErrors([]);
  lock(controls, true);
  say(element('add-status'), 'adding');
  const response = await sendUntilAnswered(() => (isSure(pending) || !isUnknown ? post(pending) : ask(pending)), running.signal,
    (reason, seconds) => {
      isUnknown ||= reason !== 'limited';
      say(element('add-status'), `add-${reason}`, seconds);
      element('add-stop').hidden = false;
    }, (status) => (status === 409 ? 'unavailable' : waitOf(status)));
  if (response === null) {
    return;
  }
  // An earlier try may have added the animal: the form stays locked until another API key can ask again.
  if (response.status === 401 && isUnknown) {
    refused();
    return;
  }
  if (response.status === 403 && isUnknown) {
    ask(pending);
    say(element('add-error'), 'forbidden');
    return;
  }
  drop(PENDING);
  lock(controls, false);
  clear(element('add-status'));
  element('add-stop').hidden = true;
  if (response.status === 201) {
    succeed(pending.values, response);
  } else if (response.status === 401) {
    refused();
  } else {
    refuse(response);
  }
}

function post({ values: typed, idempotencyKey }) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey };
  return send(key(), 'POST', 'v1/pets', headers, petJson(typed));
}

function succeed(typed, response) {
  const pet = parse(response.text);
  added = { id: pet.id, values: typed };
  drop(DRAFT);
  fill({});
  element('add-link').setAttribute('href', addressOf(pet.id));
  element('add-result').hidden = false;
  const tell = moveFocus(element('add-result'), section) ? show : say;
  tell(element('add-message'), 'added', pet.name, pet.id);
  onAdded();
}

function addAnother() {
  fill(added.values);
  keepDraft();
  element('add-result').hidden = true;
  fields[0].focus();
  fields[0].select();
}

/** Shows each part of the API's message at the field that it names, and all other parts above the form. */
function refuse(response) {
  if (response.status === 403) {
    showErrors([]);
    say(element('add-error'), 'forbidden');
    return;
  }
  showErrors(message(response).split('; '));
  const invalid = fields.find((field) => field.getAttribute('aria-invalid') === 'true');
  if (!moveFocus(invalid ?? fields[0], section)) {
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
