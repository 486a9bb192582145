// Forms that change a case base: add, edit, feedback and forget. Error messages of the case base are shown unchanged.

import { Problem } from "./api.js";
import { fill, h, same } from "./dom.js";
import { caseForm } from "./form.js";
import { byField, labeled, ownCase } from "./parts.js";
import { checkNumbers, numberField } from "./typed.js";

const LONGEST = 100000; // the limit of the service on a string

/** Return a form whose content is sent by `send`; `value` returns the body of the request, or throws a Problem. */
function sending({ parts, button, value, send, ...props }) {
  const wrong = h("p", { class: "wrong", role: "alert" });
  const submit = h("button", { type: "submit", class: "primary" }, button);
  return h(
    "form",
    {
      ...props,
      async onsubmit(event) {
        event.preventDefault();
        submit.disabled = true;
        fill(wrong);
        try {
          await send(value());
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          fill(wrong, error.message);
        } finally {
          submit.disabled = false;
        }
      },
    },
    parts,
    wrong,
    h("p", { class: "buttons" }, submit),
  );
}

/** Return a field for a solution or an outcome; its type depends on the values in the case base. */
function anyField(name, { kind, values }, initial, changed = () => {}) {
  if (kind === "boolean" || (kind === null && name === "Outcome")) {
    const choice = h("select", { oninput: changed }, h("option", { value: "null" }, "not known"), h("option", { value: "true" }, "yes, it helped"), h("option", { value: "false" }, "no, it did not help"));
    const show = (value) => (choice.value = String(typeof value === "boolean" ? value : null));
    show(initial);
    return { root: labeled(name, choice), value: () => JSON.parse(choice.value), show };
  }
  if (kind === "numeric") {
    const { box, note, show, value } = numberField({}, { change: changed });
    show(initial);
    return { root: h("div", {}, labeled(name, box), note), value, show };
  }
  const isJson = kind === "json";
  const known = `known-${name.toLowerCase()}`;
  const text = (value) => (value === null ? "" : isJson && typeof value !== "string" ? JSON.stringify(value) : String(value));
  const box = h("input", { type: "text", list: known, autocomplete: "off", value: text(initial), oninput: changed });
  const list = h("datalist", { id: known }, values.filter((value) => typeof value === "string").map((value) => h("option", { value })));
  const value = () => {
    const given = box.value.trim();
    if (given === "") return null;
    if (!isJson || !/^[[{"\d-]|^(true|false|null)$/.test(given)) return given;
    try {
      return JSON.parse(given);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return given;
    }
  };
  return { root: h("div", {}, labeled(name, box, isJson ? "A string, or JSON." : undefined), list), value, show: (value) => (box.value = text(value)) };
}

const area = (rows = 2) => h("textarea", { rows, maxlength: LONGEST });

/** Return a form for a new case, filled with the known values. */
export function addForm(columns, known, solution, send) {
  const asked = ownCase(known);
  const form = caseForm({ asked }, columns.columns.filter((column) => column.kind !== "graph"), { title: "A new case", hasTypical: false });
  const [did, came, by] = [anyField("Solution", columns.solution, solution), anyField("Outcome", columns.outcome, null), byField()];
  const [key, note, why] = [h("input", { type: "text", autocomplete: "off", maxlength: 1000 }), area(), h("input", { type: "text", autocomplete: "off", maxlength: LONGEST })];
  const value = () => (checkNumbers(form.root), { case: asked.value(), solution: did.value(), outcome: came.value(), key: key.value.trim() || null, note: note.value.trim() || null, by: by.value(), why: why.value.trim() || null });
  const parts = [h("h2", {}, "Solution and outcome"), did.root, came.root, labeled("Key", key, "Your own name for the case, such as a ticket number."), labeled("Note", note), labeled("Reason for adding it", why, "For the history."), by.root];
  return h("div", { class: "one" }, h("div", { class: "left" }, form.root), h("div", { class: "right" }, sending({ parts, button: "Add the case", value, send, class: "change", "aria-label": "Details of the case" })));
}

/** Return a form to correct a case; only the changes are sent. */
export function editForm(columns, found, send) {
  const asked = ownCase(found.values);
  const form = caseForm({ asked }, columns.columns.filter((column) => column.kind !== "graph"), { title: `Case #${found.id}`, hasTypical: false });
  let isOutcomeChosen = false;
  const came = anyField("Outcome", columns.outcome, found.outcome, () => (isOutcomeChosen = true));
  const did = anyField("Solution", columns.solution, found.solution, () => {
    if (!isOutcomeChosen) came.show(same(did.value(), found.solution) ? found.outcome : null); // of the previous solution
  });
  const by = byField();
  const why = h("input", { type: "text", autocomplete: "off", maxlength: LONGEST });
  const value = () => {
    checkNumbers(form.root);
    const next = asked.value();
    const names = columns.columns.filter((column) => column.kind !== "graph" && !same(found.values[column.name], next[column.name])).map((column) => column.name);
    const body = { changes: Object.fromEntries(names.map((name) => [name, next[name] ?? null])), by: by.value(), why: why.value.trim() || null };
    if (!same(did.value(), found.solution)) body.solution = did.value();
    if ("solution" in body || !same(came.value(), found.outcome)) body.outcome = came.value();
    if (!names.length && !("solution" in body) && !("outcome" in body)) throw new Problem("Nothing was changed. Change a value, the solution or the outcome, then save.", 422);
    return body;
  };
  const parts = [h("h2", {}, "Solution and outcome"), did.root, came.root, labeled("Reason for the change", why, "For the history."), by.root];
  return h("div", { class: "one" }, h("div", { class: "left" }, form.root), h("div", { class: "right" }, sending({ parts, button: "Save the changes", value, send, class: "change", "aria-label": "Details of the case" })));
}

/** Return a form for the outcome of a case and a note. */
export function feedbackForm(found, columns, send) {
  const [came, by, note] = [anyField("Outcome", columns.outcome, found.outcome), byField(), area()];
  const value = () => {
    const body = { by: by.value() };
    if (!same(came.value(), found.outcome)) body.outcome = came.value();
    if (note.value.trim()) body.note = note.value.trim();
    if (!("outcome" in body) && !("note" in body)) throw new Problem("Change the outcome, or write a note.", 422);
    return body;
  };
  return sending({ parts: [came.root, labeled("Note", note), by.root], button: "Save the feedback", value, send, class: "change", "aria-label": "Feedback" });
}

/** Open a dialog that asks for a reason before a case is forgotten. */
export function forgetForm(found, send) {
  const [why, by] = [h("input", { type: "text", required: true, autocomplete: "off", maxlength: LONGEST }), byField()];
  const close = () => dialog.close();
  const form = sending({
    parts: [
      h("h2", { id: "forget-title" }, `Forget case #${found.id}?`),
      h("p", {}, "The case is erased from the file: its values, solution, outcome, key and notes, the names and reasons in its history, and everything learned from it. This cannot be undone."),
      h("p", { class: "soft" }, "The history keeps only the number of the case, when the case was added, revised and forgotten, and by whom and why it was forgotten."),
      labeled("Reason", why),
      by.root,
    ],
    button: "Forget it",
    value: () => ({ why: why.value.trim(), by: by.value() }),
    async send(body) {
      await send(body);
      close();
    },
    "aria-label": "Forget",
  });
  const dialog = h("dialog", { "aria-labelledby": "forget-title", onclose: () => dialog.remove() }, form);
  form.querySelector(".buttons").append(h("button", { type: "button", onclick: close }, "Cancel"));
  form.querySelector(".primary").classList.add("danger");
  document.body.append(dialog);
  dialog.showModal();
  why.focus();
}
