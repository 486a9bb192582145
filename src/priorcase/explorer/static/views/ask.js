// Ask: the case as a form, and live results: prediction, past cases, contributions, smallest changes.

import { abort, isAbort, latest } from "../api.js";
import { bars, contributions, spread } from "../charts.js";
import { decided } from "../decision.js";
import { count, decimals, equalDecimals, fill, fixed, h, percent, record, same, shown, signed } from "../dom.js";
import { caseForm, typical } from "../form.js";
import { numberField } from "../typed.js";

const SOON = 50; // milliseconds to wait during a series of changes; the first change is predicted immediately
const LATER = 250; // milliseconds to wait before slower requests
const CLASSES = 8;
const COLUMNS = 10;
const CASES = 5;

export default {
  id: "ask",
  title: "Ask",
  applies: (status) => status.open.kind === "table" || status.open.kind === "model",
  mount,
};

function mount(root, context) {
  const answer = panel("Prediction", "answer");
  const why = panel("Contributions of the columns", "why");
  const past = panel("Past cases", "past");
  const turns = panel("Counterfactuals: smallest changes that change the prediction", "turns");
  const left = h("div", { class: "left" });
  const right = h("div", { class: "right" }, answer.root, past.root, h("div", { class: "two" }, why.root, turns.root));
  fill(root, h("p", { class: "soft" }, "Reading the columns …")); // the view is shown when heights are known, so that nothing moves

  let columns = null;
  let importance = record();
  let near = null;
  let showAll = false;
  let limit = null; // for regression: the number that the changes should reach
  let ended = false;
  const ends = [];
  let soon = 0;
  let later = 0;
  let changed = -Infinity; // time of the last change of the case

  const task = () => context.status().open.task;

  // -- requests: one for each part, so that the prediction does not wait for slower parts

  async function part(panel, key, path, options, draw) {
    panel.root.setAttribute("aria-busy", "true");
    try {
      const found = await latest(key, path, context.asked.value(), options);
      if (ended) return;
      panel.root.removeAttribute("aria-busy");
      draw(found.predictions[0]);
    } catch (error) {
      if (isAbort(error)) return; // a newer request has replaced this request
      panel.root.removeAttribute("aria-busy");
      if (error.status === 503 || ended) return;
      fill(panel.body, h("p", { class: "wrong" }, error.message));
    }
  }

  function ask() {
    clearTimeout(soon);
    clearTimeout(later);
    const now = performance.now();
    if (now - changed > SOON) askAnswer();
    else soon = setTimeout(askAnswer, SOON);
    changed = now;
    later = setTimeout(() => {
      part(why, "contributions", "/explain", { precedents: 0, permutations: 32 }, drawWhy);
      askTurns();
    }, LATER);
  }

  function askAnswer() {
    part(answer, "predict", "/predict", {}, drawAnswer);
    part(past, "neighbors", "/neighbors", {}, (found) => ((near = found), drawPast()));
  }

  function askTurns() {
    if (task() === "regress" && limit === null) return;
    const wish = task() === "regress" ? { [limit.side]: limit.value } : {};
    part(turns, "counterfactuals", "/counterfactuals", { n: 3, ...wish }, drawTurns);
  }

  // -- the prediction

  function drawAnswer(found) {
    const target = context.status().open.target ?? "Answer";
    const [answered, ...ends] = found.interval ? equalDecimals([found.prediction, ...found.interval]) : [shown(found.prediction)];
    const head = h("p", { class: "prediction", role: "status" }, h("span", { class: "soft" }, target), h("strong", {}, answered));
    if (found.probabilities) {
      const sorted = Object.entries(found.probabilities).sort((a, b) => b[1] - a[1] || (b[0] === String(found.prediction)) - (a[0] === String(found.prediction)));
      const items = sorted.slice(0, CLASSES).map(([label, share]) => ({ label, share, text: percent(share), strong: label === String(found.prediction) }));
      const rest = sorted.slice(CLASSES).reduce((sum, [, share]) => sum + share, 0);
      if (sorted.length > CLASSES) items.push({ label: `${sorted.length - CLASSES} other${sorted.length === CLASSES + 1 ? "" : "s"}`, share: rest, text: percent(rest) });
      const decision = decided(found.probabilities, context.status().decision);
      const words = decision && h("p", { class: "decided" }, "Decision: ", h("strong", {}, decision.label), h("span", { class: "soft" }, ` (${decision.why})`));
      fill(answer.body, head, bars(items, { label: "Probabilities" }), words);
      return;
    }
    const between = found.interval ? h("p", { class: "soft" }, `95% interval: ${ends.join(" to ")}`) : h("p", { class: "soft" }, "This learner does not predict intervals.");
    const numbers = columnsDocument.target;
    const place = numbers.counts ? spread({ ...numbers, value: found.prediction, interval: found.interval?.every((end) => end !== null) ? found.interval : null, label: `Where the prediction lies among all values of ${numbers.name ?? "the target"}` }) : null;
    fill(answer.body, head, between, place);
    if (limit === null) {
      limit = { side: "above", value: numbers.quantiles?.[3] ?? found.prediction };
      drawLimit();
      askTurns();
    }
  }

  let columnsDocument = null;

  // -- past cases, side by side with the query

  function drawPast() {
    if (!near || !columns) return;
    const isUnlike = (one) => one.id === near.unlike?.id; // this case may also vote, but is shown only once
    const others = near.precedents.filter((one) => !isUnlike(one)).slice(0, CASES);
    const cases = [...(near.unlike ? [{ ...near.unlike, ...near.precedents.find(isUnlike), head: "unlike" }] : []), ...others.map((one) => ({ ...one, head: "" }))];
    if (!cases.length) return void fill(past.body, h("p", { class: "soft" }, "There are no past cases nearby."));
    const asked = context.asked.value();
    const order = columns
      .map((column, i) => [column.name, Math.abs(importance[column.name] ?? 0), asked[column.name] === undefined ? 1 : 0, i])
      .sort((a, b) => b[1] - a[1] || a[2] - b[2] || a[3] - b[3])
      .map(([name]) => name);
    const rows = showAll ? order : order.slice(0, COLUMNS);
    const votes = near.precedents.some((one) => one.vote !== null);
    const distances = equalDecimals(cases.map((one) => one.distance));
    const line = (name, cells, props) => h("tr", props, h("th", { scope: "row" }, name), cells);
    const table = h(
      "table",
      { class: "cases" },
      h("caption", { class: "hidden" }, "The past cases behind the prediction, and the nearest past case with a different outcome"),
      h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "this case"), cases.map((one) => h("th", { scope: "col", class: one.head }, one.head ? h("span", { class: "tag" }, "nearest unlike") : null, context.place(one.id))))),
      h(
        "tbody",
        {},
        line(context.status().open.target ?? "outcome", [h("td", { class: "soft" }, "?"), cases.map((one) => h("td", { class: one.head }, h("strong", {}, shown(one.target))))], { class: "target" }),
        votes && line("vote", [h("td", {}), cases.map((one) => h("td", { class: `soft ${one.head}` }, one.vote === undefined || one.vote === null ? "" : percent(one.vote)))]),
        line("distance", [h("td", {}), cases.map((one, i) => h("td", { class: `soft ${one.head}` }, distances[i]))]),
        rows.map((name) => {
          const own = asked[name] ?? null;
          return line(name, [
            h("td", { title: shown(own) }, shown(own)),
            cases.map((one) => {
              const value = one.values[name];
              if (own === null) return h("td", { class: `soft ${one.head}`, title: shown(value) }, shown(value));
              const equal = same(own, value);
              return h("td", { class: `${equal ? "soft" : "differs"} ${one.head}`, title: shown(value) }, equal ? null : h("span", { class: "mark", "aria-label": "differs:" }, "≠ "), shown(value));
            }),
          ]);
        }),
      ),
    );
    const more = order.length > COLUMNS ? h("button", { type: "button", class: "link", onclick: () => ((showAll = !showAll), drawPast()) }, showAll ? "Fewer columns" : `All ${order.length} columns`) : null;
    const unlike = near.unlike ? "The nearest past case with a different outcome, and " : "";
    const words = `${unlike}${unlike ? "the" : "The"} ${others.length} nearest of ${count(near.precedents.length)} past cases that vote.`;
    const weight = near.member_weight === undefined ? "" : `, which has ${fixed(100 * near.member_weight, 1)}% of the weight of the stack`;
    const member = near.member ? ` The past cases ${votes ? "vote only in" : "come from"} the member ${near.member}${weight}.` : "";
    const note = h("p", { class: "soft" }, (votes ? words : words.replace(/ of .* that vote/, "")) + member);
    fill(past.body, note, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Past cases, table" }, table), more);
  }

  // -- contributions

  function drawWhy(found) {
    const told = found.contributions;
    importance = told.contributions;
    drawPast();
    const known = Object.entries(told.contributions).filter(([name]) => told.values[name] !== null);
    const places = decimals([told.base, told.total, ...known.map(([, amount]) => amount)]);
    const scaled = (value) => (told.scale === "probability" ? signed(100 * value, 1) : signed(value, places));
    const items = known
      .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
      .map(([name, amount]) => ({ label: name, value: shown(told.values[name]), amount: amount ?? 0, text: scaled(amount ?? 0) }));
    const of = told.scale === "probability" ? `percentage points of the probability of ${shown(found.prediction)}` : told.scale === "log-odds" ? `log-odds of ${shown(found.prediction)} against ${shown(told.versus)}` : "units of the prediction";
    const ends = told.scale === "probability" ? [percent(told.base), percent(told.total)] : [fixed(told.base, places), fixed(told.total, places)];
    fill(
      why.body,
      h("p", { class: "soft" }, `Contributions in ${of}. The value is ${ends[0]} with all columns missing and ${ends[1]} for this case.`),
      items.length ? contributions(items, { label: "Contributions of the columns" }) : h("p", {}, "All columns of this case are missing."),
    );
  }

  // -- counterfactuals

  const wish = h("div", {});
  turns.root.insertBefore(wish, turns.body);

  function drawLimit() {
    const side = h("select", { "aria-label": "Side", onchange: () => ((limit.side = side.value), askTurns()) }, ["above", "below"].map((one) => h("option", { value: one }, one)));
    side.value = limit.side;
    const reach = numberField({ "aria-label": "Number to reach" }, { decimal: columnsDocument.target.decimal, change: (value) => value !== null && ((limit.value = value), askTurns()) });
    reach.show(limit.value);
    fill(wish, h("p", { class: "wish" }, "The prediction should be", side, reach.nodes));
  }

  function drawTurns(found) {
    if (!found.counterfactuals.length) return void fill(turns.body, h("p", { class: "soft" }, `${found.note.charAt(0).toUpperCase()}${found.note.slice(1)}.`));
    fill(
      turns.body,
      h(
        "ul",
        { class: "turns" },
        found.counterfactuals.map((one) => {
          const changes = Object.entries(one.changes);
          const use = () => context.asked.replace({ ...context.asked.value(), ...Object.fromEntries(changes.map(([name, [, after]]) => [name, after])) }, "turns");
          return h(
            "li",
            {},
            h("div", { class: "grow" }, h("strong", {}, shown(one.prediction)), h("span", { class: "soft" }, `, as in past case ${context.place(one.id)}, if changed to:`), h("ul", {}, changes.map(([name, [before, after]]) => h("li", {}, name, ": ", h("span", { class: "soft" }, shown(before)), " → ", h("strong", {}, shown(after)))))),
            h("button", { type: "button", onclick: use, "aria-label": `Use these changes: ${changes.map(([name, [, after]]) => `${name} ${shown(after)}`).join(", ")}` }, "Use"),
          );
        }),
      ),
    );
  }

  /** Reserve the final heights of the panels, so that nothing moves when results arrive. */
  function reserve() {
    const classes = columnsDocument.classes?.length ?? 0;
    const more = columns.length > COLUMNS ? 2 : 0;
    const rem = (body, high) => body.style.setProperty("--high", `${high}rem`);
    rem(answer.body, classes ? 2.6 + 1.65 * Math.min(classes, CLASSES + 1) + (context.status().decision ? 2.2 : 0) : 8.5);
    rem(past.body, 9.4 + 2.02 * (Math.min(columns.length, COLUMNS) + 2) + more);
    rem(why.body, 2.2 + 2.02 * Math.min(columns.length, 12));
    rem(turns.body, 9);
  }

  async function start() {
    try {
      columnsDocument = await context.fetched("/columns");
      if (ended) return;
      columns = columnsDocument.columns;
      reserve();
      if (context.asked.isUntouched()) context.asked.replace(typical(columns), "start");
      const form = caseForm(context, columns);
      ends.push(form.end, context.asked.subscribe(ask), context.onVersion(ask));
      fill(left, form.root);
      fill(root, h("div", { class: "ask" }, left, right));
      ask();
    } catch (error) {
      if (!ended) fill(root, h("p", { class: "wrong" }, error.message));
    }
  }

  start();
  return () => {
    ended = true;
    clearTimeout(soon);
    clearTimeout(later);
    abort("predict", "neighbors", "contributions", "counterfactuals");
    for (const end of ends) end();
  };
}

function panel(title, name) {
  const body = h("div", { class: "body" });
  const id = `panel-${name}`;
  return { body, root: h("section", { class: `panel ${name}`, "aria-labelledby": id }, h("h2", { id }, title), body) };
}
