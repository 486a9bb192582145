// The form of a case, created from the schema and the distributions of the columns. Every field can be left empty.

import { histogram } from "./charts.js";
import { fill, h, MISSING, record, shown } from "./dom.js";
import { numberField } from "./typed.js";

const NONE = "–1";

/** Return the case with the median or the most frequent value in every column. */
export function typical(columns) {
  const found = record();
  for (const column of columns) {
    if (column.quantiles) found[column.name] = column.quantiles[2];
    else if (column.counts?.length) found[column.name] = column.values[column.counts.indexOf(Math.max(...column.counts))];
  }
  return found;
}

/** Return a form that edits `asked` (the shared case or another case): its element, and a function `end` that detaches the form.
 * The buttons of the form add history entries; typing does not. */
export function caseForm({ asked }, columns, { title = "The case", hasTypical = true } = {}) {
  const fields = columns.map((column) => field(column, (value) => asked.set(column.name, value, fields)));
  const update = (value, source) => {
    for (const one of fields) one.show(value[one.name] ?? null, source === fields);
  };
  update(asked.value());
  const buttons = h(
    "p",
    { class: "buttons" },
    hasTypical && h("button", { type: "button", onclick: () => asked.replace(typical(columns), "form") }, "Typical case"),
    h("button", { type: "button", onclick: () => asked.replace({}, "form") }, "Empty all"),
  );
  const root = h("form", { class: "case", "aria-label": title, onsubmit: (event) => event.preventDefault() }, h("h2", {}, title), buttons, fields.map((one) => one.root));
  return { root, end: asked.subscribe(update) };
}

let ids = 0;

function field(column, change) {
  const id = `field-${(ids += 1)}`;
  const label = h("label", { for: id }, column.name);
  const clear = h("button", { type: "button", class: "quiet clear", "aria-label": `Clear ${column.name}`, onclick: () => (change(null), show(null)) }, "×");
  const made = (makers[column.kind] ?? text)(column, id, change);
  const note = h("p", { class: "hint strange", id: `${id}-note`, hidden: true });
  const root = h("div", { class: "field" }, h("div", { class: "head" }, label, clear), made.nodes, note);
  const box = root.querySelector(`[id="${id}"]`);
  function show(value, isOwn) {
    clear.disabled = value === null;
    root.classList.toggle("empty", value === null);
    made.show(value, isOwn);
    const words = strange(column, value);
    note.hidden = !words;
    if (note.textContent !== words) fill(note, words);
    if (words) box.setAttribute("aria-describedby", note.id);
    else box.removeAttribute("aria-describedby");
  }
  return { name: column.name, root, show };
}

/** Return why a value is unusual compared with the past cases (see `note_strange` of the command line); empty if the value is usual. */
function strange(column, value) {
  if (value === null) return "";
  if (column.kind === "numeric" && column.quantiles) {
    const [min, max] = [column.quantiles[0], column.quantiles.at(-1)];
    return value < min || value > max ? `is outside the range ${shown(min)} to ${shown(max)} of the past cases` : "";
  }
  const isListed = column.values?.length >= column.distinct; // otherwise only the most frequent values are listed
  return column.kind === "nominal" && isListed && !column.values.includes(value) ? "does not occur in the past cases" : "";
}

// -- kinds of columns: {nodes, show(value, isOwn)}; isOwn: the change was made in this form, so a field with the focus is not overwritten

function list(column, id, change) {
  const known = column.values ?? [];
  const select = h("select", { id, onchange: () => change(select.value === NONE ? null : JSON.parse(select.value)) }, h("option", { value: NONE }, MISSING), known.map((value) => h("option", { value: JSON.stringify(value) }, shown(value))));
  return {
    nodes: [select],
    show(value) {
      const wanted = value === null ? NONE : JSON.stringify(value);
      if (value !== null && ![...select.options].some((option) => option.value === wanted)) select.append(h("option", { value: wanted }, shown(value)));
      select.value = wanted;
    },
  };
}

