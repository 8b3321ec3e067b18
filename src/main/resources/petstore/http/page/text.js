// The messages of the page, from the template in index.html, and the elements that show them.

const templates = new Map([...document.getElementById('texts').content.children].map((each) => [each.dataset.text, each]));

/** The message of each element. Translations by the browser change the content of elements. */
const shown = new WeakMap();

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

/** Shows a message in an element, and names it for the style sheet, unless the element shows it already: a screen reader would announce it twice. */
export function show(element, name, ...values) {
  const wanted = JSON.stringify([name, ...values]);
  if (shown.get(element) !== wanted) {
    shown.set(element, wanted);
    element.dataset.shows = name;
    element.replaceChildren(...message(name, values).childNodes);
  }
}

/** Removes the message of an element. With names, only a message that has one of them. */
export function clear(element, ...names) {
  if (names.length === 0 || names.includes(JSON.parse(shown.get(element) ?? '[]')[0])) {
    show(element, 'none');
  }
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
