// Numbers that users type, in the notation of the table and in English. `typedNumber` is a translation of priorcase/datasets/typed.py; the tests compare both functions.

import { Problem } from "./api.js";
import { fill, h } from "./dom.js";

const CURRENCY = "(?:US\\$|R\\$|A\\$|C\\$|[$€£¥₹₽₩₺]|USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK|PLN|INR|Rs\\.?|kr\\.?|zł|Kč|Fr\\.?)";
const GROUPS = "'’ \\u00a0\\u202f";
const BLANKS = "[\\t\\n\\f\\r ]*";
const PLAIN = /^[-+]?(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const FRACTION = /^[-+]?0[.,][0-9]+$/;
const OTHER = { ".": ",", ",": "." };

/** Return the pattern of a number with this decimal mark; groups: minus, minus after a currency sign, digits, exponent. */
function pattern(mark) {
  const sign = "(?:\\+|([-−]))";
  const digits = `((?:[0-9]{1,3}(?:[${OTHER[mark]}${GROUPS}][0-9]{3})+|[0-9]+)(?:\\${mark}[0-9]*)?|\\${mark}[0-9]+)((?:[eE][-+]?[0-9]+)?)`;
  return new RegExp(`^(?:${sign}?${BLANKS}(?:${CURRENCY}${BLANKS})?|${CURRENCY}${BLANKS}${sign})${digits}${BLANKS}(?:${CURRENCY}|%|‰)?$`);
}

const PATTERNS = { ".": pattern("."), ",": pattern(",") };

const finite = (number) => (Number.isFinite(number) ? number + 0 : null);

function plainNumber(text, mark) {
  const bare = mark === "," ? text.replace(/\./g, "?").replace(/,/g, ".") : text;
  return PLAIN.test(bare) ? finite(Number(bare.replace(/_/g, ""))) : null;
}

/** Parse a number with this decimal mark and any thousands separators. */
function numberWith(text, mark) {
  const found = PATTERNS[mark].exec(text.replace(/^\((.+)\)$/, "-$1")); // negative numbers in accounting notation
  if (!found) return null;
  const digits = found[3].replace(new RegExp(`[${OTHER[mark]}${GROUPS}]`, "g"), "").replace(",", ".");
  return finite(Number(`${found[1] || found[2] ? "-" : ""}${digits}${found[4]}`));
}

const example = (number) => (Number.isInteger(number) ? String(number) : number.toFixed(4));

/** Return the number that a text means, as {value}, or why it has no single meaning, as {problem}. An empty text is a missing value. */
export function typedNumber(text, decimal = ".") {
  const bare = text.trim();
  if (bare === "") return { value: null };
  const plain = FRACTION.test(bare) ? plainNumber(bare.replace(",", "."), ".") : plainNumber(bare, decimal);
  if (plain !== null) return { value: plain };
  const found = [...new Set([".", ","].map((mark) => numberWith(bare, mark)))].filter((number) => number !== null);
  if (found.length === 1) return { value: found[0] };
  if (!found.length) return { problem: `'${bare}' is not a number that can be used. Write a number such as 3${decimal}5.` };
  return { problem: `'${bare}' can mean ${found[0]} or ${found[1]}. Write ${example(found[0])} or ${example(found[1])}.` };
}

/** Format a number as it is typed into a field of a table with this decimal mark. */
export const typedText = (number, decimal = ".") => (number === null || number === undefined ? "" : String(number).replace(".", decimal));

let ids = 0;

/** Return a field for a number: the input `box` and a line `note` that shows how the text was understood, both of them in `nodes`; `show(number)`; and
 * `value()`, which throws a Problem if the text is not a number. `change` is called with each valid number, and with null if the field is empty. */
export function numberField(props, { decimal = ".", least = -Infinity, most = Infinity, change = () => {} } = {}) {
  const note = h("span", { class: "typed", role: "status", "aria-live": "polite", id: `typed-${(ids += 1)}`, hidden: true });
  const box = h("input", { ...props, type: "text", inputmode: "decimal", autocomplete: "off", "aria-errormessage": note.id, oninput: read });
  let held = { value: null };
  let last = null; // the last valid number
  function read() {
    held = typedNumber(box.value, decimal);
    const isNumber = typeof held.value === "number";
    if (isNumber && held.value < least) held = { problem: `Write a number of at least ${least}.` };
    if (isNumber && held.value > most) held = { problem: `Write a number of at most ${most}.` };
    if (held.problem && last !== null) held.problem += ` Until then, ${typedText(last, decimal)} is used.`;
    draw();
    if (held.problem) return;
    last = held.value;
    change(last);
  }
  function draw() {
    const isUnderstood = held.problem || held.value === null || typedText(held.value, decimal) === box.value.trim();
    const words = held.problem ?? (isUnderstood ? "" : `= ${typedText(held.value, decimal)}`);
    note.hidden = words === "";
    note.classList.toggle("wrong", Boolean(held.problem));
    if (note.textContent !== words) fill(note, words);
    if (held.problem) box.setAttribute("aria-invalid", "true");
    else box.removeAttribute("aria-invalid");
  }
  function show(number) {
    last = number ?? null;
    held = { value: last };
    box.value = typedText(number, decimal);
    draw();
  }
  function value() {
    if (held.problem) throw new Problem(held.problem, 422);
    return held.value;
  }
  return { box, note, nodes: h("span", { class: "number" }, box, note), show, value };
}

/** Return what is wrong with the first number field within an element that has no valid number; empty if all are valid. */
export function wrongNumber(root) {
  const box = root.querySelector('input[aria-invalid="true"]');
  return box ? document.getElementById(box.getAttribute("aria-errormessage")).textContent : "";
}

/** Throw a Problem if a number field within an element has no valid number. */
export function checkNumbers(root) {
  const words = wrongNumber(root);
  if (words) throw new Problem(words, 422);
}
