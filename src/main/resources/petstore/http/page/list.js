// The list of animals: its pages, the filter, the search by id, and its copy as CSV.

import { key } from './session.js';
import { message, nextAfter, query, secondsToSpare, send, sendUntilAnswered } from './api.js';
import { isInteger, parse, withAsciiDigits } from './exact.js';
import { clear, isLocked, lock, moveFocus, say, show, text } from './text.js';

const PAGE = 20;
const LARGEST_PAGE = 100;
const REFRESH_SECONDS = 10;
const STATUSES = ['available', 'pending', 'sold'];
const GREATEST_ID = 2n ** 63n - 1n;

const element = (id) => document.getElementById(id);
const rows = element('rows');

let refused = () => {};
let running = new AbortController();
let saving = new AbortController();
/** The page on the screen: its view and ETag; null if there is none. */
let shown = null;
let isReading = false;
/** Milliseconds of `performance.now()`, because people set the clock. */
let refreshAt = 0;

/** Returns the view that the address names: `status`, `after`, and the id to mark. Each is an empty text if it is not set. */
function viewOfAddress() {
  const parameters = new URLSearchParams(location.search);
  const status = parameters.get('status');
  const after = parameters.get('after') ?? '';
  const mark = location.hash.startsWith('#animal-') ? location.hash.slice('#animal-'.length) : '';
  return {
    status: STATUSES.includes(status) ? status : '',
    after: isFrom(0n, after) ? after : '',
    mark: isInteger(mark) ? mark : '',
  };
}

function isFrom(least, digits) {
  return isInteger(digits) && BigInt(digits) >= least && BigInt(digits) <= GREATEST_ID;
}

function address({ status = '', after = '', mark = '' }) {
  const search = query({ status, after });
  return `${location.origin}${location.pathname}${search && `?${search}`}${mark && `#animal-${mark}`}`;
}

/** Returns the address of the page that begins with an animal, and marks it. */
export function addressOf(id) {
  return address({ after: String(BigInt(id) - 1n), mark: id });
}

/** Adds the listeners of the list. `onRefused` is called when the API key is no longer accepted. */
export function start(onRefused) {
  refused = onRefused;
  element('status-filter').addEventListener('change', ({ target }) => go(address({ status: target.value }), null));
  element('find-form').addEventListener('submit', find);
  element('save').addEventListener('click', save);
  element('retry').addEventListener('click', () => open());
  ['show-all', 'first'].forEach((id) => follow(element(id)));
  follow(element('next'), ({ href }) => go(href, element('next'), { previous: address(shown.view) }));
  follow(element('previous'), leave);
  addEventListener('popstate', () => { if (!element('list').hidden) { open(element('previous')); } });
  document.addEventListener('visibilitychange', refresh);
  setInterval(refresh, 1_000);
}

/** Runs an action instead of loading the page when a link is followed in this tab. A double click runs it once. */
export function follow(link, action = ({ href }) => go(href)) {
  link.addEventListener('click', (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (event.detail < 2) {
        action(link);
      }
    }
  });
}

/** Goes back in the history, once for each page. */
function leave() {
  if (!shown.left) {
    shown.left = true;
    history.back();
  }
}

/** Shows the page of an address, as a new entry of the history. `cause` is as for `open`. */
function go(target, cause = document.activeElement, state = null) {
  if (target !== location.href) {
    history.pushState(state, '', target);
  }
  open(cause);
}

/** Asks for changes within a second, or after the present read. */
export function refreshSoon() {
  refreshAt = 0;
}

/** Stops all requests, and empties the list. */
export function close() {
  [running, saving].forEach((each) => each.abort());
  clear(element('save-status'));
  empty();
}

function empty() {
  shown = null;
  rows.replaceChildren();
  element('list-table').hidden = true;
  ['first', 'previous', 'next'].forEach((id) => link(id));
}

/** Returns true if the table has this page. */
function isShown(view) {
  return shown !== null && address(shown.view) === address(view);
}

