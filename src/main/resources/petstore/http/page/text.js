// The page's messages, which stand in the template of index.html, and the elements that show them.

const texts = new Map([...document.getElementById('texts').content.children]
  .map((element) => [element.dataset.text, element.textContent]));

/** Returns the message with this name; `{0}`, `{1}`… are replaced by the values. */
export function text(name, ...values) {
  return texts.get(name).replace(/\{(\d)\}/g, (_, i) => values[i]);
}

/** Locks or unlocks fields and buttons. They keep the focus, which disabled ones would lose; a locked button has to be ignored. */
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

/** Shows a message in an element. Leaves the element alone if it shows the message already, so that it is not announced twice. */
export function show(element, message) {
  if (element.textContent !== message) {
    element.textContent = message;
  }
}
