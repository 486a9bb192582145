// Create HTML elements and format values. Values from tables become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const SPOKEN = new Set(["title", "aria-label", "placeholder"]);

/** Escape control characters, and characters that change the order in which text is displayed. */
export const visible = (text) => text.replace(HIDDEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Return an object from pairs of names and values that inherits nothing: columns can be named __proto__ or constructor. */
export const record = (pairs = []) => Object.assign(Object.create(null), Object.fromEntries(pairs));

const nodes = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false).map((child) => (child instanceof Node ? child : visible(String(child))));

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else if (name === "value" && "value" in node) node.value = value;
    else if (name === "dataset") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : SPOKEN.has(name) ? visible(String(value)) : String(value));
  }
  node.append(...nodes(children));
  return node;
}

/** Create an element: h("p", {class: "soft", onclick: f}, "text", other). */
export const h = (name, props, ...children) => filled(document.createElement(name), props, children);

/** Create an SVG element. */
export const s = (name, props, ...children) => filled(document.createElementNS(SVG, name), props, children);

/** Replace the children of an element. */
export function fill(node, ...children) {
  node.replaceChildren(...nodes(children));
  return node;
}

/** Replace hyphens with minus signs. */
const minus = (text) => text.replace(/-/g, "−");

/** Format a number with four significant digits, and with thousands separators from 10,000, so that years have none. See _numbers.py. */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return minus(value.toExponential(2));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return minus(Number(value.toFixed(Math.min(decimals, 8))).toLocaleString("en", { maximumFractionDigits: 8, useGrouping: size >= 9999.5 }));
}

/** Return the number of decimals for the numbers of a column, based on their median size. See _numbers.py. */
export function decimals(values, digits = 4) {
  const sizes = values.map(Math.abs).filter((size) => size > 0 && Number.isFinite(size)).sort((a, b) => a - b);
  if (!sizes.length) return digits - 1;
  const size = Math.floor(Math.log10((sizes[(sizes.length - 1) >> 1] + sizes[sizes.length >> 1]) / 2));
  return Math.min(Math.max(digits - 1 - (size >= 0 ? size : Math.min(size + 2, 0)), 0), 8);
}

/** Format a number with the given number of decimals; numbers from a million have none. */
export function fixed(value, places) {
  if (value === null || value === undefined || Math.abs(value) >= 1e15) return number(value);
  const kept = Math.abs(value) < 1e6 ? places : 0;
  return minus((Number(value.toFixed(kept)) || 0).toLocaleString("en", { minimumFractionDigits: kept, maximumFractionDigits: kept }));
}

/** Format the numbers of a column with equal decimals; decimals that are zero in all numbers are dropped. See _numbers.py. */
export function equalDecimals(values, digits = 4) {
  let places = decimals(values, digits);
  let texts = values.map((value) => fixed(value, places));
  while (places && texts.every((text) => !text.includes(".") || text.endsWith("0"))) {
    places -= 1;
    texts = values.map((value) => fixed(value, places));
  }
  return texts;
}

/** Format each mean of a column and its standard error as a pair of strings, such as "0.947" and " ± 0.012". See _numbers.py. */
export function withErrors(means, errors) {
  const places = decimals(means);
  const known = (value) => value !== null && value !== undefined;
  return means.map((mean, i) => [known(mean) ? fixed(mean, places) : "–", known(mean) && known(errors[i]) ? ` ± ${fixed(errors[i], places)}` : ""]);
}

/** Format an integer, such as a number of rows. */
export const count = (n) => n.toLocaleString("en");

/** Format a number with its sign (none for zero) and the given number of decimals. */
export function signed(value, places) {
  const size = fixed(Math.abs(value), places);
  return Number(size) === 0 ? size : `${value < 0 ? "−" : "+"}${size}`;
}

export const percent = (share) => (share > 0 && share < 0.005 ? "< 1%" : share < 1 && share > 0.995 ? "> 99%" : `${Math.round(100 * share)}%`);

/** Word for a missing value in all views. */
export const MISSING = "missing";

/** Format a cell for display. */
export function shown(value) {
  if (value === null || value === undefined) return MISSING;
  if (Array.isArray(value)) return value.length ? value.map(String).join(", ") : "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? number(value, 6) : String(value);
}

/** Return whether two cells are equal; the order of sets does not matter. */
export function same(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one) => b.includes(one));
  return (a ?? null) === (b ?? null);
}
