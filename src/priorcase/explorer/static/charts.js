// Small charts as SVG. Each has a label for screen readers; colors are set by CSS classes.

import { h, number, percent, s, shown } from "./dom.js";

/** Return the width of a chart in pixels, which are also the units of its coordinates, so that text keeps its size. */
const width = () => Math.max(300, Math.min(760, document.documentElement.clientWidth - 36));

/** Return a linear scale that maps numbers to positions. */
export function scale([low, high], [from, to]) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** Return round tick values between two numbers. */
export function ticks(low, high, most = 6) {
  const raw = (high - low || 1) / most;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((one) => one * base).find((one) => one >= raw);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-6; at += step) found.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  return found;
}

const drawing = (width, height, label, ...children) =>
  s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, preserveAspectRatio: "none" }, ...children);

/** Draw the distribution of rows behind a slider; `own` is the index of the bar that contains the case's value. */
export function histogram({ counts, label, own = null, height = 28 }) {
  const top = Math.max(...counts, 1);
  const bars = counts.map((n, i) => {
    const tall = n ? Math.max(1.5, (height * n) / top) : 0;
    return s("rect", { class: i === own ? "bar own" : "bar", x: i * 10 + 0.5, y: height - tall, width: 9, height: tall });
  });
  const found = drawing(counts.length * 10, height, label, bars);
  found.setAttribute("class", "histogram");
  return found;
}

/** Draw a histogram with bin edges `edges`, and mark a number and its interval in it. */
export function spread({ counts, edges, value, interval, label }) {
  const WIDE = 640;
  const tall = 56;
  const at = (number) => Math.max(1, Math.min(WIDE - 1, scale([edges[0], edges.at(-1)], [0, WIDE])(number)));
  const top = Math.max(...counts, 1);
  const each = WIDE / counts.length;
  const found = drawing(
    WIDE,
    tall + 8,
    label,
    counts.map((n, i) => s("rect", { class: "bar", x: i * each + 0.5, y: tall - (tall * n) / top, width: each - 1, height: (tall * n) / top })),
    interval ? s("rect", { class: "band", x: at(interval[0]), y: 0, width: at(interval[1]) - at(interval[0]), height: tall }) : null,
    s("line", { class: "value-line", x1: at(value), x2: at(value), y1: 0, y2: tall + 8 }),
  );
  found.setAttribute("class", "spread");
  return found;
}

/** Draw horizontal bars: `items` are {label, share (0 to 1), text, strong, class}. */
export function bars(items, { label }) {
  return h(
    "dl",
    { class: "bars", "aria-label": label },
    items.map((item) => {
      const part = h("span", { class: `fill ${item.class ?? (item.strong ? "first" : "")}` });
      part.style.width = `${100 * Math.max(0, Math.min(1, item.share))}%`;
      return h("div", { class: item.strong ? "strong" : "" }, h("dt", { title: item.label }, item.label), h("dd", {}, h("span", { class: "track" }, part), h("span", { class: "n" }, item.text)));
    }),
  );
}