/** Says why there is no page, and empties the table unless it has this page. */
function fail(view, ...said) {
  if (!isShown(view)) {
    empty();
    renderTitle(view);
  }
  say(element('list-status'), ...said);
}

/**
 * Loads the page that the address names, and moves the focus there from `cause`, the element that asked for it.
 *
 * Returns the status of the response; null if another page was opened meanwhile.
 */
export async function open(cause = null) {
  running.abort();
  running = new AbortController();
  const view = viewOfAddress();
  element('list').setAttribute('aria-busy', 'true');
  clear(element('find-error'));
  say(element('list-status'), 'loading');
  const status = await read(view);
  if (status !== null) {
    element('list').setAttribute('aria-busy', 'false');
  }
  if (status === 200) {
    moveFocus(announcePage(view), cause, element('list-title'));
  }
  return status;
}

/** Reads a page and shows it. Returns the status of the response; null if another page was opened meanwhile. */
async function read(view, headers = {}) {
  isReading = true;
  refreshAt = Infinity;
  const response = await sendUntilAnswered(() => sendFor(view, PAGE, headers), running.signal, (reason, seconds) => {
    fail(view, reason, seconds);
    return untilVisible();
  });
  if (response === null) {
    return null;
  }
  isReading = false;
  refreshAt = Math.min(refreshAt, performance.now() + Math.max(REFRESH_SECONDS, secondsToSpare(response)) * 1000);
  if (response.status === 200) {
    render(view, response);
  } else if (response.status === 304) {
    renderStatus();
  } else if (response.status === 401) {
    refused();
  } else {
    fail(view, 'failed', message(response));
  }
  return response.status;
}

function sendFor({ status, after }, limit, headers) {
  return send(key(), 'GET', `v1/pets?${query({ limit, status, after })}`, headers);
}

/** Waits until the tab is visible, before it tries again. */
function untilVisible() {
  return document.visibilityState === 'visible'
    || new Promise((resolve) => { document.addEventListener('visibilitychange', resolve, { once: true, signal: running.signal }); });
}

/** Announces the page or its marked animal. Returns the element for the focus. */
function announcePage({ status, mark }) {
  const count = rows.childElementCount;
  const marked = rows.querySelector('[aria-current]');
  if (marked !== null) {
    say(element('list-status'), 'found', mark);
  } else if (mark) {
    say(element('find-error'), 'not-found', mark);
    return element('find-id');
  } else {
    const animals = text(count === 1 ? 'animal' : 'animals', count) + (status && `, ${status}`);
    show(element('spoken'), ...count ? ['said', animals] : summary());
  }
  return marked ?? element('list-title');
}

/** Asks for changes, unless the page is hidden, a read is under way, or the rate limit is near. */
function refresh() {
  if (shown && document.visibilityState === 'visible' && !isReading && performance.now() >= refreshAt) {
    read(shown.view, shown.etag === null ? {} : { 'If-None-Match': shown.etag });
  }
}

/** Shows a page. Rows of animals that are on the screen already stay there. */
function render(view, response) {
  const pets = parse(response.text);
  const same = isShown(view);
  const focused = document.activeElement;
  shown = { view, etag: response.headers.get('ETag') };
  const stay = new Set(same ? pets.map((pet) => pet.id) : []);
  [...rows.rows].filter((row) => !stay.has(row.dataset.id)).forEach((row) => row.remove());
  pets.forEach((pet, i) => fill(rows.rows[i]?.dataset.id === pet.id ? rows.rows[i] : rows.insertRow(i), pet, view.mark));
  renderTitle(view);
  element('list-table').hidden = pets.length === 0;
  show(element('list-caption'), ...summary());
  renderStatus();
  renderPages(view, nextAfter(response.headers));
  if (focused?.checkVisibility() === false) {
    element('list-title').focus();
  }
}

/** Says that the list is empty, or removes a message that has ended. */
function renderStatus() {
  const status = element('list-status');
  if (rows.childElementCount === 0) {
    show(status, ...summary());
  } else if (status.dataset.shows !== 'found') {
    clear(status);
  }
}

