// Parts shared by several views: panels, pages of a list, a case for a single form, and the name of the user.

import { count, h, record, shown } from "./dom.js";

/** Create a section with a heading; its content is put into `body`. */
export function panel(title, name) {
  const body = h("div", { class: "body" });
  const id = `panel-${name}`;
  return { body, root: h("section", { class: `panel ${name}`, "aria-labelledby": id }, h("h2", { id }, title), body) };
}

/** Format a value for display; objects are shown as JSON. */
export const told = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : shown(value));

/** Format a date and time in UTC for display. */
export const moment = (text) => (text ? text.slice(0, 16).replace("T", " ") : "–");

/** Create a button that lets the user choose a file, and opens it. */
export function opener(open, hint) {
  const input = h("input", { type: "file", hidden: true, id: "open-file", onchange: () => input.files[0] && open(input.files[0]) });
  return h("div", { class: "opener" }, h("button", { type: "button", onclick: () => input.click() }, "Open another file …"), input, hint && h("span", { class: "soft" }, hint));
}

/** Return a separate case with the functions of case.js, for a single form. */
export function ownCase(initial = {}) {
  const listeners = new Set();
  const clean = (found) => record(Object.entries(found).filter(([, value]) => value !== null && value !== undefined && value !== ""));
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

/** Create the line "1 to 50 of 69" with buttons for the previous and the next page. */
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

/** Create a labeled form control. */
export function labeled(text, control, hint) {
  const id = control.id || `control-${(ids += 1)}`;
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return h("div", { class: "field" }, h("div", { class: "head" }, h("label", { for: id }, text)), control, hint && h("p", { class: "hint soft", id: `${id}-hint` }, hint));
}

const BY = "priorcase-by";

/** Create a field for the name of the user, which the browser remembers. */
export function byField() {
  const box = h("input", { type: "text", autocomplete: "name", maxlength: 1000, value: localStorage.getItem(BY) ?? "" });
  const value = () => {
    localStorage.setItem(BY, box.value.trim());
    return box.value.trim() || null;
  };
  return { root: labeled("Your name", box, "For the history; optional."), value };
}

/** A note on saving or downloading the model while stacked learners are fitted. */
export const STANDS_IN = "Stacked learners are still being fitted. Until then, the k-NN model is saved and downloaded.";

/** Describe the result of `POST /review/save`. */
export const savedText = (told) => `Saved to ${told.saved}.${told.stands_in ? " This is the k-NN model, since stacked learners are still being fitted. Save again when they are ready." : ""}`;