/** Draw bars on both sides of zero: `items` are {label, value, amount, text}. */
export function contributions(items, { label }) {
  const most = Math.max(...items.map((item) => Math.abs(item.amount)), 1e-12);
  return h(
    "table",
    { class: "shares" },
    h("caption", { class: "hidden" }, label),
    h("thead", { class: "hidden" }, h("tr", {}, h("th", { scope: "col" }, "column"), h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, "bar"), h("th", { scope: "col" }, "contribution"))),
    h(
      "tbody",
      {},
      items.map((item) => {
        const size = (48 * Math.abs(item.amount)) / most;
        const rect = s("rect", { class: item.amount < 0 ? "minus" : "plus", x: item.amount < 0 ? 50 - size : 50, y: 3, width: size, height: 10 });
        const line = s("line", { class: "axis", x1: 50, x2: 50, y1: 0, y2: 16 });
        return h("tr", {}, h("th", { scope: "row", title: item.label }, item.label), h("td", { class: "soft", title: item.value }, item.value), h("td", { class: "sharebar" }, s("svg", { viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" }, rect, line)), h("td", { class: "n" }, item.text));
      }),
    ),
  );
}

/**
 * Draw lines over a numeric axis, with dots.
 * `series` are {name, class, points: [[x, y], ...]}; `dots` are {x, y, class, title}, with a `lane` instead of y for
 * dots in labeled rows below the chart; `own` is an x to mark.
 */
export function lines({ series, dots = [], lanes = [], own = null, x, y, xText = number, yText = number, xName, yName, label }) {
  const WIDE = width();
  const height = Math.min(300, WIDE * 0.75) + 22 * lanes.length;
  const left = Math.max(66, roomFor(lanes, WIDE));
  const bottom = height - 44 - 22 * lanes.length;
  const atX = scale(x, [left, WIDE - 14]);
  const atY = scale(y, [bottom, 14]);
  const grid = ticks(...y, 5).map((step) => [
    s("line", { class: "grid", x1: left, x2: WIDE - 14, y1: atY(step), y2: atY(step) }),
    s("text", { x: left - 8, y: atY(step) + 4, "text-anchor": "end" }, yText(step)),
  ]);
  const below = ticks(...x, WIDE > 500 ? 6 : 3).map((step) => s("text", { x: atX(step), y: height - 24, "text-anchor": "middle" }, xText(step)));
  const drawn = series.map((one) => [
    s("path", { class: `line ${one.class}`, d: one.points.map(([a, b], i) => `${i ? "L" : "M"}${atX(a).toFixed(1)} ${atY(b).toFixed(1)}`).join("") }),
    one.points.map(([a, b]) => s("circle", { class: `knot ${one.class}`, cx: atX(a), cy: atY(b), r: 2.5 }, s("title", {}, `${one.name} at ${xText(a)}: ${yText(b)}`))),
  ]);
  const laneAt = (i) => bottom + 22 + 22 * i;
  const named = lanes.map((lane, i) => [
    s("line", { class: "grid", x1: left, x2: WIDE - 14, y1: laneAt(i), y2: laneAt(i) }),
    s("text", { x: left - 8, y: laneAt(i) + 4, "text-anchor": "end" }, clipped(lane, letters(left)), s("title", {}, lane)),
  ]);
  const near = dots.map((dot) => s("circle", { class: `near ${dot.class}`, cx: atX(dot.x), cy: dot.lane === undefined ? atY(dot.y) : laneAt(dot.lane), r: 4 }, s("title", {}, dot.title)));
  const mark = own === null ? null : s("line", { class: "here", x1: atX(own), x2: atX(own), y1: 10, y2: height - 40 });
  return s(
    "svg",
    { viewBox: `0 0 ${WIDE} ${height}`, role: "img", "aria-label": label, class: "chart" },
    grid, named, below, mark, drawn, near,
    s("text", { x: (left + WIDE) / 2, y: height - 5, "text-anchor": "middle", class: "name" }, xName),
    s("text", { x: 12, y: bottom / 2, "text-anchor": "middle", class: "name", transform: `rotate(-90 12 ${bottom / 2})` }, yName),
  );
}

/** Draw a heat map of two columns: `cells` are [{x, y, value (0 to 1), title, own, onclick}], with x and y as indexes. */
export function heatmap({ xs, ys, cells, xName, yName, label }) {
  const WIDE = width();
  const left = Math.max(66, roomFor(ys.map(shown), WIDE));
  const each = (WIDE - left - 10) / xs.length;
  const tall = Math.max(16, Math.min(34, 360 / ys.length));
  const height = 14 + tall * ys.length + 78;
  const skip = Math.ceil(xs.length / Math.max(1, Math.floor((WIDE - left) / 62)));
  const hasEmpty = xs.at(-1) === null; // the label of missing values is always shown
  const isNamed = (i) => (hasEmpty && i === xs.length - 1) || (i % skip === 0 && !(hasEmpty && i > xs.length - 1 - skip));
  return s(
    "svg",
    { viewBox: `0 0 ${WIDE} ${height}`, role: "img", "aria-label": label, class: "chart" },
    cells.map((cell) => {
      const place = { x: left + cell.x * each, y: 10 + cell.y * tall, width: Math.max(1, each - 1), height: tall - 1 };
      const found = s("rect", { ...place, class: cell.own ? "cell own" : "cell", onclick: cell.onclick }, s("title", {}, cell.title));
      found.style.setProperty("--level", String(Math.round(100 * cell.value)));
      return found;
    }),
    ys.map((value, j) => s("text", { x: left - 8, y: 10 + (j + 0.5) * tall + 4, "text-anchor": "end" }, clipped(shown(value), letters(left)), s("title", {}, shown(value)))),
    xs.map((value, i) => (isNamed(i) ? s("text", { x: left + (i + 0.5) * each, y: 28 + tall * ys.length, "text-anchor": "middle" }, clipped(shown(value), Math.floor((each * skip) / 6.2)), s("title", {}, shown(value))) : null)),
    s("text", { x: (left + WIDE) / 2, y: height - 26, "text-anchor": "middle", class: "name" }, xName),
    s("text", { x: 12, y: 10 + (tall * ys.length) / 2, "text-anchor": "middle", class: "name", transform: `rotate(-90 12 ${10 + (tall * ys.length) / 2})` }, yName),
  );
}

const LETTER = 6.2; // average width of a letter

/** Return the width to the left of a chart for labels and the axis name, at most about a third of the chart. */
const roomFor = (labels, wide) => Math.min(0.34 * wide, 34 + LETTER * Math.max(0, ...labels.map((label) => label.length)));
const letters = (left) => Math.floor((left - 28) / LETTER);
const clipped = (text, most) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);

export { percent };
