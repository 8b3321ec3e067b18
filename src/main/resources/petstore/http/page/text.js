// The messages of the page, from the template in index.html, and the elements that show them.

const texts = new Map([...document.getElementById('texts').content.children]
  .map((element) => [element.dataset.text, element.textContent]));

/** Returns the message with this name; `{0}`, `{1}`… are replaced by the values. */
export function text(name, ...values) {
  return texts.get(name).replace(/\{(\d)\}/g, (_, i) => values[i]);
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

/** Shows a message in an element, unless the element shows it already: a screen reader would announce it twice. */
export function show(element, message) {
  if (element.textContent !== message) {
    element.textContent = message;
  }
}
