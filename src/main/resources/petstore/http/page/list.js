// The list of animals: its pages, the filter, the search by id, and its copy as CSV.

import { key } from './session.js';
import { listTarget, message, nextAfter, secondsToSpare, send, sendUntilAnswered } from './api.js';
import { isInteger, parse, withAsciiDigits } from './exact.js';
import { clear, isLocked, lock, moveFocus, say, show, text } from './text.js';

const PAGE = 20;
const LARGEST_PAGE = 100;
const REFRESH_SECONDS = 10;
const STATUSES = ['available', 'pending', 'sold'];
/** The messages that the next good response removes. */
const PASSING = ['loading', 'offline', 'foreign', 'internal', 'unavailable', 'limited', 'failed',
  'empty', 'empty-add', 'empty-status', 'empty-page'];
const GREATEST_ID = 2n ** 63n - 1n;

const element = (id) => document.getElementById(id);
const rows = element('rows');

let refused = () => {};
let running = new AbortController();
/** The page on the screen: its view, ETag and the `after` of the next page; null if there is none. */
let shown = null;
let isReading = false;
/** Milliseconds of `performance.now()`, because people set the clock. */
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
  return address(viewOf(id));
}

function viewOf(id) {
  return { status: '', after: String(BigInt(id) - 1n), mark: id };
}

/** Adds the listeners of the list. `onRefused` is called when the API key is no longer accepted. */
export function start(onRefused) {
  refused = onRefused;
  element('status-filter').addEventListener('change', ({ target }) => go({ status: target.value, after: '' }, null));
  element('find-form').addEventListener('submit', find);
  element('save').addEventListener('click', save);
  element('retry').addEventListener('click', () => open());
  follow(element('show-all'), () => go({ status: '', after: '' }));
  follow(element('first'), () => go({ ...shown.view, after: '', mark: '' }));
  follow(element('next'), () => go({ ...shown.view, after: shown.next, mark: '' }, element('next'), { previous: address(shown.view) }));
  follow(element('previous'), leave);
  addEventListener('popstate', () => { if (!element('list').hidden) { open(element('previous')); } });
  document.addEventListener('visibilitychange', refresh);
  setInterval(refresh, 1_000);
}

