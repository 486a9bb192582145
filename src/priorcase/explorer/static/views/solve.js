// Ask a case base: a form for the known values of a new case, and the solution proposed from similar cases.

import { abort, isAbort, latest } from "../api.js";
import { bars, contributions } from "../charts.js";
import { equalDecimals, fill, h, percent, same, signed } from "../dom.js";
import { caseForm } from "../form.js";
import { panel, told } from "../parts.js";

const SOON = 120; // milliseconds between a change and the request for a proposal
const CASES = 5;
const CANDIDATES = 6;

export default { id: "solve", title: "Ask", applies: (status) => status.open.kind === "cases", mount };

function mount(root, context) {
  const answer = panel("Proposed solution", "answer");
  const past = panel("Similar cases", "past");
  const why = panel("Why the case is similar", "why");
  const left = h("div", { class: "left" }, h("p", { class: "soft" }, "Reading the cases …"));
  fill(root, h("div", { class: "ask solve" }, left, h("div", { class: "right" }, answer.root, past.root, why.root)));

  let columns = [];
  let found = null;
  let chosen = null; // the case whose contributions are shown
  let soon = 0;
  let ended = false;
  const ends = [];

  function ask() {
    clearTimeout(soon);
    soon = setTimeout(run, SOON);
  }

  async function run() {
    const query = context.asked.value();
    if (!Object.keys(query).length) {
      abort("solve");
      found = null;
      fill(answer.body, h("p", { class: "prediction" }, h("span", { class: "soft" }, "Fill in the known values of the new case.")));
      fill(past.body, h("p", { class: "soft" }, "The most similar cases will be shown next to the new case."));
      fill(why.body);
      return;
    }
    for (const one of [answer, past, why]) one.root.setAttribute("aria-busy", "true");
    try {
      const next = await latest("solve", "/cases/ask", { query, k: CASES });
      if (ended) return;
      found = next;
      if (!found.cases.some((one) => one.id === chosen)) chosen = null;
      drawAnswer();
      drawPast();
      drawWhy();
    } catch (error) {
      if (isAbort(error) || ended) return;
      fill(answer.body, h("p", { class: "wrong" }, error.message));
      fill(past.body);
      fill(why.body);
    }
    for (const one of [answer, past, why]) one.root.removeAttribute("aria-busy");
  }

  function drawAnswer() {
    const items = found.candidates.slice(0, CANDIDATES).map((one) => ({ label: told(one.solution), share: one.probability, text: percent(one.probability), strong: same(one.solution, found.solution) }));
    const rest = found.candidates.slice(CANDIDATES).reduce((sum, one) => sum + one.probability, 0);
    if (found.candidates.length > CANDIDATES) items.push({ label: `${found.candidates.length - CANDIDATES} other${found.candidates.length === CANDIDATES + 1 ? "" : "s"}`, share: rest, text: percent(rest) });
    const about = [found.how && `${found.how}.`, found.interval && `Interval: ${equalDecimals(found.interval).join(" to ")}.`, ...found.notes.map((note) => `${note.replace(/\.$/, "")}.`)].filter(Boolean).join(" ");
    const keep = () => context.go("cases", { add: 1, solution: JSON.stringify(found.solution) });
    fill(
      answer.body,
      h("p", { class: "prediction", role: "status" }, h("span", { class: "soft" }, "Solution"), h("strong", {}, told(found.solution))),
      items.length > 0 && bars(items, { label: "Candidates" }),
      h("p", { class: "soft" }, about),
      !context.status().read_only && h("p", { class: "buttons" }, h("button", { type: "button", onclick: keep }, "Keep this as a new case …")),
    );
  }

  function drawPast() {
    const { cases } = found;
    const asked = context.asked.value();
    const weight = (name) => cases.reduce((sum, one) => sum + Math.abs(one.contributions[name] ?? 0), 0);
    const order = columns.map((column, i) => [column.name, asked[column.name] === undefined ? 0 : 1, weight(column.name), i]).sort((a, b) => b[1] - a[1] || b[2] - a[2] || a[3] - b[3]);
    const line = (name, own, cell, props) => h("tr", props, h("th", { scope: "row" }, name), h("td", { class: "soft" }, own), cases.map(cell));
    const rows = order.map(([name, known]) => {
      const own = asked[name] ?? null;
      return line(name, told(own), (one) => {
        const value = one.values[name];
        if (!known) return h("td", { class: "soft", title: told(value) }, told(value));
        const equal = same(own, value);
        const adds = one.contributions[name];
        return h("td", { class: equal ? "" : "differs", title: told(value) }, equal ? null : h("span", { class: "mark", "aria-label": "differs:" }, "≠ "), told(value), adds ? h("span", { class: "adds soft" }, `${signed(100 * adds, 1)}%`) : null);
      });
    });
    const table = h(
      "table",
      { class: "cases" },
      h("caption", { class: "hidden" }, "The most similar cases, side by side with the new case"),
      h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "new case"), cases.map((one) => h("th", { scope: "col" }, h("a", { href: `#/cases?id=${one.id}` }, `#${one.id}`), one.key ? ` ${one.key}` : "")))),
      h(
        "tbody",
        {},
        line("solution", "?", (one) => h("td", { title: told(one.solution) }, h("strong", {}, told(one.solution))), { class: "target" }),
        line("outcome", "", (one) => h("td", { class: "soft" }, told(one.outcome))),
        line("similarity", "", (one) => h("td", { class: "soft" }, percent(one.similarity))),
        rows,
      ),
    );
    fill(past.body, h("p", { class: "soft" }, "The small numbers are contributions to the similarity."), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Similar cases, table" }, table));
  }

  function drawWhy() {
    const one = found.cases.find((other) => other.id === chosen) ?? found.cases[0];
    const choose = h("select", { "aria-label": "Case", onchange: () => ((chosen = Number(choose.value)), drawWhy(), why.body.querySelector("select").focus()) }, found.cases.map((other) => h("option", { value: other.id }, `#${other.id}: ${told(other.solution)}`)));
    choose.value = one.id;
    const items = Object.entries(one.contributions)
      .filter(([, amount]) => amount !== null)
      .sort((a, b) => b[1] - a[1])
      .map(([name, amount]) => ({ label: name, value: told(one.values[name]), amount, text: `${signed(100 * amount, 1)}%` }));
    fill(why.body, h("p", { class: "choice" }, choose), h("p", { class: "soft" }, `The contributions add up to the similarity, ${percent(one.similarity)}.`), contributions(items, { label: "Contribution of each attribute to the similarity" }));
  }

  async function start() {
    try {
      columns = (await context.fetched("/cases/columns")).columns.filter((column) => column.kind !== "graph");
      if (ended) return;
      const form = caseForm(context, columns, { title: "The new case", hasTypical: false });
      ends.push(form.end, context.asked.subscribe(ask), context.onVersion(ask));
      fill(left, form.root);
      run();
    } catch (error) {
      if (!ended) fill(left, h("p", { class: "wrong" }, error.message));
    }
  }

  start();
  return () => {
    ended = true;
    clearTimeout(soon);
    abort("solve");
    for (const end of ends) end();
  };
}
