// Columns: how a table was read, with corrections; the values and importance of each column; weights by hand.

import { abort, get, isAbort, latest, openFile, post, Problem } from "../api.js";
import { count, decimals, equalDecimals, fill, fixed, h, number, percent, record, shown, withErrors } from "../dom.js";
import { typical } from "../form.js";
import { opener } from "../parts.js";
import { outcomesLegend, stacked } from "../plots.js";
import { checkNumbers, numberField } from "../typed.js";

const KINDS = ["numeric", "nominal", "ordinal", "date", "text", "set", "circular", "ignore"]; // as on the command line
const DELIMITERS = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space" };
const DATES = { dmy: "day first", mdy: "month first" };
const SOON = 60;
const NEAREST = 8;
const HEAVIEST = 5;

export default {
  id: "columns",
  title: "Columns",
  applies: (status) => ["raw", "table", "model"].includes(status.open.kind),
  mount,
};

let ids = 0;

function mount(root, context) {
  const reading = section("How the table was read", "reading");
  const list = section("Columns", "columns");
  const weighing = section("Weights by hand", "weights");
  fill(root, h("div", { class: "stackview" }, reading.root, list.root, weighing.root));

  let told = null; // how the table was read
  let held = null; // summaries of the columns; null until a model is fitted
  let importance = { job: null, found: null };
  let draft = null; // corrections that have not been applied
  let weights = record();
  let near = null;
  let ended = false;
  let timer = 0;
  let polling = 0;
  let waiting = 0;
  let drawn = "";
  let learning = false;
  const ends = [];

  const kind = () => context.status().open.kind;
  const isLearned = () => kind() === "table" || kind() === "model";
  const frozen = () => context.status().read_only;

  // -- parameters in the address

  function keep() {
    const own = {};
    if (draft && isChanged()) own.fix = JSON.stringify(draft);
    const other = record(Object.entries(weights).filter(([, weight]) => weight !== 1));
    if (Object.keys(other).length) own.weights = JSON.stringify(other);
    context.setParams(own);
  }

  function parsed(text) {
    try {
      const found = JSON.parse(text ?? "null");
      return found && typeof found === "object" ? found : null;
    } catch {
      return null; // ignore an incomplete address
    }
  }

  // -- corrections

  function asRead() {
    const kinds = record();
    for (const column of told.columns) {
      if (column.declared === "ordinal") kinds[column.name] = { kind: "ordinal", levels: column.levels };
      else if (column.declared === "circular") kinds[column.name] = { kind: "circular", period: column.period };
      else if (column.declared) kinds[column.name] = { kind: column.declared };
    }
    return { target: told.target ?? told.likely_target, kinds, options: { ...told.options } };
  }

  const isChanged = () => JSON.stringify(draft) !== JSON.stringify(asRead());

  /** Check the corrections before they are sent. */
  function check() {
    checkNumbers(list.root);
    for (const [name, { kind: word, levels, period }] of Object.entries(draft.kinds)) {
      if (word === "circular" && !(period > 0)) throw new Problem(`The period of ${name} must be above 0, such as 24 for hours.`, 422);
      if (word === "ordinal" && (levels.length < 2 || levels.includes("") || new Set(levels).size < levels.length)) throw new Problem(`${name} needs two or more different levels, lowest first.`, 422);
    }
  }

  async function apply(target) {
    try {
      check();
      learning = target !== null;
      await post("/reading", { ...draft, target });
      context.refresh();
    } catch (error) {
      learning = false;
      context.notify(error);
    }
  }

  async function openNext(file) {
    try {
      await openFile(file);
      weights = record();
      context.refresh();
    } catch (error) {
      context.notify(error);
    }
  }

  // -- how the table was read

  function choice(label, value, options, change) {
    const id = `reading-${(ids += 1)}`;
    const select = h("select", { id, disabled: frozen(), onchange: () => change(select.value === "" ? undefined : select.value) }, options.map(([key, text]) => h("option", { value: key }, text)));
    if (value !== undefined && value !== null && !options.some(([key]) => key === value)) select.append(h("option", { value }, value));
    select.value = value ?? "";
    return h("div", { class: "readoption" }, h("label", { for: id }, label), select);
  }

  function option(name, value) {
    if (value === undefined) delete draft.options[name];
    else draft.options[name] = value;
    corrected();
  }

  function drawReading() {
    const { problem } = context.status().open;
    const open = !frozen() && opener(openNext, "or drop one here");
    if (!told) return void fill(reading.body, problem && h("p", { class: "wrong", role: "alert" }, problem), h("p", {}, "This is a saved model. Its columns and their kinds were set when it was fitted and cannot be changed."), open);
    const found = told.found;
    const names = told.columns.map((column) => column.name);
    const unset = (name, text) => [["", found[name] === null || found[name] === undefined ? text : `as detected: ${text}`]];
    const target = h("select", { id: "target", disabled: frozen(), onchange: () => ((draft.target = target.value), corrected()) }, names.map((name) => h("option", { value: name }, name)));
    target.value = draft.target ?? "";
    const isText = found.delimiter !== null && found.delimiter !== undefined;
    const missing = h("input", { type: "text", id: "missing-marks", disabled: frozen(), placeholder: "as detected", value: (draft.options.missing ?? []).join(", "), onchange: () => option("missing", missing.value.trim() === "" ? undefined : missing.value.split(",").map((one) => one.trim())) });
    const controls = isText && [
      choice("Delimiter", draft.options.delimiter, [...unset("delimiter", DELIMITERS[found.delimiter] ?? found.delimiter), ...Object.entries(DELIMITERS)], (value) => option("delimiter", value)),
      choice("Decimal mark", draft.options.decimal, [["", "as detected"], [".", "point: 1.5"], [",", "comma: 1,5"]], (value) => option("decimal", value)),
      choice("Dates", draft.options.dates, [["", "as detected"], ...Object.entries(DATES)], (value) => option("dates", value)),
      choice("First line", draft.options.header === undefined ? undefined : String(draft.options.header), [["", "as detected"], ["true", "names of columns"], ["false", "a row"]], (value) => option("header", value === undefined ? undefined : value === "true")),
      h("div", { class: "readoption" }, h("label", { for: "missing-marks" }, "Missing values"), missing),
    ];
    const raw = kind() === "raw";
    const learn = h("button", { type: "button", class: "primary", disabled: frozen() || !(raw || isChanged()), onclick: () => apply(draft.target) }, raw ? "Fit" : "Read and fit again");
    const again = h("button", { type: "button", disabled: frozen() || !isChanged(), onclick: () => apply(null) }, "Read again without fitting");
    const undo = h("button", { type: "button", disabled: !isChanged(), onclick: () => ((draft = asRead()), corrected(), redraw()) }, "Undo corrections");
    fill(
      reading.body,
      problem && h("p", { class: "wrong", role: "alert" }, problem),
      h("p", {}, told.read || `${count(told.rows)} rows`),
      raw && h("p", {}, "Choose the column to predict, correct the columns if needed, then fit."),
      h("div", { class: "readoptions" }, h("div", { class: "readoption" }, h("label", { for: "target" }, "Predict"), target), controls),
      h("p", { class: "buttons" }, learn, again, undo),
      open,
    );
    drawReading.buttons = { learn, again, undo, raw };
  }

  function corrected() {
    keep();
    const { learn, again, undo, raw } = drawReading.buttons ?? {};
    if (!learn) return;
    const changed = isChanged();
    learn.disabled = frozen() || !(raw || changed);
    again.disabled = frozen() || !changed;
    undo.disabled = !changed;
  }

  // -- columns

  function kindField(column) {
    const name = column.name;
    if (!told) return h("span", { class: "kind" }, column.kind);
    const id = `kind-${(ids += 1)}`;
    const own = draft.kinds[name];
    const foundKind = column.declared ? null : column.kind;
    const more = h("div", { class: "more" });
    const select = h(
      "select",
      { id, disabled: frozen(), "aria-label": `Kind of ${name}`, onchange: change },
      h("option", { value: "" }, foundKind ? `${foundKind} (detected)` : "as detected"),
      KINDS.map((kind) => h("option", { value: kind }, kind)),
    );
    select.value = own?.kind ?? "";
    function change() {
      if (select.value === "") delete draft.kinds[name];
      else if (select.value === "ordinal") draft.kinds[name] = { kind: "ordinal", levels: column.levels ?? column.texts ?? [] };
      else if (select.value === "circular") draft.kinds[name] = { kind: "circular", period: 360 };
      else draft.kinds[name] = { kind: select.value };
      details();
      corrected();
    }
    function details() {
      const chosen = draft.kinds[name];
      if (chosen?.kind === "ordinal") {
        const levels = h("input", { type: "text", "aria-label": `Levels of ${name}, lowest first`, value: chosen.levels.join(" < "), disabled: frozen(), oninput: () => ((chosen.levels = levels.value.split("<").map((one) => one.trim())), corrected()) });
        fill(more, levels, h("p", { class: "hint soft" }, "lowest first, separated by <"));
      } else if (chosen?.kind === "circular") {
        const period = numberField({ "aria-label": `Period of ${name}`, disabled: frozen() }, { change: (value) => ((chosen.period = value), corrected()) });
        period.show(chosen.period);
        fill(more, period.nodes, h("p", { class: "hint soft" }, "period, such as 24 for hours"));
      } else fill(more);
    }
    details();
    return h("div", { class: "kind" }, select, more);
  }

  function distribution(column, outcomes) {
    const { counts, by, name } = column;
    if (column.edges && counts) {
      const ends = counts.map((_, i) => (column.whole ? [column.edges[i] + 0.5, column.edges[i + 1] - 0.5] : [column.edges[i], column.edges[i + 1]]));
      const [min, max] = [column.quantiles[0], column.quantiles.at(-1)];
      [ends[0][0], ends.at(-1)[1]] = [min, max]; // the outermost bars include the outliers
      const titles = ends.map(([from, to]) => (from === to ? shown(from) : `${shown(from)} to ${shown(to)}`));
      const [below, above] = column.beyond;
      const rows = (n) => `${count(n)} row${n === 1 ? "" : "s"}`;
      const left = below ? `< ${shown(column.low)}: ${rows(below)}, down to ${shown(min)}` : shown(min);
      const right = above ? `> ${shown(column.high)}: ${rows(above)}, up to ${shown(max)}` : shown(max);
      return [stacked({ counts, by, names: outcomes, titles, label: `Distribution of ${name}`, spans: true }), h("p", { class: "ends soft" }, h("span", {}, left), min === max ? null : h("span", {}, right))];
    }
    if (counts?.length) {
      const words = column.values.slice(0, 4).map((value, i) => `${shown(value)} ${count(counts[i])}`);
      const rest = column.distinct - words.length;
      return [stacked({ counts, by, names: outcomes, titles: column.values.map(shown), label: `Distribution of ${name}` }), h("p", { class: "ends soft" }, h("span", {}, words.join(" · ") + (rest > 0 ? ` · ${count(rest)} more` : "")))];
    }
    const some = column.examples ?? column.options ?? [];
    return h("p", { class: "soft examples" }, some.length ? some.map(shown).join(" · ") : "All values are missing.");
  }

  function drawColumns() {
    const outcomes = held?.outcomes ?? null;
    const target = held ? held.target.name : null;
    const byName = new Map((held?.columns ?? []).map((column) => [column.name, column]));
    const all = told ? told.columns : held.columns;
    const measured = importance.found?.columns ?? [];
    const losses = new Map(measured.map((one) => [one.name, one]));
    const lossTexts = withErrors(measured.map((one) => one.loss), measured.map((one) => one.error));
    const textOf = new Map(measured.map((one, i) => [one.name, lossTexts[i].join("")]));
    const most = Math.max(...[...losses.values()].map((one) => one.loss), 1e-9);
    const items = all.map((column) => {
      const now = { ...column, ...(byName.get(column.name) ?? {}), declared: column.declared, kind: column.kind };
      const isTarget = column.name === target;
      const out = told?.left_out[column.name] ?? (column.kind === "ignore" ? "kind" : null);
      const note = isTarget ? "the target" : out ? (out === "kind" ? "set to ignore" : `ignored: ${out}`) : (column.note ?? "");
      const rows = held?.rows ?? told.rows;
      const loss = losses.get(column.name);
      const bar = h("span", { class: "fill first" });
      bar.style.width = loss ? `${100 * Math.max(0, loss.loss / most)}%` : "0";
      const matter = importance.found && h("div", { class: "matter" }, loss ? [h("span", { class: "track", role: "img", "aria-label": `importance ${textOf.get(column.name)}` }, bar), h("span", { class: "n" }, textOf.get(column.name))] : h("span", { class: "soft" }, "–"));
      return h(
        "li",
        { class: out ? "column out" : "column" },
        h("div", { class: "who-column" }, h("h3", {}, column.name), note && h("p", { class: "soft" }, note)),
        kindField(column),
        h("div", { class: "distribution" }, column.kind === "ignore" ? null : distribution(now, outcomes)),
        h("div", { class: "facts soft" }, column.missing === undefined ? null : [h("p", {}, column.missing ? `${percent(now.missing / rows)} missing` : "none missing"), h("p", {}, `${count(now.distinct ?? 0)} distinct`)], matter),
      );
    });
    const running = importance.job?.state === "running";
    const measure = isLearned() && h("button", { type: "button", disabled: running, onclick: startImportance }, importance.found ? "Measure importance again" : "Measure importance");
    if (importance.job?.state === "failed") context.dismiss(importance.job);
    const words = running ? `Measuring: ${importance.job.message || "starting"} …` : importance.job?.state === "failed" ? importance.job.message : importance.found ? `Importance: how much worse ${importance.found.learner} predicts held-out rows when a column is permuted (${importance.found.task === "classify" ? "log-score" : "share of the variance"}, ± one standard error).` : "";
    fill(list.body, measure && h("div", { class: "controls" }, measure, h("p", { class: "soft grow", role: "status" }, words)), outcomes && outcomesLegend(outcomes), h("ul", { class: "columnlist" }, items));
  }

  async function startImportance() {
    try {
      importance = { job: await post("/columns/importance"), found: null };
      drawColumns();
      context.refresh();
      poll();
    } catch (error) {
      context.notify(error);
    }
  }

  function poll() {
    clearTimeout(polling);
    polling = setTimeout(async () => {
      try {
        const before = importance.job?.message;
        importance = await get("/columns/importance");
        if (ended) return;
        const running = importance.job?.state === "running";
        if (!running || before !== importance.job.message) drawColumns();
        if (running) poll();
        else drawWeights();
      } catch (error) {
        if (!ended) context.notify(error);
      }
    }, 400);
  }

  // -- weights by hand

  function drawWeights() {
    weighing.root.hidden = !isLearned();
    if (!isLearned()) return;
    const rows = held.columns.map((column) => {
      const id = `weight-${(ids += 1)}`;
      const typed = numberField({ id }, { least: 0, change: (weight) => weight !== null && set(weight, typed) });
      typed.show(weights[column.name] ?? 1);
      const slider = h("input", { type: "range", min: 0, max: HEAVIEST, step: 0.1, value: weights[column.name] ?? 1, "aria-label": `Weight of ${column.name}, slider`, oninput: () => set(Number(slider.value), slider) });
      function set(weight, from) {
        weights[column.name] = weight;
        if (from !== typed) typed.show(weight);
        if (from !== slider) slider.value = weight;
        keep();
        rank();
      }
      return h("div", { class: "weight" }, h("label", { for: id, title: column.name }, column.name), slider, typed.nodes);
    });
    const learned = (importance.found?.columns ?? []).filter((one) => one.loss > 0);
    const byImportance = () => {
      const most = Math.max(...learned.map((one) => one.loss));
      weights = record(held.columns.map((column) => [column.name, Number(((HEAVIEST / 2) * ((learned.find((one) => one.name === column.name)?.loss ?? 0) / most)).toFixed(1))]));
      keep();
      drawWeights();
    };
    const body = h("div", { class: "body ranked", role: "status" });
    drawWeights.place = body;
    fill(
      weighing.body,
      h("p", { class: "soft" }, "Weight of each column in the distance: 0 ignores the column, 2 doubles its weight."),
      h(
        "div",
        { class: "weighing" },
        h("div", { class: "sliders" }, rows, h("p", { class: "buttons" }, h("button", { type: "button", onclick: () => ((weights = record()), keep(), drawWeights()) }, "All equal"), learned.length > 0 && h("button", { type: "button", onclick: byImportance }, "By importance"), !frozen() && h("button", { type: "button", class: "primary", onclick: answer }, "Use these weights"))),
        body,
      ),
    );
    rank();
  }

  async function answer() {
    try {
      await post("/columns/weights/answer", { weights });
      context.say?.("k-NN with these weights is now in use.");
      context.refresh();
    } catch (error) {
      context.notify(error);
    }
  }

  function rank() {
    clearTimeout(timer);
    if (held.columns.every((column) => (weights[column.name] ?? 1) === 0)) {
      abort("weights");
      return void fill(drawWeights.place, h("p", { class: "wrong" }, "All weights are 0, so all past cases are equally near. Set a weight above 0."));
    }
    timer = setTimeout(async () => {
      weighing.root.setAttribute("aria-busy", "true");
      try {
        near = await latest("weights", "/columns/weights", { case: known(context.asked.value()), weights, k: NEAREST });
        if (ended) return;
        drawNear();
      } catch (error) {
        if (isAbort(error)) return;
        if (!ended && error.status !== 503) fill(drawWeights.place, h("p", { class: "wrong" }, error.message));
      }
      weighing.root.removeAttribute("aria-busy");
    }, SOON);
  }

  /** Return the case without columns that the model does not have. */
  const known = (value) => record(Object.entries(value).filter(([name]) => held.columns.some((column) => column.name === name)));

  function drawNear() {
    const target = held.target.name ?? "outcome";
    const answered = near.probabilities ? `${shown(near.prediction)}, ${percent(near.probabilities[String(near.prediction)])}` : number(near.prediction);
    const moved = (one, i) => (one.equal_rank === i + 1 ? h("span", { class: "soft" }, "same") : one.equal_rank === null ? "beyond 200" : one.equal_rank > i + 1 ? h("span", { class: "up" }, `▲ from ${one.equal_rank}`) : h("span", { class: "down" }, `▼ from ${one.equal_rank}`));
    const all = near.precedents.map((one) => one.distance);
    const distances = equalDecimals(all);
    const parts = (one) =>
      Object.entries(one.contributions)
        .filter(([, share]) => share >= 0.01 * one.distance && share > 0)
        .sort((a, b) => b[1] - a[1])
        .slice(0, 3)
        .map(([name, share]) => `${name} ${fixed(share, decimals(all))}`)
        .join(", ") || "identical to the case";
    fill(
      drawWeights.place,
      h("p", {}, h("span", { class: "soft" }, `${near.n_neighbors}-NN with these weights: `), h("strong", {}, `${target} ${answered}`)),
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Nearest past cases with these weights" },
        h(
          "table",
          {},
          h("thead", {}, h("tr", {}, ["", "case", target, "distance", "with equal weights", "distance comes from"].map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {}))))),
          h("tbody", {}, near.precedents.map((one, i) => h("tr", {}, h("td", { class: "n soft" }, String(i + 1)), h("th", { scope: "row" }, context.place(one.id)), h("td", { class: "nowrap" }, h("strong", {}, shown(one.target))), h("td", { class: "n" }, distances[i]), h("td", { class: "nowrap moved" }, moved(one, i)), h("td", { class: "soft" }, parts(one))))),
        ),
      ),
    );
  }

  // -- drawing everything

  function redraw() {
    drawReading();
    drawColumns();
    drawWeights();
  }

  async function load() {
    clearTimeout(waiting);
    if (ended) return;
    if (context.status().jobs.some((job) => job.state === "running" && /^(Opening|Reading) /.test(job.name))) return void (waiting = setTimeout(load, 150)); // another table is being opened
    try {
      const hasReading = kind() !== "model";
      const [read, columns, found] = await Promise.all([hasReading ? context.fetched("/reading") : null, isLearned() ? context.fetched("/columns") : null, isLearned() ? get("/columns/importance") : { job: null, found: null }]);
      if (ended) return;
      const text = JSON.stringify([read, columns, kind(), context.status().open.problem]);
      importance = found;
      if (importance.job?.state === "running") poll();
      if (text === drawn) return;
      const other = told === null || JSON.stringify([told.columns.map((c) => [c.name, c.declared]), told.options, told.target]) !== JSON.stringify([read?.columns.map((c) => [c.name, c.declared]), read?.options, read?.target]);
      [told, held, drawn] = [read, columns, text];
      if (told && (draft === null || other)) draft = drawn0 ? asRead() : { ...asRead(), ...(parsed(context.params().fix) ?? {}) };
      if (draft !== null) draft.kinds = record(Object.entries(draft.kinds));
      if (!drawn0) weights = record(Object.entries(parsed(context.params().weights) ?? {}));
      drawn0 = true;
      keep();
      if (context.status().open.problem) learning = false;
      if (held && (context.asked.isUntouched() || (learning && kind() === "table"))) context.asked.replace(typical(held.columns), "start");
      redraw();
      if (learning && kind() === "table") {
        learning = false;
        context.go("ask");
      }
    } catch (error) {
      if (!ended && !isAbort(error) && error.status !== 503) fill(list.body, h("p", { class: "wrong" }, error.message));
    }
  }

  let drawn0 = false; // whether anything has been drawn: the parameters in the address are read only the first time
  const over = (event) => event.preventDefault();
  const drop = (event) => {
    event.preventDefault();
    if (!frozen() && event.dataTransfer?.files?.length) openNext(event.dataTransfer.files[0]);
  };
  root.addEventListener("dragover", over);
  root.addEventListener("drop", drop);
  ends.push(context.onVersion(load), context.asked.subscribe(() => held && isLearned() && rank()));
  load();
  return () => {
    ended = true;
    clearTimeout(timer);
    clearTimeout(polling);
    clearTimeout(waiting);
    abort("weights");
    root.removeEventListener("dragover", over);
    root.removeEventListener("drop", drop);
    for (const end of ends) end();
  };
}

function section(title, name) {
  const body = h("div", { class: "body" });
  const id = `section-${name}`;
  return { body, root: h("section", { class: `panel ${name}`, "aria-labelledby": id }, h("h2", { id }, title), body) };
}
