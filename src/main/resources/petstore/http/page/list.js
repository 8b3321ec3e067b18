// The list of animals: its pages, the filter, the search by id, and its copy as CSV.

import { key } from './session.js';
import { listTarget, message, nextAfter, secondsToSpare, send, sendUntilAnswered, Unreachable } from './api.js';
import { isInteger, parse } from './exact.js';
import { isLocked, lock, show, text } from './text.js';

const PAGE = 20;
const LARGEST_PAGE = 100;
const REFRESH_MS = 10_000;
const STATUSES = ['available', 'pending', 'sold'];
const GREATEST_ID = 2n ** 63n - 1n;

const element = (id) => document.getElementById(id);
const rows = element('rows');

let refused = () => {};
let running = new AbortController();
/** The page on the screen: its view, ETag, ids and the `after` of the next page. */
let shown = null;
let refreshAt = 0;

/** Returns the view that the address names: `status`, `after`, and the id to mark. Each is an empty text if it is not set. */
function viewOfAddress() {
  const query = new URLSearchParams(location.search);
  const status = query.get('status') ?? '';
  const after = query.get('after') ?? '';
  const mark = location.hash.startsWith('#animal-') ? location.hash.slice('#animal-'.length) : '';
  return {
    status: STATUSES.includes(status) ? status : '',
    after: isInteger(after) && BigInt(after) >= 0n && BigInt(after) <= GREATEST_ID ? after : '',
    mark: isInteger(mark) ? mark : '',
  };
}

function address({ status, after, mark = '' }) {
  const query = new URLSearchParams();
  if (status) {
    query.set('status', status);
  }
  if (after) {
    query.set('after', after);
  }
  return `${location.pathname}${query.size === 0 ? '' : `?${query}`}${mark ? `#animal-${mark}` : ''}`;
}

/** Returns the address of the page that begins with an animal, and marks it. */
export function addressOf(id) {
  return address({ status: '', after: String(BigInt(id) - 1n), mark: id });
}

/** Adds the listeners of the list. `onRefused` is called when the API key is no longer accepted. */
export function start(onRefused) {
  refused = onRefused;
  element('status-filter').addEventListener('change', ({ target }) => go({ status: target.value, after: '' }, target));
  element('find-form').addEventListener('submit', find);
  element('save').addEventListener('click', save);
  follow(element('first'), () => go({ ...shown.view, after: '', mark: '' }));
  follow(element('next'), () => go({ ...shown.view, after: shown.next, mark: '' }, null, { previous: address(shown.view) }));
  follow(element('previous'), () => history.back());
  addEventListener('popstate', () => { if (shown) { open(); } });
  document.addEventListener('visibilitychange', refresh);
  setInterval(refresh, 1_000);
}

/** Runs an action instead of loading the page when a link is followed in this tab. */
function follow(link, action) {
  link.addEventListener('click', (event) => {
    if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  });
}

/** Shows another part of the list, as a new entry of the history. */
export function go(view, focused = null, state = null) {
  history.pushState(state, '', address(view));
  return open(focused);
}

/** Shows an animal in its place in the list. */
export function showAnimal(id) {
  history.pushState(null, '', addressOf(id));
  return open();
}

/** Asks for changes within a second. */
export function refreshSoon() {
  refreshAt = 0;
}

/** Stops all requests, and empties the list. */
export function close() {
  running.abort();
  shown = null;
  rows.replaceChildren();
}

/** Loads the page that the address names. Returns the status of the response; null if another page was opened meanwhile. */
export async function open(focused = null) {
  running.abort();
  running = new AbortController();
  const view = viewOfAddress();
  element('list').setAttribute('aria-busy', 'true');
  show(element('find-error'), '');
  show(element('list-status'), text('loading'));
  const response = await sendUntilAnswered(() => send(key(), 'GET', listTarget(view, PAGE)), running.signal,
    (reason, seconds) => show(element('list-status'), text(reason, seconds)));
  if (response === null) {
    return null;
  }
  element('list').setAttribute('aria-busy', 'false');
  if (response.status === 200) {
    render(view, response);
    (focusOf(view) ?? focused ?? element('list-title')).focus();
  } else if (response.status === 401) {
    refused();
  } else if (response.status !== 403) {
    show(element('list-status'), text('failed', message(response)));
  }
  return response.status;
}

/** Marks the animal that the address names. Returns the element for the focus; null if the address names no animal. */
function focusOf({ mark }) {
  if (!mark) {
    return null;
  }
  const row = rows.querySelector(`[data-id="${mark}"]`);
  if (row === null) {
    show(element('find-error'), text('not-found', mark));
    return element('find-id');
  }
  row.setAttribute('aria-current', 'true');
  row.tabIndex = -1;
  show(element('list-status'), text('found', mark));
  return row;
}

