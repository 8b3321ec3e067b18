// Texts that this tab keeps. While the browser refuses to store them, because storage is full or switched off, the open page keeps them.

const memory = new Map();

/** Returns a name that is this page's own: one host may have several. */
export const own = (name) => `petstore.${name} ${location.pathname}`;

/** Returns the result of an access to storage; null if there is none, or if the browser refuses the access. */
export function attempt(access) {
  try {
    return access() ?? null;
  } catch {
    return null;
  }
}

/** Returns a kept text; null if there is none. */
export function recall(name) {
  return attempt(() => sessionStorage.getItem(name)) ?? memory.get(name) ?? null;
}

/** Keeps a text. The older one goes first, because the browser may refuse the new one. */
export function keep(name, text) {
  drop(name);
  memory.set(name, text);
  attempt(() => sessionStorage.setItem(name, text));
}

/** Forgets a text. */
export function drop(name) {
  memory.delete(name);
  attempt(() => sessionStorage.removeItem(name));
}
