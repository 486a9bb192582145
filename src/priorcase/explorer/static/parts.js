// Parts that several views have: panels, pages of a list, a case that only one form knows, who makes a change.

import { count, h, shown } from "./dom.js";

/** A section with a heading; what it shows goes into `body`. */
export function panel(title, name) {
  const body = h("div", { class: "body" });
  const id = `panel-${name}`;
  return { body, root: h("section", { class: `panel ${name}`, "aria-labelledby": id }, h("h2", { id }, title), body) };
}

/** A value as people read it, also one that is a document of its own. */
export const told = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : shown(value));

/** A moment in UTC as people read it. */
export const moment = (text) => (text ? text.slice(0, 16).replace("T", " ") : "–");

/** A case with the functions of case.js, for a form of its own. */
export function ownCase(initial = {}) {
  const listeners = new Set();
  const clean = (found) => Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null && value !== undefined && value !== ""));
  let current = clean(initial);
  const change = (next, source) => {
    current = clean(next);
    for (const listener of listeners) listener(current, source);
  };
  return {
    value: () => current,
    set: (name, to, source) => change({ ...current, [name]: to }, source),
    replace: change,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** "1 to 50 of 69", with buttons to go on and back. */
export function pager({ offset, limit, total, what, go }) {
  const first = total ? offset + 1 : 0;
  const last = Math.min(offset + limit, total);
  return h(
    "p",
    { class: "pager" },
    h("span", { class: "soft", role: "status" }, total ? `${count(first)} to ${count(last)} of ${count(total)} ${what}` : `No ${what}`),
    total > limit && h("button", { type: "button", disabled: offset === 0, onclick: () => go(Math.max(0, offset - limit)) }, "Previous"),
    total > limit && h("button", { type: "button", disabled: last >= total, onclick: () => go(offset + limit) }, "Next"),
  );
}

let ids = 0;

/** A labeled control of a form. */
export function labeled(text, control, hint) {
  const id = control.id || `control-${(ids += 1)}`;
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return h("div", { class: "field" }, h("div", { class: "head" }, h("label", { for: id }, text)), control, hint && h("p", { class: "hint soft", id: `${id}-hint` }, hint));
}

const BY = "priorcase-by";

/** Who makes a change, remembered by the browser. */
export function byField() {
  const box = h("input", { type: "text", autocomplete: "name", maxlength: 1000, value: localStorage.getItem(BY) ?? "" });
  const value = () => {
    localStorage.setItem(BY, box.value.trim());
    return box.value.trim() || null;
  };
  return { root: labeled("Your name", box, "For the history; optional."), value };
}

/** A note on a model that is downloaded while others are fitted. */
export const STANDS_IN = "Stacked learners are still being fitted. Until then, the k-NN model is saved and downloaded.";

/** What `POST /review/save` has done, in words. */
export const savedText = (told) => `Saved to ${told.saved}.${told.stands_in ? " This is the k-NN model, since stacked learners are still being fitted. Save again when they are ready." : ""}`;
