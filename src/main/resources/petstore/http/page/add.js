// The form that adds an animal once, even if its button is pressed again or the network fails.

import { key } from './session.js';
import { message, send, sendUntilAnswered } from './api.js';
import { parse, petJson } from './exact.js';
import { addressOf } from './list.js';
import { lock, show, text } from './text.js';

const DRAFT = 'petstore.draft';
const PENDING = 'petstore.pending';
const FIELDS = ['name', 'categoryId', 'status'];
const KEY_BYTES = 16;

const element = (id) => document.getElementById(id);
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
    if (stored(PENDING) === null) {
      submit();
    }
  });
  element('add-another').addEventListener('click', addAnother);
  element('add-link').addEventListener('click', (event) => {
    event.preventDefault();
    showAnimal(added.id);
  });
  fill(stored(DRAFT) ?? {});
}

/** Sends a pending animal again, whose outcome is unknown, e.g. after the page was reloaded. */
export function resume() {
  const pending = stored(PENDING);
  if (pending !== null) {
    fill(pending.values);
    sendPending(pending);
  }
}

/** Stops requests. An animal whose outcome is unknown stays pending. */
export function close() {
  running.abort();
}

function stored(name) {
  return JSON.parse(sessionStorage.getItem(name));
}

function keepDraft() {
  sessionStorage.setItem(DRAFT, JSON.stringify(values()));
}

function values() {
  return Object.fromEntries(fields.map((field) => [field.id, field.value]));
}

function fill(draft) {
  fields.forEach((field) => { field.value = draft[field.id] ?? ''; });
}

function submit() {
  const typed = values();
  const body = petJson({ ...typed, categoryId: typed.categoryId.trim() });
  const pending = { values: typed, body, idempotencyKey: randomKey(), unknown: false };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  sendPending(pending);
}

/** Returns a random key. `crypto.randomUUID` exists only with TLS or on localhost. */
function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Sends the same bytes with the same Idempotency-Key until the outcome is known. */
async function sendPending(pending) {
  running.abort();
  running = new AbortController();
  element('add-result').hidden = true;
  showErrors([], '');
  lock(controls, true);
  show(element('add-status'), text('adding'));
  const response = await sendUntilAnswered(() => post(pending), running.signal,
    (reason, seconds) => {
      if (reason !== 'limited') {
        pending.unknown = true;
        sessionStorage.setItem(PENDING, JSON.stringify(pending));
      }
      show(element('add-status'), text(reason === 'offline' ? 'add-unknown' : `add-${reason}`, seconds));
    }, ({ status }) => status === 500 || status === 409);
  if (response === null) {
    return;
  }
  if ((response.status === 401 || response.status === 403) && pending.unknown) {
    // An earlier try may have added the animal: the form stays locked until another API key can ask again.
    refused();
    return;
  }
  sessionStorage.removeItem(PENDING);
  lock(controls, false);
  show(element('add-status'), '');
  if (response.status === 201) {
    succeed(pending.values, response);
  } else if (response.status === 401) {
    refused();
  } else {
    refuse(response);
  }
}

function post({ body, idempotencyKey }) {
  return send(key(), 'POST', 'v1/pets', { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey }, body);
}

function succeed(typed, response) {
  const pet = parse(response.text);
  added = { id: pet.id, values: typed };
  sessionStorage.removeItem(DRAFT);
  fill({});
  show(element('add-message'), text('added', pet.name, pet.id));
  element('add-link').setAttribute('href', addressOf(pet.id));
  element('add-result').hidden = false;
  element('add-result').focus();
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
    showErrors([], text('forbidden'));
    return;
  }
  const parts = message(response).split('; ');
  showErrors(parts.filter((part) => fieldOf(part) !== undefined), parts.filter((part) => fieldOf(part) === undefined).join('; '));
  (fields.find((field) => field.getAttribute('aria-invalid') === 'true') ?? fields[0]).focus();
}

function fieldOf(part) {
  return fields.find((field) => part.startsWith(`${field.id} `));
}

function showErrors(parts, others) {
  fields.forEach((field) => {
    const own = parts.filter((part) => fieldOf(part) === field).join('; ');
    show(element(`${field.id}-error`), own);
    field.setAttribute('aria-invalid', String(own !== ''));
  });
  show(element('add-error'), others);
}