/** Asks for changes, unless the page is hidden or the rate limit is near. */
async function refresh() {
  if (!shown || document.visibilityState !== 'visible' || Date.now() < refreshAt || isBusy()) {
    return;
  }
  refreshAt = Date.now() + REFRESH_MS;
  const { signal } = running;
  const { view } = shown;
  let response;
  try {
    response = await send(key(), 'GET', listTarget(view, PAGE), { 'If-None-Match': shown.etag });
  } catch (error) {
    if (!(error instanceof Unreachable)) {
      throw error;
    }
    if (!signal.aborted) {
      show(element('list-status'), text('offline'));
    }
    return;
  }
  if (signal.aborted) {
    return;
  }
  refreshAt = Date.now() + Math.max(REFRESH_MS, secondsToSpare(response.headers) * 1000);
  if (response.status === 200) {
    render(view, response);
  } else if (response.status === 304) {
    clearWarning();
  } else if (response.status === 401) {
    refused();
  } else {
    show(element('list-status'), response.status === 503 ? text('unavailable') : text('failed', message(response)));
  }
}

function isBusy() {
  return element('list').getAttribute('aria-busy') === 'true';
}

function clearWarning() {
  if ([text('offline'), text('unavailable')].includes(element('list-status').textContent)) {
    show(element('list-status'), '');
  }
}

/** Shows a page. Rows that are on the screen already stay as they are. */
function render(view, response) {
  const pets = parse(response.text);
  const same = shown !== null && address(shown.view) === address(view);
  shown = { view, etag: response.headers.get('ETag'), next: nextAfter(response.headers) };
  refreshAt = Date.now() + Math.max(REFRESH_MS, secondsToSpare(response.headers) * 1000);
  const before = new Map(same ? [...rows.children].map((row) => [row.dataset.id, row]) : []);
  const after = pets.map((pet) => before.get(pet.id) ?? row(pet));
  if (after.length !== rows.children.length || after.some((each, i) => each !== rows.children[i])) {
    rows.replaceChildren(...after);
  }
  const title = text(`title-${view.status || 'all'}`);
  show(element('list-title'), title);
  document.title = title;
  element('status-filter').value = view.status;
  element('list-table').hidden = pets.length === 0;
  show(element('list-caption'), pets.length === 0 ? '' : text('caption', pets.length, pets[0].id, pets.at(-1).id));
  const status = element('list-status');
  if (pets.length === 0) {
    show(status, text(emptyText(view)));
  } else if (same) {
    clearWarning();
  } else {
    show(status, '');
  }
  renderPages(view);
}

function emptyText(view) {
  if (view.after) {
    return 'empty-page';
  }
  return view.status ? 'empty-status' : element('add').hidden ? 'empty' : 'empty-add';
}

function renderPages(view) {
  const previous = history.state?.previous;
  link(element('previous'), previous);
  link(element('first'), view.after && !previous ? address({ ...view, after: '', mark: '' }) : undefined);
  link(element('next'), shown.next === null ? undefined : address({ ...view, after: shown.next, mark: '' }));
}

function link(anchor, target) {
  if (target === undefined && document.activeElement === anchor) {
    element('list-title').focus();
  }
  anchor.hidden = target === undefined;
  anchor.setAttribute('href', target ?? '?');
}

function row(pet) {
  const made = document.createElement('tr');
  made.dataset.id = pet.id;
  made.append(cell(pet.id), cell(pet.name), cell(pet.categoryId), cell(pet.status ?? text('no-status')));
  made.children[1].dir = 'auto';
  return made;
}

function cell(content) {
  const made = document.createElement('td');
  made.textContent = content;
  return made;
}

function find(event) {
  event.preventDefault();
  const id = element('find-id').value.trim();
  const error = element('find-error');
  show(element('list-status'), '');
  if (!isInteger(id)) {
    show(error, text('not-an-id'));
    element('find-id').focus();
  } else if (BigInt(id) < 1n || BigInt(id) > GREATEST_ID) {
    show(error, text('not-found', id));
    element('find-id').focus();
  } else {
    showAnimal(id);
  }
}

/** Saves the list with its filter, from its first page to its last. */
async function save() {
  if (isLocked(element('save'))) {
    return;
  }
  const { status } = shown.view;
  const { signal } = running;
  const say = (...message) => show(element('list-status'), text(...message));
  const lines = ['id,name,categoryId,status\n'];
  lock([element('save')], true);
  try {
    for (let after = ''; after !== null;) {
      say('saving', lines.length - 1);
      const target = listTarget({ status, after }, LARGEST_PAGE);
      const response = await sendUntilAnswered(() => send(key(), 'GET', target), signal, say);
      if (response === null) {
        return;
      }
      if (response.status === 401) {
        refused();
        return;
      }
      if (response.status !== 200) {
        say('failed', message(response));
        return;
      }
      parse(response.text).forEach((pet) => lines.push(csvLine(pet)));
      after = nextAfter(response.headers);
    }
    download(lines, `animals${status && `-${status}`}.csv`);
    say('saved', lines.length - 1);
  } finally {
    lock([element('save')], false);
  }
}

/** A line as `petstore export --spreadsheet` writes it: RFC 4180, and an apostrophe before a name that would be a formula. */
function csvLine(pet) {
  const name = /^'*[=+\-@\t\r]/.test(pet.name) ? `'${pet.name}` : pet.name;
  return `${[pet.id, name, pet.categoryId, pet.status ?? ''].map(csvField).join(',')}\n`;
}

function csvField(value) {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function download(parts, name) {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
