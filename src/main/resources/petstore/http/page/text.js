// The messages of the page, from the template in index.html, the elements that show them, and the focus.

const templates = new Map([...document.getElementById('texts').content.children].map((each) => [each.dataset.text, each]));

/** The message of each element. Translations by the browser change the content of elements. */
const shown = new WeakMap();

/** What screen readers announce. These elements are never hidden, because the first message of a new element is not announced. */
const [spoken, alarm] = ['spoken', 'alarm'].map((id) => document.getElementById(id));

/** Returns the message with this name; `{0}`, `{1}`… are replaced by the values. */
export function text(name, ...values) {
  return message(name, values).textContent;
}

function message(name, values) {
  const copy = templates.get(name).cloneNode(true);
  const parts = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
  while (parts.nextNode()) {
    parts.currentNode.data = parts.currentNode.data.replace(/\{(\d)\}/g, (_, i) => values[i]);
  }
  return copy;
}

/** Shows a message in an element, and names it for the style sheet, unless the element shows it already. */
export function show(element, name, ...values) {
  const wanted = JSON.stringify([name, ...values]);
  if (shown.get(element) !== wanted) {
    shown.set(element, wanted);
    element.dataset.shows = name;
    element.replaceChildren(...message(name, values).childNodes);
  }
}

/** Shows a message, and announces it unless the element had a message with this name. */
export function say(element, name, ...values) {
  const isNew = element.dataset.shows !== name;
  show(element, name, ...values);
  if (isNew) {
    show(element.matches('.error') ? alarm : spoken, name, ...values);
  }
}

/** Removes the message of an element, also if it was announced. */
export function clear(element) {
  const removed = shown.get(element);
  [element, spoken, alarm].filter((each) => shown.get(each) === removed).forEach((each) => show(each, 'none'));
}

/** Focuses an element unless somebody uses another one, neither hidden nor part of a cause. Returns true if the focus moves. */
export function moveFocus(target, ...causes) {
  const active = document.activeElement ?? document.body;
  const isFree = active === document.body || !active.checkVisibility() || causes.some((cause) => cause?.contains(active));
  if (isFree) {
    target.focus();
  }
  return isFree;
}

/** Locks or unlocks fields and buttons. They keep the focus, which a disabled element loses. Callers ignore a locked button. */
export function lock(elements, locked) {
  elements.forEach((each) => {
    if (each.tagName === 'INPUT') {
      each.readOnly = locked;
    } else if (each.tagName === 'SELECT') {
      each.disabled = locked;
    } else {
      each.setAttribute('aria-disabled', String(locked));
    }
  });
}

/** Returns true if an element is locked. */
export function isLocked(element) {
  return element.getAttribute('aria-disabled') === 'true';
}
