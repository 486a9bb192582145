// Learners: a comparison as in the report, the results of one learner, decisions by costs, and the choice of a learner for predictions.

import { abort, get, isAbort, latest, post } from "../api.js";
import { count, equalDecimals, fill, h, number, percent, withErrors } from "../dom.js";
import { againstPlot, calibrationPlot, interval, thresholdPlot } from "../plots.js";
import { numberField } from "../typed.js";

const TIMES = { 5: "5 s", 10: "10 s", 30: "30 s", 60: "1 min", 180: "3 min" };
const SCORES = { classify: [["accuracy", "accuracy"], ["log_score", "log-score"]], regress: [["rmse", "RMSE"], ["r2", "R²"]] };
const SOON = 150;

export default {
  id: "learners",
  title: "Learners",
  applies: (status) => status.open.kind === "table" || status.open.kind === "model",
  mount,
};

function mount(root, context) {
  const board = section("Comparison of learners", "board");
  const details = section("One learner, on rows it was not fitted to", "details");
  const decisions = section("Costs of errors and decision threshold", "decisions");
  details.root.hidden = decisions.root.hidden = true;
  fill(root, h("div", { class: "stackview" }, board.root, details.root, decisions.root));

  let told = null;
  let own = null; // details of the selected learner
  let choice = { ...context.params() };
  let ended = false;
  let polling = 0;
  let timer = 0;
  const ends = [];

  const task = () => (context.status().open.task ?? (told?.found?.verdict.by === "rmse" ? "regress" : "classify"));
  const frozen = () => context.status().read_only;
  const keep = () => context.setParams(Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined && value !== null && value !== "")));

  // -- the comparison

  const time = h("select", { id: "seconds" }, Object.entries(TIMES).map(([value, text]) => h("option", { value }, text)));
  time.value = choice.seconds in TIMES ? choice.seconds : "30";
  time.addEventListener("change", () => ((choice.seconds = time.value), keep()));
  const begin = h("button", { type: "button", class: "primary", onclick: compare }, "Compare learners");
  const stop = h("button", { type: "button", onclick: () => told?.job && post(`/jobs/${told.job.id}/cancel`).then(load, context.notify) }, "Cancel");
  const bar = h("progress", { max: 1, "aria-label": "Comparing learners" });
  const words = h("p", { class: "soft grow", role: "status" });
  const table = h("div", { class: "boardtable" });
  fill(board.body, h("div", { class: "controls" }, h("span", { class: "choice" }, h("label", { for: "seconds" }, "Time"), time), begin, stop, bar, words), table);

  async function compare() {
    try {
      const job = await post("/learners", undefined, { seconds: Number(time.value) });
      told = { ...told, job };
      drawBoard();
      poll();
      context.refresh();
    } catch (error) {
      context.notify(error);
    }
  }

  function poll() {
    clearTimeout(polling);
    polling = setTimeout(load, 500);
  }

  function answers(one) {
    const learner = context.status().learner;
    if (!learner) return false;
    const [name, variant] = one.name.split(":");
    if (name !== learner.name) return false;
    const has = (text) => text.split(", ").every((pair) => learner.parameters.includes(`${pair.split("=")[0]}='${pair.split("=")[1]}'`));
    if (variant) return has(variant);
    return !(told.learners ?? []).some((other) => other.name.startsWith(`${name}:`) && has(other.name.split(":")[1]));
  }

  async function choose(one) {
    try {
      await post("/learners/answer", { name: one.name });
      context.say?.(`${one.title} is being fitted to all rows. It is then used for predictions.`);
      context.refresh();
    } catch (error) {
      context.notify(error);
    }
  }

  function action(one, canAnswer) {
    if (answers(one)) return h("span", { class: "now" }, "in use");
    if (frozen()) return null;
    if (!canAnswer) return h("span", { class: "soft nowrap" }, "for comparison only");
    return h("button", { type: "button", "aria-label": `Use ${one.title}`, onclick: () => choose(one) }, "Use this learner");
  }

  function drawBoard() {
    const running = told.job?.state === "running";
    begin.disabled = running;
    begin.textContent = told.found ? "Compare again" : "Compare learners";
    stop.hidden = bar.hidden = !running;
    if (running && told.job.progress !== null) bar.value = told.job.progress;
    const found = told.found;
    if (told.job?.state === "failed") context.dismiss(told.job);
    words.textContent = running ? told.job.message : told.job?.state === "failed" ? told.job.message : told.job?.state === "cancelled" ? "Canceled." : found ? "" : "Each learner is fitted to some of the rows and predicts the rest.";
    const canAnswer = new Map(told.learners.map((one) => [one.name, one.answers]));
    if (!found) {
      fill(table, h("ul", { class: "plainlearners" }, told.learners.map((one) => h("li", {}, h("div", { class: "grow" }, h("strong", {}, one.title), h("p", { class: "soft" }, one.description)), action(one, one.answers)))));
      return;
    }
    const { verdict } = found;
    const scores = SCORES[task()].filter(([name]) => found.learners.some((one) => name in one.scores));
    const by = verdict.by;
    const measured = found.learners.filter((one) => !one.reason);
    const all = measured.flatMap((one) => [one.scores[by][0] - (one.scores[by][1] ?? 0), one.scores[by][0] + (one.scores[by][1] ?? 0)]).filter((value) => value !== null && Number.isFinite(value));
    const range = [Math.min(...all), Math.max(...all)];
    const reference = measured.find((one) => one.name === "baseline")?.scores[by][0] ?? null;
    const texts = Object.fromEntries(scores.map(([name]) => [name, withErrors(measured.map((one) => one.scores[name][0]), measured.map((one) => one.scores[name][1]))]));
    const seconds = equalDecimals(measured.map((one) => one.seconds), 3);
    const row = (one, i) =>
      h(
        "tr",
        { class: one.name === verdict.chosen ? "best" : "", dataset: { name: one.name } },
        h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => look(one.name) }, one.title), one.name === verdict.chosen && h("span", { class: "tag" }, verdict.beats_baseline ? "recommended" : "best, but not significantly better than the baseline"), one.fitted_to !== null && h("span", { class: "tag soft" }, `fitted to a sample of ${count(one.fitted_to)} rows`)),
        scores.map(([name]) => h("td", { class: "n" }, texts[name][i][0], h("span", { class: "soft" }, texts[name][i][1]))),
        h("td", { class: "wide" }, one.scores[by][0] === null ? null : interval({ mean: one.scores[by][0], error: one.scores[by][1], range, reference, strong: one.name === verdict.chosen, label: `${one.title}: ${texts[by][i].join("")}` })),
        h("td", { class: "n soft" }, `${seconds[i]} s`),
        h("td", {}, action(one, canAnswer.get(one.name))),
      );
    const focused = table.contains(document.activeElement) ? document.activeElement.closest("tr")?.dataset.name : undefined;
    const better = by === "rmse" ? "← better" : "better →";
    const rest = found.learners.filter((one) => one.reason);
    fill(
      table,
      h("p", {}, said(found)),
      h("p", { class: "soft protocol" }, `${found.protocol}. The dashed line is the baseline; the horizontal lines show one standard error on each side.`),
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Learners compared" },
        h("table", { class: "learnertable" }, h("caption", { class: "hidden" }, "Learners, sorted by score"), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "learner"), scores.map(([, name]) => h("th", { scope: "col", class: "n" }, name)), h("th", { scope: "col", class: "wide" }, `${by === "rmse" ? "RMSE" : by === "accuracy" ? "accuracy" : "log-score"}, ${better}`), h("th", { scope: "col", class: "n" }, "time"), h("th", { scope: "col" }, "choose"))), h("tbody", {}, measured.map(row))),
      ),
      rest.length > 0 && h("details", {}, h("summary", {}, `${rest.length} without a score`), h("ul", { class: "plainlearners" }, rest.map((one) => h("li", {}, h("div", { class: "grow" }, h("strong", {}, one.title), h("p", { class: "soft" }, one.reason)), action(one, canAnswer.get(one.name)))))),
    );
    if (focused !== undefined) [...table.querySelectorAll("tr")].find((line) => line.dataset.name === focused)?.querySelector("button:last-of-type")?.focus(); // the table was replaced
  }

  function said({ verdict }) {
    const [name, label] = SCORES[task()][0];
    const estimate = verdict.estimate[name];
    const parts = [h("strong", {}, verdict.title), verdict.beats_baseline ? " is recommended" : " has the best score, but is not significantly better than ignoring all columns"];
    if (estimate) parts.push(`: ${label} ${withErrors([estimate[0]], [estimate[1]])[0].join("")} on rows that were not used to choose the learner.`);
    else parts.push(".");
    if (verdict.runner_up && !verdict.runner_up.significant) parts.push(` ${verdict.runner_up.title} is not significantly worse.`);
    return parts;
  }

  async function load() {
    try {
      const found = await get("/learners");
      if (ended) return;
      told = found;
      drawBoard();
      if (told.job?.state === "running") poll();
      const has = Boolean(told.found);
      details.root.hidden = !has;
      if (!has) decisions.root.hidden = true;
      if (has) await look(choice.learner ?? told.found.verdict.chosen, true);
    } catch (error) {
      if (!ended && !isAbort(error) && error.status !== 503) fill(table, h("p", { class: "wrong" }, error.message));
    }
  }

  // -- one learner

  async function look(name, isFirst = false) {
    const measured = told.found.learners.filter((one) => !one.reason);
    const wanted = measured.some((one) => one.name === name) ? name : told.found.verdict.chosen;
    if (!isFirst) {
      choice.learner = wanted;
      keep();
    }
    details.root.setAttribute("aria-busy", "true");
    try {
      own = await context.fetched(`/learners/details?${new URLSearchParams({ name: wanted, of: told.found.seconds })}`);
      if (ended) return;
      drawDetails(measured, wanted);
      drawDecisions();
      if (!isFirst) details.root.scrollIntoView({ block: "start" });
    } catch (error) {
      if (!ended && !isAbort(error)) fill(details.body, h("p", { class: "wrong" }, error.message));
    }
    details.root.removeAttribute("aria-busy");
  }

  function drawDetails(measured, wanted) {
    const had = document.activeElement?.id === "looked-at";
    const select = h("select", { id: "looked-at", onchange: () => look(select.value) }, measured.map((one) => h("option", { value: one.name }, one.title)));
    select.value = wanted;
    const parts = task() === "regress" ? numbersParts() : classesParts();
    fill(details.body, h("div", { class: "controls" }, h("span", { class: "choice" }, h("label", { for: "looked-at" }, "Learner"), select)), h("div", { class: "two" }, parts));
    if (had) select.focus();
  }

  function classesParts() {
    const calibration = own.calibration
      ? h("div", {}, h("h3", {}, "Calibration"), calibrationPlot(own.calibration.bins), h("p", { class: "soft" }, `On average, probabilities differ from observed frequencies by ${(100 * own.calibration.error).toFixed(1)} percentage points. Points below the dashed line are overconfident.`))
      : h("div", {}, h("h3", {}, "Calibration"), h("p", { class: "soft" }, "This learner does not predict probabilities."));
    return [calibration, h("div", {}, h("h3", {}, "Confusion"), own.confusion ? confusion(own.confusion, own.labels) : h("p", { class: "soft" }, "There are too many classes to list."))];
  }

  function confusion(counts, labels) {
    const most = Math.max(...counts.flat(), 1);
    const right = counts.reduce((sum, row, i) => sum + row[i], 0);
    const all = counts.flat().reduce((sum, n) => sum + n, 0);
    const cell = (n, i, j) => {
      const found = h("td", { class: i === j ? "n hit" : "n" }, n ? count(n) : h("span", { class: "soft" }, "0"));
      found.style.setProperty("--level", String(Math.round((35 * n) / most)));
      return found;
    };
    return [
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusion matrix" }, h("table", { class: "confusion" }, h("caption", { class: "hidden" }, "Rows by true and predicted class"), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "true ↓  predicted →"), labels.map((label) => h("th", { scope: "col", class: "n" }, label)), h("th", { scope: "col", class: "n" }, "found"))), h("tbody", {}, counts.map((row, i) => {
        const total = row.reduce((sum, n) => sum + n, 0);
        return h("tr", {}, h("th", { scope: "row" }, labels[i]), row.map((n, j) => cell(n, i, j)), h("td", { class: "n soft" }, total ? percent(row[i] / total) : "–"));
      })))),
      h("p", { class: "soft" }, `${count(right)} of ${count(all)} rows are predicted correctly (${percent(right / all)}).`),
    ];
  }

  function numbersParts() {
    const target = context.status().open.target ?? "target";
    const { residuals } = own;
    const tall = Math.max(...residuals.histogram.map(([, , n]) => n), 1);
    const bars = residuals.histogram.map(([a, b, n]) => {
      const bar = h("span", { title: `${number(a)} to ${number(b)}: ${n} rows` });
      bar.style.height = `${(100 * n) / tall}%`;
      return bar;
    });
    const errors = equalDecimals([residuals.mean, residuals.rmse, residuals.mae, residuals.half, residuals.nine_tenths]);
    const facts = [...["mean residual", "RMSE", "mean absolute error", "median absolute error", "90% of errors are below"].map((name, i) => [name, errors[i]]), ["R²", residuals.r2 === null ? "–" : equalDecimals([residuals.r2])[0]]];
    return [
      h("div", {}, h("h3", {}, "Predicted against true"), againstPlot(own.points, own.bins, target), h("p", { class: "soft" }, `${count(own.points.length)} of ${count(own.rows)} rows. On the dashed line, predictions equal the true values; the orange line connects the means of ten groups.`)),
      h("div", {}, h("h3", {}, "Residuals, true minus predicted"), h("div", { class: "residuals", role: "img", "aria-label": "Distribution of residuals" }, bars), h("p", { class: "ends soft" }, h("span", {}, number(residuals.histogram[0][0])), h("span", {}, number(residuals.histogram.at(-1)[1]))), h("table", { class: "facts-table" }, h("tbody", {}, facts.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "n" }, value)))))),
    ];
  }

  // -- decisions by costs

  function drawDecisions() {
    decisions.root.hidden = task() === "regress" || !own.calibration || !own.confusion;
    if (decisions.root.hidden) return;
    if (own.labels.length === 2) drawTwo();
    else drawSeveral();
  }

  function costs(n) {
    const found = parsed(choice.costs);
    const fits = Array.isArray(found) && found.length === n && found.every((row) => Array.isArray(row) && row.length === n && row.every((cost) => Number.isFinite(cost) && cost >= 0));
    return fits ? found : own.labels.map((_, i) => own.labels.map((__, j) => (i === j ? 0 : 1)));
  }

  function costInput(label, value, change) {
    const typed = numberField({ "aria-label": label }, { least: 0, most: 1e9, change: (cost) => cost !== null && change(cost) });
    typed.show(value);
    return typed.nodes;
  }

  async function use(body, words_) {
    try {
      await post("/learners/decision", body);
      context.say?.(words_);
      context.refresh();
    } catch (error) {
      context.notify(error);
    }
  }

  const useButtons = (body) =>
    frozen()
      ? null
      : h("p", { class: "buttons" }, h("button", { type: "button", class: "primary", onclick: () => use(body(), "Ask shows this decision from now on.") }, "Use in Ask"), h("button", { type: "button", onclick: () => use({}, "Ask shows the most probable class again.") }, "Most probable class in Ask"));

  function matrix(current, changed) {
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Costs" }, h("table", { class: "costs" }, h("caption", { class: "hidden" }, "Cost of each decision for each true class"), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "true ↓  decided →"), own.labels.map((label) => h("th", { scope: "col" }, label)))), h("tbody", {}, own.labels.map((label, i) => h("tr", {}, h("th", { scope: "row" }, label), own.labels.map((other, j) => h("td", {}, costInput(`Cost of deciding ${other} if the true class is ${label}`, current[i][j], (value) => ((current[i][j] = value), (choice.costs = JSON.stringify(current)), keep(), changed())))))))));
  }

  function drawTwo() {
    const current = costs(2);
    const { thresholds, labels } = own;
    const positive = h("select", { id: "positive", onchange: () => ((choice.positive = positive.value), keep(), show()) }, labels.map((label) => h("option", { value: label }, label)));
    positive.value = labels.includes(choice.positive) ? choice.positive : labels[thresholds.classes[0].positives <= thresholds.classes[1].positives ? 0 : 1];
    const slider = h("input", { type: "range", min: 0, max: 100, step: 1, id: "threshold", oninput: () => ((choice.threshold = slider.value), keep(), show()) });
    const at = h("output", { class: "n", for: "threshold" });
    const place = h("div", { class: "curveplace" });
    const facts = h("div", { role: "status" });
    const measures = (t) => {
      const p = labels.indexOf(positive.value);
      const one = thresholds.classes[p];
      const [tp, fp] = [one.true[t], one.false[t]];
      const [fn, tn] = [one.positives - tp, thresholds.rows - one.positives - fp];
      const q = 1 - p;
      const cost = (tp * current[p][p] + fn * current[p][q] + fp * current[q][p] + tn * current[q][q]) / thresholds.rows;
      return { cost, accuracy: (tp + tn) / thresholds.rows, sensitivity: one.positives ? tp / one.positives : null, specificity: thresholds.rows - one.positives ? tn / (thresholds.rows - one.positives) : null };
    };
    function cheapest() {
      const all = thresholds.levels.map((_, t) => measures(t).cost);
      const least = Math.min(...all);
      const same = all.flatMap((cost, t) => (cost <= least + 1e-12 ? [t] : []));
      return same.reduce((best, t) => (Math.abs(t - 50) < Math.abs(best - 50) ? t : best), same[0]);
    }
    function show() {
      const best = cheapest();
      const t = choice.threshold === undefined ? 50 : Math.max(0, Math.min(100, Math.round(Number(choice.threshold) || 0)));
      slider.value = t;
      slider.setAttribute("aria-valuetext", percent(t / 100));
      at.textContent = percent(t / 100);
      const values = thresholds.levels.map((_, i) => measures(i).cost);
      fill(place, thresholdPlot({ levels: thresholds.levels, series: [{ name: "cost", class: "c0", values }], own: t / 100, best: [best / 100, values[best]], yName: "mean cost per row", yText: (value) => number(value, 2), label: `Cost by threshold; cheapest at ${percent(best / 100)}` }));
      const columns = [["at 50%", measures(50)], ...(t === 50 ? [] : [[`at ${percent(t / 100)}`, measures(t)]]), ...(t === best || best === 50 ? [] : [[`cheapest, ${percent(best / 100)}`, measures(best)]])];
      const line = (name, texts) => h("tr", {}, h("th", { scope: "row" }, name), texts.map((text) => h("td", { class: "n" }, text)));
      const shares = (key) => columns.map(([, found]) => (found[key] === null ? "–" : percent(found[key])));
      fill(facts, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Effect of the threshold" }, h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), columns.map(([name]) => h("th", { scope: "col", class: "n" }, name)))), h("tbody", {}, line("mean cost per row", equalDecimals(columns.map(([, found]) => found.cost))), line("accuracy", shares("accuracy")), line(`${positive.value} found (sensitivity)`, shares("sensitivity")), line(`${labels.find((label) => label !== positive.value)} found (specificity)`, shares("specificity"))))));
    }
    fill(
      decisions.body,
      h("p", { class: "soft" }, "Enter the cost of each error, in any unit, and the probability threshold for a class."),
      h(
        "div",
        { class: "two" },
        h("div", {}, h("div", { class: "controls" }, h("span", { class: "choice" }, h("label", { for: "positive" }, "Choose"), positive)), matrix(current, show), h("div", { class: "thresholdrow" }, h("label", { for: "threshold" }, "if its probability is at least"), slider, at), h("p", { class: "buttons" }, h("button", { type: "button", onclick: () => ((choice.threshold = String(cheapest())), keep(), show()) }, "Use the cheapest threshold")), facts, useButtons(() => ({ positive: positive.value, threshold: Number(slider.value) / 100 }))),
        place,
      ),
    );
    show();
  }

  function drawSeveral() {
    const current = costs(own.labels.length);
    const place = h("div", { class: "curveplace", role: "status" });
    function show() {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        decisions.root.setAttribute("aria-busy", "true");
        try {
          const found = await latest("costs", "/learners/costs", { name: own.name, costs: current });
          if (ended) return;
          const share = (counts, i) => {
            const total = counts[i].reduce((sum, n) => sum + n, 0);
            return total ? percent(counts[i][i] / total) : "–";
          };
          const rows = [["mean cost per row", ...equalDecimals([found.cost_before, found.cost])], ["accuracy", percent(found.accuracy_before), percent(found.accuracy)], ...own.labels.map((label, i) => [`${label} found`, share(own.confusion, i), share(found.confusion, i)])];
          fill(place, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Effect of the costs" }, h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col", class: "n" }, "most probable"), h("th", { scope: "col", class: "n" }, "lowest cost"))), h("tbody", {}, rows.map(([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((cell) => h("td", { class: "n" }, cell))))))), h("p", { class: "soft" }, `${count(found.changed)} of ${count(found.rows)} decisions change.`));
        } catch (error) {
          if (isAbort(error)) return;
          if (!ended) fill(place, h("p", { class: "wrong" }, error.message));
        }
        decisions.root.removeAttribute("aria-busy");
      }, SOON);
    }
    fill(decisions.body, h("p", { class: "soft" }, "Enter the cost of each decision for each true class, in any unit. The class with the lowest expected cost is chosen."), h("div", { class: "two" }, h("div", {}, matrix(current, show), useButtons(() => ({ costs: current }))), place));
    show();
  }

  ends.push(context.onVersion(load), context.onParams?.(() => ((choice = { ...context.params() }), told?.found && look(choice.learner ?? told.found.verdict.chosen, true))) ?? (() => {}));
  load();
  return () => {
    ended = true;
    clearTimeout(polling);
    clearTimeout(timer);
    abort("costs");
    for (const end of ends) end();
  };
}

function parsed(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null; // ignore an incomplete address
  }
}

function section(title, name) {
  const body = h("div", { class: "body" });
  const id = `section-${name}`;
  return { body, root: h("section", { class: `panel ${name}`, "aria-labelledby": id }, h("h2", { id }, title), body) };
}
