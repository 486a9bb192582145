// Elements by name. Values from tables become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const SPOKEN = new Set(["title", "aria-label", "placeholder"]);

/** Text with control characters, and those that show text in another order than it is, written as escapes. */
export const visible = (text) => text.replace(HIDDEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

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

/** An element: h("p", {class: "soft", onclick: f}, "text", other). */
export const h = (name, props, ...children) => filled(document.createElement(name), props, children);

/** An element of SVG. */
export const s = (name, props, ...children) => filled(document.createElementNS(SVG, name), props, children);

/** Put other children into an element. */
export function fill(node, ...children) {
  node.replaceChildren(...nodes(children));
  return node;
}

/** Text with a true minus sign. */
export const minus = (text) => text.replace(/-/g, "−");

/** A number with four significant digits; thousands are separated from 10,000 on, so that years are not. See _numbers.py. */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return minus(value.toExponential(2));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return minus(Number(value.toFixed(Math.min(decimals, 8))).toLocaleString("en", { maximumFractionDigits: 8, useGrouping: size >= 9999.5 }));
}

/** An integer, such as a number of rows. */
export const count = (n) => n.toLocaleString("en");

/** A number with its sign, with a number of decimals if it is passed; no sign for zero. */
export function signed(value, decimals) {
  const size = decimals === undefined ? number(Math.abs(value)) : Math.abs(value).toFixed(decimals);
  return Number(size) === 0 ? size : `${value < 0 ? "−" : "+"}${size}`;
}

export const percent = (share) => (share > 0 && share < 0.005 ? "< 1%" : share < 1 && share > 0.995 ? "> 99%" : `${Math.round(100 * share)}%`);

/** What a cell without a value is called, on all views. */
export const MISSING = "missing";

/** A cell as people read it. */
export function shown(value) {
  if (value === null || value === undefined) return MISSING;
  if (Array.isArray(value)) return value.length ? value.map(String).join(", ") : "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? number(value, 6) : String(value);
}

/** Whether two cells are the same; sets may come in any order. */
export function same(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one) => b.includes(one));
  return (a ?? null) === (b ?? null);
}
