// Charts of columns and learners: stacked histograms, intervals, calibration, predicted against true values, costs.

import { scale, ticks } from "./charts.js";
import { h, number, percent, s } from "./dom.js";

const COLORS = 6;
const LEAST = 12; // minimum number of bars to leave space for, so that a few bars are not too wide

/** Return the CSS class of an outcome's color; outcomes from the sixth on share the last color. */
export const color = (i) => `c${Math.min(i, COLORS - 1)}`;

/** Create a legend of the colors of outcomes. */
export function outcomesLegend(outcomes) {
  const first = outcomes.length > COLORS ? outcomes.slice(0, COLORS - 1) : outcomes;
  const rest = outcomes.length - first.length;
  return h("ul", { class: "legend", "aria-label": "Outcomes" }, [...first, ...(rest ? [`${rest} others`] : [])].map((name, i) => h("li", {}, h("span", { class: `swatch ${color(i)}` }), name)));
}

/**
 * Draw numbers of rows by value, stacked by outcome if `by` is given: a list of counts for each outcome.
 * With `spans`, the bars are spread from the left end to the right end, so that a few bars match the axis below.
 */
export function stacked({ counts, by, names, titles, label, spans = false }) {
  const height = 44;
  const wide = Math.max(counts.length, LEAST) * 10;
  const step = spans && counts.length > 1 ? (wide - 10) / (counts.length - 1) : 10;
  const top = Math.max(...counts, 1);
  const parts = by ?? [counts];
  const bars = counts.map((total, i) => {
    let below = height;
    return parts.map((part, j) => {
      const tall = (height * part[i]) / top;
      below -= tall;
      if (!part[i]) return null;
      const name = by ? `${names[j]}, ` : "";
      return s("rect", { class: by ? `piece ${color(j)}` : "bar", x: i * step + 0.5, y: below, width: 9, height: tall }, s("title", {}, `${titles[i]}: ${name}${part[i]} of ${total} rows`));
    });
  });
  return s("svg", { viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": label, class: "stacked", preserveAspectRatio: "none" }, bars);
}

/** Draw a dot with one standard error on each side, and a dashed line at the baseline. */
export function interval({ mean, error, range, reference, strong, label }) {
  const at = scale(range, [8, 172]);
  const clamp = (x) => Math.max(2, Math.min(178, at(x)));
  return s(
    "svg",
    { viewBox: "0 0 180 18", role: "img", "aria-label": label, class: strong ? "interval strong" : "interval" },
    s("line", { class: "grid", x1: 6, x2: 174, y1: 9, y2: 9 }),
    reference !== null && s("line", { class: "here", x1: clamp(reference), x2: clamp(reference), y1: 1, y2: 17 }),
    error !== null && s("line", { class: "whisker", x1: clamp(mean - error), x2: clamp(mean + error), y1: 9, y2: 9 }),
    s("circle", { class: "dot", cx: clamp(mean), cy: 9, r: strong ? 5 : 4 }),
  );
}

/** Draw axes with a grid; `drawn` receives the scales and returns the content of the chart. */
function framed({ x, y, xName, yName, xText = number, yText = number, label, height = 300 }, drawn) {
  const wide = 420;
  const left = Math.max(56, 30 + 6.5 * Math.max(...ticks(...y, 5).map((step) => yText(step).length)));
  const atX = scale(x, [left, wide - 26]);
  const atY = scale(y, [height - 44, 12]);
  return s(
    "svg",
    { viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": label, class: "chart" },
    ticks(...y, 5).map((step) => [s("line", { class: "grid", x1: left, x2: wide - 26, y1: atY(step), y2: atY(step) }), s("text", { x: left - 7, y: atY(step) + 4, "text-anchor": "end" }, yText(step))]),
    ticks(...x, 5).map((step) => s("text", { x: atX(step), y: height - 26, "text-anchor": "middle" }, xText(step))),
    drawn(atX, atY),
    s("text", { x: (left + wide) / 2, y: height - 6, "text-anchor": "middle", class: "name" }, xName),
    s("text", { x: 12, y: (height - 32) / 2, "text-anchor": "middle", class: "name", transform: `rotate(-90 12 ${(height - 32) / 2})` }, yName),
  );
}

/** Plot observed frequencies against predicted probabilities; larger dots represent more rows. */
export function calibrationPlot(bins) {
  const most = Math.max(...bins.map((bin) => bin.rows), 1);
  return framed({ x: [0, 1], y: [0, 1], xName: "probability of the predicted class", yName: "observed frequency", xText: percent, yText: percent, label: "Calibration: predicted probabilities and observed frequencies" }, (atX, atY) => [
    s("line", { class: "here", x1: atX(0), y1: atY(0), x2: atX(1), y2: atY(1) }),
    s("path", { class: "line c0", d: bins.map((bin, i) => `${i ? "L" : "M"}${atX(bin.predicted).toFixed(1)} ${atY(bin.observed).toFixed(1)}`).join("") }),
    bins.map((bin) => s("circle", { class: "near c0", cx: atX(bin.predicted), cy: atY(bin.observed), r: 3 + 6 * Math.sqrt(bin.rows / most) }, s("title", {}, `${bin.rows} rows: predicted ${percent(bin.predicted)}, observed ${percent(bin.observed)}`))),
  ]);
}

/** Plot true numbers against predicted numbers, with the means of groups of rows. */
export function againstPlot(points, bins, target) {
  const all = points.flat();
  const range = [Math.min(...all), Math.max(...all)];
  const pad = 0.03 * (range[1] - range[0] || 1);
  const ends = [range[0] - pad, range[1] + pad];
  return framed({ x: ends, y: ends, xName: `predicted ${target}`, yName: `true ${target}`, label: "Predicted and true numbers" }, (atX, atY) => [
    points.map(([a, b]) => s("circle", { class: "near c0", cx: atX(a), cy: atY(b), r: 2.5 }, s("title", {}, `predicted ${number(a)}, true ${number(b)}`))),
    s("line", { class: "here", x1: atX(ends[0]), y1: atY(ends[0]), x2: atX(ends[1]), y2: atY(ends[1]) }),
    s("path", { class: "line c1", d: bins.map((bin, i) => `${i ? "L" : "M"}${atX(bin.predicted).toFixed(1)} ${atY(bin.observed).toFixed(1)}`).join("") }),
  ]);
}

/** Plot curves over thresholds: `series` are {name, class, values}; `own` is the chosen threshold, `best` the cheapest point. */
export function thresholdPlot({ levels, series, own, best, yName, yText, label }) {
  const top = Math.max(...series.flatMap((one) => one.values), 1e-9);
  return framed({ x: [0, 1], y: [0, top], xName: "threshold", yName, xText: percent, yText, label, height: 260 }, (atX, atY) => [
    series.map((one) => s("path", { class: `line ${one.class}`, d: one.values.map((value, i) => `${i ? "L" : "M"}${atX(levels[i]).toFixed(1)} ${atY(value).toFixed(1)}`).join("") }, s("title", {}, one.name))),
    best !== null && s("circle", { class: "near c1", cx: atX(best[0]), cy: atY(best[1]), r: 5 }, s("title", {}, `cheapest: ${percent(best[0])}`)),
    s("line", { class: "here", x1: atX(own), x2: atX(own), y1: 10, y2: 216 }),
  ]);
}