function numeric(column, id, change) {
  const typed = numberField({ id, placeholder: MISSING }, { decimal: column.decimal, change });
  const { box, note } = typed;
  const showTyped = (value, isOwn) => {
    if (isOwn && (document.activeElement === box || box.hasAttribute("aria-invalid"))) return; // the user is typing here
    typed.show(value);
  };
  if (column.low === undefined) return { nodes: [typed.nodes], show: showTyped };
  const digits = Math.max(0, Math.ceil(-Math.log10(column.step)));
  const slider = h("input", { type: "range", min: column.low, max: column.high, step: column.step, "aria-label": `${column.name}, slider`, oninput: () => change(Number(Number(slider.value).toFixed(digits))) });
  const behind = h("div", { class: "behind" });
  const place = h("div", { class: "slider" }, behind, slider);
  let marked;
  return {
    nodes: [h("div", { class: "pair" }, place, box), note],
    show(value, isOwn) {
      showTyped(value, isOwn);
      slider.value = value ?? (Number(column.low) + Number(column.high)) / 2;
      slider.setAttribute("aria-valuetext", shown(value));
      const bins = column.counts.length;
      const own = value === null ? null : Math.max(0, Math.min(bins - 1, Math.floor(((value - column.edges[0]) / (column.edges[bins] - column.edges[0])) * bins)));
      if (own !== marked) fill(behind, histogram({ counts: column.counts, own, label: `${column.name}: rows by value` }));
      marked = own;
    },
  };
}

function shownIn(box, value, isOwn) {
  if (isOwn && document.activeElement === box) return; // the user is typing here
  box.value = value ?? "";
}

function date(column, id, change) {
  const hasTime = column.low?.includes("T");
  const box = h("input", { id, type: hasTime ? "datetime-local" : "date", onchange: () => change(box.value || null) });
  const behind = column.counts ? h("div", { class: "behind" }, histogram({ counts: column.counts, label: `${column.name}: rows by date` })) : null;
  return { nodes: [behind, box], show: (value, isOwn) => shownIn(box, value === null ? "" : hasTime ? moment(value) : value.slice(0, 10), isOwn) };
}

/** Convert a date to the format of a date-time field; a date without a time becomes midnight. */
const moment = (value) => (value.includes("T") ? value : `${value}T00:00`);

function text(column, id, change) {
  const box = h("textarea", { id, rows: 2, placeholder: MISSING, oninput: () => change(box.value || null) });
  return { nodes: [box], show: (value, isOwn) => shownIn(box, value, isOwn) };
}

function set(column, id, change) {
  const box = h("input", { id, type: "text", placeholder: `${MISSING}; several with commas`, autocomplete: "off", list: `${id}-known`, onchange: () => change(box.value.trim() === "" ? null : box.value.split(",").map((one) => one.trim()).filter(Boolean)) });
  const known = h("datalist", { id: `${id}-known` }, (column.options ?? []).map((one) => h("option", { value: String(one) })));
  return { nodes: [box, known], show: (value, isOwn) => shownIn(box, value === null ? "" : value.join(", "), isOwn) };
}

/** Return a field for nominal values that also accepts values other than the known ones. */
function names(column, id, change) {
  const typed = (value) => (typeof value === "number" ? String(value) : shown(value)); // as the user types it
  const known = new Map((column.values ?? []).map((value) => [typed(value), value]));
  const box = h("input", { id, type: "text", placeholder: MISSING, autocomplete: "off", list: `${id}-known`, oninput: () => change(box.value === "" ? null : (known.get(box.value) ?? box.value)) });
  const options = h("datalist", { id: `${id}-known` }, [...known.keys()].map((one) => h("option", { value: one })));
  return { nodes: [box, options], show: (value, isOwn) => shownIn(box, value === null ? "" : typed(value), isOwn) };
}

const makers = { nominal: (column, ...rest) => (column.open ? names : list)(column, ...rest), ordinal: list, taxonomy: list, numeric, circular: numeric, date, text, set };