function summary() {
  const ids = [...rows.rows].map((row) => row.dataset.id);
  return ids.length === 0 ? [emptyText(shown.view)] : ['caption', ids.length, ids[0], ids.at(-1)];
}

function renderTitle({ status }) {
  const filter = element('status-filter');
  filter.value = status;
  document.title = filter.selectedOptions[0].text;
  show(element('list-title'), 'said', document.title);
}

function emptyText({ status, after }) {
  if (after) {
    return 'empty-page';
  }
  return status ? 'empty-status' : element('add').hidden ? 'empty' : 'empty-add';
}

function renderPages({ status, after }, next) {
  const previous = history.state?.previous;
  link('previous', previous);
  link('first', after && !previous && address({ status }));
  link('next', next && address({ status, after: next }));
}

/** Sets the address of a link, or hides the link. */
function link(id, target) {
  element(id).hidden = !target;
  element(id).href = target || './';
}

/** Makes a row show an animal, unless it does so already: the browser may have translated it. */
function fill(row, pet, mark) {
  const wanted = JSON.stringify(pet);
  if (row.dataset.pet === wanted) {
    return;
  }
  Object.assign(row.dataset, { id: pet.id, pet: wanted });
  if (pet.id === mark) {
    clear(element('find-error'));
    row.setAttribute('aria-current', 'true');
    row.tabIndex = -1;
  }
  row.replaceChildren();
  [pet.id, pet.name, pet.categoryId, badge(pet.status)].forEach((content) => row.insertCell().append(content));
  [...row.cells].slice(0, 3).forEach((exact) => { exact.translate = false; });
  row.cells[1].dir = 'auto';
}

function badge(status) {
  const made = Object.assign(document.createElement('span'), { className: 'badge', textContent: status ?? text('no-status') });
  made.dataset.status = status ?? '';
  return made;
}

function find(event) {
  event.preventDefault();
  const id = withAsciiDigits(element('find-id').value);
  clear(element('find-error'));
  if (isFrom(1n, id)) {
    go(addressOf(id));
  } else {
    say(element('find-error'), isInteger(id) ? 'not-found' : 'not-an-id', id);
    element('find-id').focus();
  }
}

/** Saves the list with its filter, from its first page to its last. */
async function save() {
  if (isLocked(element('save'))) {
    return;
  }
  const { status } = viewOfAddress();
  saving = new AbortController();
  const { signal } = saving;
  const tell = (...said) => say(element('save-status'), ...said);
  // Without the byte order mark, spreadsheets read UTF-8 in the encoding of the system.
  const lines = ['\uFEFFid,name,categoryId,status\n'];
  lock([element('save')], true);
  try {
    for (let after = ''; after !== null;) {
      tell('saving', lines.length - 1);
      const view = { status, after };
      const response = await sendUntilAnswered(() => sendFor(view, LARGEST_PAGE), signal, tell);
      if (response === null) {
        return;
      }
      if (response.status === 401) {
        refused();
        return;
      }
      if (response.status !== 200) {
        tell('failed', message(response));
        return;
      }
      parse(response.text).forEach((pet) => lines.push(csvLine(pet)));
      after = nextAfter(response.headers);
    }
    download(lines, `animals${status && `-${status}`}.csv`);
    tell('saved', lines.length - 1);
  } finally {
    lock([element('save')], false);
  }
}

/** A line as `petstore export --spreadsheet` writes it: RFC 4180, with marks that protect names. */
function csvLine(pet) {
  const name = `'${pet.name.replaceAll(/\r\n?|[;\t\n]/g, "$&'")}`;
  // Spreadsheets round longer integers.
  const mark = (integer) => (/\d{16}/.test(integer) ? `'${integer}` : integer);
  return `${[mark(pet.id), csvField(name), mark(pet.categoryId), pet.status ?? ''].join(',')}\n`;
}

function csvField(value) {
  return /[,;\t"\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function download(parts, name) {
  const href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
