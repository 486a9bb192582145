// What if: predictions along one column, with nearby past cases; or along two columns, as a heat map.

import { abort, isAbort, latest } from "../api.js";
import { bars, heatmap, lines } from "../charts.js";
import { equalDecimals, fill, h, number, percent, record, shown } from "../dom.js";
import { caseForm, typical } from "../form.js";

const SOON = 80;
const NEAR = 40;
const COLORS = 6;

export default {
  id: "what-if",
  title: "What if",
  applies: (status) => status.open.kind === "table" || status.open.kind === "model",
  mount,
};

function mount(root, context) {
  const left = h("div", { class: "left" }, h("p", { class: "soft" }, "Reading the columns …"));
  const body = h("div", { class: "body chartbox" });
  const first = h("select", { id: "along" });
  const second = h("select", { id: "and" });
  const wanted = h("select", { id: "wanted" });
  const which = h("span", { class: "choice", hidden: true }, h("label", { for: "wanted" }, "Probability of"), wanted);
  const controls = h("div", { class: "controls" }, h("span", { class: "choice" }, h("label", { for: "along" }, "Along"), first), h("span", { class: "choice" }, h("label", { for: "and" }, "and"), second), which);
  const panel = h("section", { class: "panel curve", "aria-labelledby": "curve-title" }, h("h2", { id: "curve-title" }, "How the prediction changes"), controls, body);
  fill(root, h("div", { class: "ask" }, left, h("div", { class: "right" }, panel)));

  let columns = [];
  let classes = null;
  let curve = null;
  let near = null;
  let ended = false;
  let timer = 0;
  const ends = [];
  const kinds = () => record(columns.map((column) => [column.name, column.kind]));
  const isNumber = (name) => ["numeric", "circular", "date"].includes(kinds()[name]);
  const place = (name, value) => (kinds()[name] === "date" ? Date.parse(value) : value);

  function ask() {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const asked = context.asked.value();
      const along = second.value ? [first.value, second.value] : [first.value];
      panel.setAttribute("aria-busy", "true");
      try {
        const [found, cases] = await Promise.all([
          latest("what-if", "/what-if", asked, { column: along, n_values: along.length > 1 ? 13 : 25 }),
          along.length > 1 ? null : latest("near", "/neighbors", asked, { k: NEAR }),
        ]);
        if (ended) return;
        curve = found;
        near = cases?.predictions[0].precedents ?? [];
        draw();
      } catch (error) {
        if (isAbort(error)) return;
        if (!ended && error.status !== 503) fill(body, h("p", { class: "wrong" }, error.message));
      }
      panel.removeAttribute("aria-busy");
    }, SOON);
  }

  function draw() {
    which.hidden = !(classes && curve.columns.length > 1);
    if (curve.columns.length > 1) return void drawMap();
    const [name] = curve.columns;
    const known = curve.points.filter((point) => point.values[0] !== null);
    if (isNumber(name) && known.length > 1) drawCurve(name, known);
    else drawList(name);
  }

  // -- a curve over numbers or dates

  function drawCurve(name, known) {
    const xs = known.map((point) => place(name, point.values[0]));
    const own = known.find((point) => point.own);
    const dates = kinds()[name] === "date";
    const xText = dates ? (value) => new Date(value).toISOString().slice(0, 10) : number;
    const target = context.status().open.target ?? "prediction";
    const missing = curve.points.find((point) => point.values[0] === null);
    const x = [Math.min(...xs), Math.max(...xs)];
    const inside = near.filter((one) => one.values[name] !== null && place(name, one.values[name]) >= x[0] && place(name, one.values[name]) <= x[1]);
    let drawn;
    let legend = null;
    if (classes) {
      const shownClasses = top(known);
      const series = shownClasses.map((label, i) => ({ name: label, class: `c${i}`, points: known.map((point, j) => [xs[j], point.probabilities[label]]) }));
      const dots = inside.filter((one) => shownClasses.includes(String(one.target))).map((one) => ({ x: place(name, one.values[name]), lane: shownClasses.indexOf(String(one.target)), class: `c${shownClasses.indexOf(String(one.target))}`, title: `past case ${context.place(one.id)}: ${shown(one.target)}` }));
      drawn = lines({ series, dots, lanes: shownClasses, own: own ? place(name, own.values[0]) : null, x, y: [0, 1], xText, yText: percent, xName: name, yName: "probability", label: `Probabilities along ${name}` });
      legend = keys(shownClasses);
    } else {
      const ys = known.map((point) => point.prediction);
      const targets = inside.map((one) => one.target);
      const all = [...ys, ...targets];
      const pad = 0.05 * (Math.max(...all) - Math.min(...all) || 1);
      const dots = inside.map((one) => ({ x: place(name, one.values[name]), y: one.target, class: "c5", title: `past case ${context.place(one.id)}: ${shown(one.target)}` }));
      drawn = lines({ series: [{ name: target, class: "c0", points: xs.map((at, j) => [at, ys[j]]) }], dots, own: own ? place(name, own.values[0]) : null, x, y: [Math.min(...all) - pad, Math.max(...all) + pad], xText, xName: name, yName: target, label: `${target} along ${name}` });
    }
    const notes = [own ? "The dashed line is this case." : "The value is missing in this case.", `Dots are the ${inside.length} nearest past cases.`, "The curve is computed at quantiles of the past cases."];
    if (missing) notes.push(`With ${name} missing: ${classes ? said(missing) : number(missing.prediction)}.`);
    fill(body, legend, drawn, h("p", { class: "soft" }, notes.join(" ")), table());
  }

  const said = (point) => {
    const [label, share] = Object.entries(point.probabilities).sort((a, b) => b[1] - a[1])[0];
    return `${label} ${percent(share)}`;
  };

  /** Return the most probable classes over all points, in the order of the classes, so that colors do not change. */
  function top(points) {
    const most = record(classes.map((label) => [label, Math.max(...points.map((point) => point.probabilities[label]))]));
    const kept = [...classes].sort((a, b) => most[b] - most[a]).slice(0, COLORS);
    return classes.filter((label) => kept.includes(label));
  }

  const keys = (labels) => h("ul", { class: "legend", "aria-label": "Classes" }, labels.map((label, i) => h("li", {}, h("span", { class: `swatch c${i}` }), label)));

  // -- nominal values and levels, as bars

  function drawList(name) {
    const usable = (point) => h("button", { type: "button", class: "link", onclick: () => context.asked.set(name, point.values[0], "curve") }, shown(point.values[0]), point.own ? " (this case)" : "");
    if (!classes) {
      const all = curve.points.map((point) => point.prediction);
      const low = Math.min(0, ...all);
      const high = Math.max(...all);
      const texts = equalDecimals(all);
      fill(body, h("div", { class: "values" }, curve.points.map((point, i) => h("div", { class: point.own ? "value own" : "value" }, usable(point), bars([{ label: "", share: (point.prediction - low) / (high - low || 1), text: texts[i], strong: point.own }], { label: "prediction" })))));
      return;
    }
    const shownClasses = top(curve.points);
    fill(
      body,
      keys(shownClasses),
      h(
        "div",
        { class: "values" },
        curve.points.map((point) => {
          const parts = shownClasses.map((label, i) => {
            const part = h("span", { class: `part c${i}`, title: `${label}: ${percent(point.probabilities[label])}` });
            part.style.width = `${100 * point.probabilities[label]}%`;
            return part;
          });
          return h("div", { class: point.own ? "value own" : "value" }, usable(point), h("div", { class: "stack", role: "img", "aria-label": shownClasses.map((label) => `${label} ${percent(point.probabilities[label])}`).join(", ") }, parts), h("span", { class: "soft n" }, said(point)));
        }),
      ),
      h("p", { class: "soft" }, "Click a value to put it into the case."),
    );
  }

  // -- two columns, as a heat map

  function drawMap() {
    const [a, b] = curve.columns;
    const unique = (j) => [...new Map(curve.points.map((point) => [JSON.stringify(point.values[j]), point.values[j]])).values()];
    const xs = unique(0);
    const ys = unique(1).reverse();
    if (isNumber(b)) ys.sort((one, other) => (one === null) - (other === null) || place(b, other) - place(b, one));
    const label = classes ? wanted.value : null;
    const values = curve.points.map((point) => (classes ? point.probabilities[label] : point.prediction));
    const [low, high] = classes ? [0, 1] : [Math.min(...values), Math.max(...values)];
    const text = classes ? percent : number;
    const find = (list, value) => list.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
    const cells = curve.points.map((point, i) => ({
      x: find(xs, point.values[0]),
      y: find(ys, point.values[1]),
      value: (values[i] - low) / (high - low || 1),
      own: point.own,
      title: `${a} ${shown(point.values[0])}, ${b} ${shown(point.values[1])}: ${text(values[i])}`,
      onclick: () => context.asked.replace({ ...context.asked.value(), [a]: point.values[0], [b]: point.values[1] }, "curve"),
    }));
    const what = classes ? `probability of ${label}` : (context.status().open.target ?? "prediction");
    const ramp = h("p", { class: "ramp soft" }, text(low), h("span", { class: "gradient", "aria-hidden": "true" }), `${text(high)}  ${what}`);
    fill(body, ramp, heatmap({ xs, ys, cells, xName: a, yName: b, label: `${what} over ${a} and ${b}` }), h("p", { class: "soft" }, `The outlined cell is this case. Click a cell to put its values into the case.${[a, b].some(isNumber) ? " Numbers and dates are at quantiles of the past cases, so steps are not equal." : ""}`), table());
  }

  /** Return the same numbers as a table, for screen readers. */
  function table() {
    const labels = classes ? (curve.columns.length > 1 ? [wanted.value] : top(curve.points)) : [context.status().open.target ?? "prediction"];
    const texts = classes ? [] : equalDecimals(curve.points.map((point) => point.prediction));
    return h(
      "details",
      {},
      h("summary", {}, "As a table"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Predictions as a table" }, h("table", {}, h("thead", {}, h("tr", {}, [...curve.columns, ...labels].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, curve.points.map((point, i) => h("tr", {}, point.values.map((value) => h("td", {}, shown(value))), labels.map((name) => h("td", { class: "n" }, classes ? percent(point.probabilities[name]) : texts[i]))))))),
    );
  }

  function chosen() {
    context.setParams(second.value ? { along: first.value, and: second.value } : { along: first.value });
    ask();
  }

  async function start() {
    try {
      const told = await context.fetched("/columns");
      if (ended) return;
      ({ columns, classes } = told);
      if (context.asked.isUntouched()) context.asked.replace(typical(columns), "start");
      const names = columns.map((column) => column.name);
      fill(first, names.map((name) => h("option", { value: name }, name)));
      fill(second, h("option", { value: "" }, "no other column"), names.map((name) => h("option", { value: name }, name)));
      if (classes) fill(wanted, classes.map((label) => h("option", { value: label }, label)));
      const { along, and } = context.params();
      first.value = names.includes(along) ? along : (columns.find((column) => column.quantiles) ?? columns[0]).name;
      second.value = names.includes(and) && and !== first.value ? and : "";
      if (classes) {
        const target = told.target.counts;
        wanted.value = target ? String(told.target.values[target.indexOf(Math.max(...target))]) : classes[0];
        if (!wanted.value) wanted.value = classes[0];
      }
      first.addEventListener("change", () => {
        if (second.value === first.value) second.value = "";
        chosen();
      });
      second.addEventListener("change", () => {
        if (second.value === first.value) second.value = "";
        chosen();
      });
      wanted.addEventListener("change", draw);
      const form = caseForm(context, columns);
      ends.push(form.end, context.asked.subscribe(ask), context.onVersion(ask));
      fill(left, form.root);
      ask();
    } catch (error) {
      if (!ended) fill(left, h("p", { class: "wrong" }, error.message));
    }
  }

  start();
  return () => {
    ended = true;
    clearTimeout(timer);
    abort("what-if", "near");
    for (const end of ends) end();
  };
}
