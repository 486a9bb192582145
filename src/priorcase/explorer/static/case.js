// The current case, which all views share. It is part of the address, so that reload and the back button keep it.

import { record } from "./dom.js";

const listeners = new Set();
let current = record();
let untouched = true;

export const value = () => current;
export const isUntouched = () => untouched;

function told(source) {
  for (const listener of listeners) listener(current, source);
}

/** Set one column; null or undefined leaves it empty. `source` tells listeners which part changed it. */
export function set(name, to, source) {
  const next = record(Object.entries(current));
  if (to === null || to === undefined || to === "") delete next[name];
  else next[name] = to;
  current = next;
  untouched = false;
  told(source);
}

/** Replace the case. */
export function replace(next, source) {
  current = record(Object.entries(next).filter(([, one]) => one !== null && one !== undefined));
  untouched = false;
  told(source);
}

/** Call a function after every change; return a function that removes it. */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