/** Runs an action instead of loading the page when a link is followed in this tab. A double click runs it once. */
export function follow(link, action) {
  link.addEventListener('click', (event) => {
    if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (event.detail < 2) {
        action();
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

/** Shows another part of the list, as a new entry of the history. `cause` is as for `open`. */
function go(view, cause = document.activeElement, state = null) {
  if (address(view) !== location.pathname + location.search + location.hash) {
    history.pushState(state, '', address(view));
  }
  return open(cause);
}

/** Shows an animal in its place in the list. */
export function showAnimal(id) {
  return go(viewOf(id));
}

/** Asks for changes within a second, or after the present read. */
export function refreshSoon() {
  refreshAt = 0;
}

/** Stops all requests, and empties the list. */
export function close() {
  running.abort();
  empty();
}

function empty() {
  shown = null;
  rows.replaceChildren();
  clear(element('list-caption'));
  element('list-table').hidden = true;
  ['first', 'previous', 'next'].forEach((id) => link(element(id), undefined));
}

/** Empties the table, unless it has the page of the address. */
function emptyUnless(view) {
  if (shown === null || address(shown.view) !== address(view)) {
    empty();
    renderTitle(view);
  }
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
  const response = await sendUntilAnswered(() => send(key(), 'GET', listTarget(view, PAGE), headers), running.signal,
    (reason, seconds) => {
      emptyUnless(view);
      say(element('list-status'), reason, seconds);
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
    renderStatus(...PASSING);
  } else if (response.status === 401) {
    refused();
  } else {
    emptyUnless(view);
    say(element('list-status'), 'failed', message(response));
  }
  return response.status;
}

/** Waits until the tab is visible, before it tries again. */
function untilVisible() {
  return document.visibilityState === 'visible'
    || new Promise((resolve) => { document.addEventListener('visibilitychange', resolve, { once: true, signal: running.signal }); });
}

/** Announces the page, or whether it has the animal to mark. Returns the element for the focus. */
function announcePage({ status, mark }) {
  const marked = rows.querySelector('[aria-current]');
  const count = rows.childElementCount;
  if (marked !== null) {
    say(element('list-status'), 'found', mark);
  } else if (mark) {
    say(element('find-error'), 'not-found', mark);
    return element('find-id');
  } else if (count === 0) {
    show(element('spoken'), emptyText(shown.view));
  } else {
    show(element('spoken'), `${count === 1 ? 'animal' : 'animals'}${status && '-status'}`, count, status);
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
  const same = shown !== null && address(shown.view) === address(view);
  const focused = document.activeElement;
  shown = { view, etag: response.headers.get('ETag'), next: nextAfter(response.headers) };
  const stay = new Set(same ? pets.map((pet) => pet.id) : []);
  [...rows.rows].filter((row) => !stay.has(row.dataset.id)).forEach((row) => row.remove());
  pets.forEach((pet, i) => fill(rows.rows[i]?.dataset.id === pet.id ? rows.rows[i] : rows.insertRow(i), pet, view.mark));
  renderTitle(view);
  element('list-table').hidden = pets.length === 0;
  show(element('list-caption'), ...(pets.length === 0 ? ['none'] : ['caption', pets.length, pets[0].id, pets.at(-1).id]));
  renderStatus(...(same ? PASSING : []));
  renderPages(view);
  if (focused?.checkVisibility() === false) {
    element('list-title').focus();
  }
}

/** Says that the list is empty, or removes messages with these names; all messages if there is no name. */
function renderStatus(...passing) {
  if (rows.childElementCount === 0) {
    show(element('list-status'), emptyText(shown.view));
  } else {
    clear(element('list-status'), ...passing);
  }
}

function renderTitle(view) {
  const title = `title-${view.status || 'all'}`;
  show(element('list-title'), title);
  document.title = text(title);
  element('status-filter').value = view.status;
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
  anchor.hidden = target === undefined;
  anchor.setAttribute('href', target ?? '?');
}

/** Makes a row show an animal, unless it does so already: the browser may have translated it. */
function fill(row, pet, mark) {
  const wanted = JSON.stringify(pet);
  if (row.dataset.pet === wanted) {
    return;
  }
  Object.assign(row.dataset, { id: pet.id, pet: wanted });
  if (pet.id === mark) {
    row.setAttribute('aria-current', 'true');
    row.tabIndex = -1;
  }
  row.replaceChildren();
  [pet.id, pet.name, pet.categoryId, badge(pet.status)].forEach((content) => row.insertCell().append(content));
  [...row.cells].slice(0, 3).forEach((exact) => { exact.translate = false; });
  row.cells[1].dir = 'auto';
}

function badge(status) {
  const made = document.createElement('span');
  made.className = 'badge';
  made.dataset.status = status ?? '';
  made.textContent = status ?? text('no-status');
  return made;
}

function find(event) {
  event.preventDefault();
  const id = withAsciiDigits(element('find-id').value);
  clear(element('list-status'));
  clear(element('find-error'));
  if (isInteger(id) && BigInt(id) > 0n && BigInt(id) <= GREATEST_ID) {
    showAnimal(id);
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
  const { signal } = running;
  const tell = (...said) => say(element('list-status'), ...said);
  // Without the byte order mark, spreadsheets read UTF-8 in the encoding of the system.
  const lines = ['\uFEFFid,name,categoryId,status\n'];
  lock([element('save')], true);
  try {
    for (let after = ''; after !== null;) {
      tell('saving', lines.length - 1);
      const target = listTarget({ status, after }, LARGEST_PAGE);
      const response = await sendUntilAnswered(() => send(key(), 'GET', target), signal, tell);
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
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
