// Rows: the whole table, sorted, filtered and searched by the server; queues of suspects and unusual rows; changes with undo.

import { get, post } from "../api.js";
import { count, decimals, fill, fixed, h, MISSING, number, percent, record, same, shown } from "../dom.js";
import { caseForm } from "../form.js";
import { ownCase, savedText, STANDS_IN } from "../parts.js";
import { numberField, wrongNumber } from "../typed.js";

const HIGH = 34; // height of a row in pixels, as in style.css
const BLOCK = 100; // rows per request
const BEYOND = 12; // rows to draw above and below the visible rows
const SOON = 250;
const AGAIN = 500;
const WIDTHS = { numeric: 110, circular: 110, date: 120, nominal: 140, ordinal: 120, text: 260, set: 200 };
const WIDEST = 220; // maximum width in pixels of a column that is widened to show its name
const LETTER = 8;

export default {
  id: "rows",
  title: "Rows",
  applies: (status) => status.open.kind === "table" || status.open.kind === "model",
  mount,
};

function mount(root, context) {
  const tabs = h("div", { class: "tabs", role: "group", "aria-label": "Rows shown" });
  const search = h("input", { type: "search", id: "rows-search", placeholder: "Search all columns", autocomplete: "off", oninput: () => later(() => change({ search: search.value })) });
  const filterList = h("div", { class: "filters" });
  const filterBox = h("details", {}, h("summary", {}, "Filters"), filterList);
  const counted = h("p", { class: "soft count", role: "status" });
  const strip = h("div", { class: "strip" });
  const head = h("thead");
  const top = h("tbody", { "aria-hidden": "true" });
  const body = h("tbody");
  const bottom = h("tbody", { "aria-hidden": "true" });
  const grid = h("table", { role: "grid", tabindex: 0, class: "grid", "aria-label": "Rows" }, head, top, body, bottom);
  const scroller = h("div", { class: "gridbox" }, grid);
  const side = h("aside", { class: "side", "aria-label": "The row" });
  const keysHelp = h("p", { class: "soft hint" });
  fill(
    root,
    h(
      "div",
      { class: "rows" },
      h("div", { class: "controls" }, tabs, h("span", { class: "choice grow" }, h("label", { class: "hidden", for: "rows-search" }, "Search"), search)),
      strip,
      filterBox,
      counted,
      h("div", { class: "split" }, h("div", { class: "gridside" }, scroller, keysHelp), side),
    ),
  );

  let ended = false;
  let columns = [];
  let target = null;
  let ask = { queue: "", search: "", sort: "", descending: false, filters: [] };
  let total = 0;
  let blocks = new Map(); // rows by block number; null while a block is being loaded
  let generation = 0;
  let active = 0;
  let openRow = null; // the row shown in the panel
  let review = null;
  let state = "done";
  let stale = false;
  let timer = 0;
  let pollTimer = 0;
  let frame = 0;
  const ends = [];

  const readOnly = () => context.status().read_only;
  const isQueue = () => ask.queue === "suspects" || ask.queue === "outliers";
  const later = (work) => {
    clearTimeout(timer);
    timer = setTimeout(work, SOON);
  };

  // -- the request, stored in the address

  function fromParams() {
    const params = context.params();
    let filters = [];
    try {
      const found = JSON.parse(params.filters ?? "[]");
      if (Array.isArray(found)) filters = found.filter((one) => one && typeof one === "object" && known(one.column));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    ask = { queue: params.queue ?? "", search: params.search ?? "", sort: params.sort === "#" || known(params.sort) ? params.sort : "", descending: params.descending === "true", filters };
    search.value = ask.search;
    filterBox.open ||= filters.length > 0;
    drawFilters();
    return params.row === undefined ? null : Number(params.row);
  }

  const known = (name) => name === target.name || columns.some((column) => column.name === name);

  function remember() {
    const own = {};
    for (const name of ["queue", "search", "sort"]) if (ask[name]) own[name] = ask[name];
    if (ask.descending) own.descending = "true";
    if (ask.filters.length) own.filters = JSON.stringify(ask.filters);
    if (openRow) own.row = openRow.id;
    context.setParams(own);
  }

  function change(to, { step = false } = {}) {
    ask = { ...ask, ...to };
    if (step) {
      const own = { ...context.params() };
      delete own.row;
      delete own.queue;
      if (ask.queue) own.queue = ask.queue;
      openRow = null;
      drawSide();
      context.go("rows", own);
    } else remember();
    reload({ toTop: true });
  }

  // -- pages

  const options = (offset) => ({ offset, limit: BLOCK, sort: ask.sort || undefined, descending: ask.descending || undefined, search: ask.search || undefined, filters: ask.filters.length ? JSON.stringify(ask.filters) : undefined, queue: ask.queue || undefined });

  async function reload({ toTop = false, keep = false } = {}) {
    generation += 1;
    const own = generation;
    clearTimeout(pollTimer);
    if (!keep) blocks = new Map();
    if (toTop) {
      scroller.scrollTop = 0;
      active = 0;
    }
    try {
      const first = Math.floor(scroller.scrollTop / HIGH / BLOCK);
      const page = await get("/rows", options(first * BLOCK));
      if (ended || own !== generation) return;
      blocks = new Map([[first, page.rows]]);
      ({ total, state } = page);
      stale = Boolean(page.stale);
      active = Math.max(0, Math.min(active, total - 1));
      drawHead();
      drawCount(page);
      drawRows();
      drawTabs();
      if (state === "running") pollTimer = setTimeout(() => reload(), AGAIN);
    } catch (error) {
      if (ended || own !== generation) return;
      if (error.status === 503) pollTimer = setTimeout(() => reload(), AGAIN);
      else {
        [total, blocks] = [0, new Map()];
        drawRows();
        fill(counted, h("span", { class: "wrong" }, error.message));
      }
    }
  }

  async function need(block) {
    if (blocks.has(block)) return;
    const own = generation;
    const into = blocks;
    into.set(block, null);
    try {
      const page = await get("/rows", options(block * BLOCK));
      if (ended || own !== generation) return;
      into.set(block, page.rows);
      drawRows();
    } catch (error) {
      into.delete(block);
      if (!ended) context.notify(error);
    }
  }

  const rowAt = (i) => blocks.get(Math.floor(i / BLOCK))?.[i % BLOCK] ?? null;

  // -- the table

  function shownColumns() {
    const extra = ask.queue === "suspects" ? [{ name: "may be", kind: "nominal", of: "predicted" }, { name: target.kind === "nominal" ? "probability" : "off by", kind: "numeric", of: "doubt" }] : ask.queue === "outliers" ? [{ name: "unusual", kind: "text", of: "unexpected" }] : [];
    return [{ name: target.name, kind: target.kind, of: "target", sorts: true }, ...extra, ...columns.map((column, a) => ({ name: column.name, kind: column.kind, at: a, sorts: true }))];
  }

  function drawHead() {
    const all = shownColumns();
    const cell = (name, sortName, sorts, kind) => {
      const sorted = sorts && ask.sort === sortName;
      const th = h("th", { scope: "col", class: [isNumeric(kind) ? "n" : "", sorts ? "sorts" : ""].filter(Boolean).join(" "), title: name, "aria-sort": sorted ? (ask.descending ? "descending" : "ascending") : null });
      th.append(sorts ? h("button", { type: "button", class: "sort", onclick: () => sortBy(sortName) }, h("span", { class: "name" }, name), h("span", { class: "arrow", "aria-hidden": "true" }, sorted ? (ask.descending ? "↓" : "↑") : "")) : name);
      return th;
    };
    const heads = [cell("row", "#", true), ...all.map((one) => cell(one.name, one.name, one.sorts, one.kind))];
    const places = Math.max(76, 40 + LETTER * context.place(Math.max(0, (context.status().open.rows ?? 1) - 1)).length);
    const cols = [places, ...all.map((one) => (one.of === "doubt" ? 100 : Math.max(WIDTHS[one.kind] ?? 140, Math.min(WIDEST, 42 + LETTER * one.name.length))))];
    heads.forEach((th, i) => (th.style.width = `${cols[i]}px`));
    grid.style.width = `max(100%, ${cols.reduce((sum, wide) => sum + wide, 0)}px)`;
    grid.setAttribute("aria-rowcount", String(total + 1));
    grid.setAttribute("aria-colcount", String(heads.length));
    const focused = document.activeElement?.closest?.("thead") === head ? [...head.querySelectorAll("button")].indexOf(document.activeElement) : -1;
    fill(head, h("tr", { "aria-rowindex": 1 }, heads));
    if (focused >= 0) head.querySelectorAll("button")[focused]?.focus();
  }

  const placeOf = (row) => context.place(row.was ?? row.id); // a corrected row keeps its line
  const hasLine = (row) => !placeOf(row).startsWith("#");
  const nameOf = (row) => (hasLine(row) ? `Line${placeOf(row).slice(4)}` : `Row #${row.id}`);

  function sortBy(name) {
    if (ask.sort !== name) change({ sort: name, descending: false });
    else if (!ask.descending) change({ descending: true });
    else change({ sort: "", descending: false });
  }

  function drawRows() {
    cancelAnimationFrame(frame);
    const first = Math.max(0, Math.floor(scroller.scrollTop / HIGH) - BEYOND);
    const last = Math.min(total, Math.ceil((scroller.scrollTop + scroller.clientHeight) / HIGH) + BEYOND);
    for (let block = Math.floor(first / BLOCK); block * BLOCK < last; block += 1) need(block);
    const all = shownColumns();
    space(top, first);
    space(bottom, total - last);
    const made = [];
    for (let i = first; i < last; i += 1) made.push(line(i, rowAt(i), all));
    fill(body, made);
    if (total) grid.setAttribute("aria-activedescendant", `row-${active}`);
    else grid.removeAttribute("aria-activedescendant");
  }

  function space(where, rows) {
    const tr = h("tr", {}, h("td"));
    tr.firstChild.style.height = `${rows * HIGH}px`;
    fill(where, rows > 0 ? tr : null);
  }

  function line(i, row, all) {
    const classes = [i === active ? "active" : "", row && openRow?.id === row.id ? "open" : "", row ? "" : "coming"].filter(Boolean).join(" ");
    const props = { id: `row-${i}`, class: classes, "aria-rowindex": i + 2, "aria-selected": row && openRow?.id === row.id ? "true" : "false", onclick: () => ((active = i), show(row)) };
    if (!row) return h("tr", props, h("td", { class: "soft" }, "…"), all.map(() => h("td")));
    const marked = new Set((row.note?.unexpected ?? []).map((one) => one.column));
    return h(
      "tr",
      props,
      h("td", { class: "soft", title: `#${row.id}` }, placeOf(row), row.was === undefined ? null : h("span", { class: "mark", title: hasLine(row) ? "corrected" : `corrected; was #${row.was}`, "aria-label": "corrected" }, " ✎")),
      all.map((one) => {
        const text = cellText(one, row);
        return h("td", { class: [isNumeric(one.kind) ? "n" : "", one.of === "target" ? "strong" : "", one.of === "unexpected" || one.of === "predicted" || marked.has(one.name) ? "mark" : ""].filter(Boolean).join(" "), title: text }, text);
      }),
    );
  }

  function cellText(one, row) {
    if (one.of === "target") return shown(row.target);
    if (one.of === "predicted") return shown(row.note?.predicted);
    if (one.of === "doubt") return target.kind === "nominal" ? percent(row.note?.doubt ?? 0) : `${fixed(row.note?.doubt ?? 0, 1)} sd`;
    if (one.of === "unexpected") return (row.note?.unexpected ?? []).map((value) => `${value.column} ${value.value} (expected ${value.expected})`).join("; ");
    return shown(row.values[one.at]);
  }

  scroller.addEventListener("scroll", () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(drawRows);
  });
  const resized = new ResizeObserver(() => columns.length && drawRows());
  resized.observe(scroller);
  ends.push(() => resized.disconnect());

  function moveTo(i) {
    active = Math.max(0, Math.min(total - 1, i));
    const header = head.offsetHeight;
    const at = active * HIGH;
    if (at < scroller.scrollTop) scroller.scrollTop = at;
    else if (at + HIGH + header > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = at + HIGH + header - scroller.clientHeight + 2;
    drawRows();
  }

  grid.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !readOnly()) return void (event.preventDefault(), undo());
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== grid || !total) return;
    const page = Math.max(1, Math.floor(scroller.clientHeight / HIGH) - 2);
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: total - 1 }[event.key];
    if (to !== undefined) moveTo(to);
    else if (event.key === "Enter" || event.key === " ") show(rowAt(active), true);
    else if (!readOnly() && (event.key === "k" || event.key === "K") && isQueue()) act("keep", rowAt(active));
    else if (!readOnly() && (event.key === "f" || event.key === "F" || event.key === "Delete")) act("forget", rowAt(active));
    else return;
    event.preventDefault();
  });

  // -- selection of rows

  function drawTabs() {
    const left = (name) => (review?.queues[name]?.rows === undefined ? "" : ` (${count(review.queues[name].rows)})`);
    const found = [["", "All rows"], ["suspects", `Suspects${left("suspects")}`], ["outliers", `Unusual rows${left("outliers")}`]];
    if (ask.queue && !isQueue()) found.push([ask.queue, "Selected on the map"]);
    const made = found.map(([queue, text]) => h("button", { type: "button", "aria-pressed": String(ask.queue === queue), onclick: () => ask.queue !== queue && change({ queue, sort: "", descending: false }, { step: true }) }, text));
    if (tabs.childElementCount !== made.length) fill(tabs, made);
    else
      made.forEach((button, i) => {
        const there = tabs.children[i]; // keep unchanged buttons, so that the focus stays
        if (there.textContent !== button.textContent || there.getAttribute("aria-pressed") !== button.getAttribute("aria-pressed")) {
          const focused = there === document.activeElement;
          there.replaceWith(button);
          if (focused) button.focus();
        }
      });
    const acts = readOnly() ? "" : isQueue() ? ", K keeps, F forgets" : ", F forgets";
    keysHelp.textContent = `In the table: arrow keys move, Enter opens a row${acts}${readOnly() ? "" : ", Ctrl Z undoes"}.`;
  }

  function drawCount(page) {
    if (state === "running") return void fill(counted, ask.queue === "outliers" ? "Finding unusual rows …" : "Finding suspects by leave-one-out …");
    if (state === "cancelled") return void fill(counted, "The check was canceled. ", h("button", { type: "button", onclick: checkAgain }, "Check again"));
    const rows = `${count(total)} ${total === 1 ? "row" : "rows"}`;
    const says = {
      suspects: target.kind === "nominal" ? `${rows} whose target may be wrong: similar rows disagree.` : `${rows} whose target is far from the value predicted from the other rows.`,
      outliers: `${rows} with an unusual combination of values.`,
    }[ask.queue];
    const by = page.learner && ask.queue === "suspects" ? ` Found by ${page.learner}.` : "";
    const again = isQueue() && stale ? [" The rows or the learner have changed since this check. ", h("button", { type: "button", onclick: checkAgain }, "Check again")] : [];
    const filtered = ask.search || ask.filters.length ? " that match" : "";
    fill(counted, says ? (total ? says : ask.queue === "outliers" ? "No unusual rows left." : "No suspects left.") : `${rows}${filtered}`, says ? by : "", again);
  }

  async function checkAgain() {
    try {
      await post(`/review/check/${ask.queue}`);
      await reload({ toTop: true });
    } catch (error) {
      context.notify(error);
    }
  }

  // -- filters

  function drawFilters() {
    const all = [target, ...columns];
    const set = (i, to) => change({ filters: ask.filters.map((one, j) => (j === i ? to : one)) });
    const lines = ask.filters.map((one, i) => {
      const column = all.find((each) => each.name === one.column);
      const name = h("strong", {}, one.column);
      const remove = h("button", { type: "button", class: "quiet", "aria-label": `Remove the filter on ${one.column}`, onclick: () => (change({ filters: ask.filters.filter((_, j) => j !== i) }), drawFilters()) }, "×");
      const missing = h("label", { class: "check" }, h("input", { type: "checkbox", checked: one.missing === true, onchange: (event) => (set(i, event.target.checked ? { column: one.column, missing: true } : { column: one.column }), drawFilters()) }), MISSING);
      if (one.missing) return h("div", { class: "filter" }, name, missing, remove);
      if (column.edges || column.kind === "numeric" || column.kind === "date" || column.kind === "circular") {
        const filterBy = (end, value) => later(() => set(i, trimmed({ ...ask.filters[i], [end]: value ?? undefined })));
        const box = (end, label) => {
          const props = { "aria-label": `${one.column} ${label}`, placeholder: label };
          if (column.kind === "date") return h("input", { ...props, type: "date", value: one[end] ?? "", oninput: (event) => filterBy(end, event.target.value || null) });
          const typed = numberField(props, { decimal: column.decimal, change: (value) => filterBy(end, value) });
          typed.show(one[end]);
          return typed.nodes;
        };
        return h("div", { class: "filter" }, name, box("low", "from"), box("high", "to"), missing, remove);
      }
      if (column.values) {
        const select = h("select", { "aria-label": `${one.column} is`, onchange: () => set(i, select.value === "" ? { column: one.column } : { column: one.column, values: [JSON.parse(select.value)] }) }, h("option", { value: "" }, "any value"), column.values.map((value) => h("option", { value: JSON.stringify(value) }, shown(value))));
        if (one.values?.length) select.value = JSON.stringify(one.values[0]);
        return h("div", { class: "filter" }, name, select, missing, remove);
      }
      return h("div", { class: "filter" }, name, missing, remove);
    });
    const add = h("select", { "aria-label": "Add a filter on a column", onchange: () => add.value && (change({ filters: [...ask.filters, { column: add.value }] }), drawFilters()) }, h("option", { value: "" }, "Add a filter …"), all.map((column) => h("option", { value: column.name }, column.name)));
    fill(filterList, lines, h("div", { class: "filter" }, add));
    filterBox.querySelector("summary").textContent = ask.filters.length ? `Filters (${ask.filters.length})` : "Filters";
  }

  const trimmed = (one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined && !Number.isNaN(value)));

  // -- one row

  function show(row, focus = false) {
    if (!row) return;
    openRow = row;
    drawRows();
    drawSide(focus);
    remember();
  }

  let endForm = () => {};

  function drawSide(focus = false) {
    endForm();
    endForm = () => {};
    side.hidden = !openRow;
    if (!openRow) return void fill(side);
    const row = openRow;
    const before = record([[target.name, row.target], ...columns.map((column, a) => [column.name, row.values[a]])]);
    const asked = ownCase(before);
    const reason = reasonOf(row);
    const close = h("button", { type: "button", class: "quiet close", "aria-label": "Close the row", onclick: () => ((openRow = null), drawSide(), drawRows(), remember(), grid.focus()) }, "×");
    const name = nameOf(row);
    const askButton = h("button", { type: "button", onclick: () => (context.asked.replace(Object.fromEntries(columns.map((column, a) => [column.name, row.values[a]])), "rows"), context.go("ask")) }, "Ask");
    if (readOnly()) {
      const facts = h("table", { class: "record" }, h("tbody", {}, Object.entries(before).map(([column, value]) => h("tr", {}, h("th", { scope: "row" }, column), h("td", {}, shown(value))))));
      fill(side, close, h("h2", { tabindex: -1 }, name), reason, h("p", { class: "buttons" }, askButton), facts);
    } else {
      const correct = h("button", { type: "button", class: "primary", disabled: true, onclick: () => send() }, "Correct");
      const send = () => {
        const wrong = wrongNumber(form.root);
        if (wrong) says.textContent = wrong;
        else act("correct", row, differences());
      };
      const differences = () => {
        const now = asked.value();
        return Object.keys(before).filter((column) => !same(before[column] ?? null, now[column] ?? null)).map((column) => [column, now[column] ?? null]);
      };
      const form = caseForm({ asked }, [target, ...columns], { title: name, hasTypical: false });
      form.root.querySelector(".buttons")?.remove();
      const heading = form.root.querySelector("h2");
      heading.tabIndex = -1;
      const says = h("p", { class: "soft", role: "status" });
      const update = () => {
        const n = differences().length;
        correct.disabled = n === 0 || asked.value()[target.name] === undefined;
        says.textContent = n ? `${n} ${n === 1 ? "value is" : "values are"} changed.` : "";
      };
      endForm = asked.subscribe(update);
      const suggested = row.note?.predicted !== undefined && target.kind === "nominal" ? h("button", { type: "button", onclick: () => act("correct", row, [[target.name, row.note.predicted]]) }, `Correct to ${shown(row.note.predicted)}`) : null;
      const keep = isQueue() ? h("button", { type: "button", onclick: () => act("keep", row) }, "Keep") : null;
      const buttons = h("p", { class: "buttons" }, keep, suggested, h("button", { type: "button", class: "danger", onclick: () => act("forget", row) }, "Forget"), askButton);
      heading.after(...[reason, buttons].filter(Boolean));
      fill(side, close, form.root, h("p", { class: "buttons sticky" }, correct, says));
      update();
    }
    if (focus) side.querySelector("h2").focus();
  }

  function reasonOf(row) {
    const lines = [];
    if (row.was !== undefined) lines.push(hasLine(row) ? "Corrected." : `Corrected; the row had the id #${row.was}.`);
    const note = row.note;
    if (note?.predicted !== undefined)
      lines.push(target.kind === "nominal" ? `Without this row, the prediction is ${shown(note.predicted)}, and ${shown(row.target)} has a probability of ${percent(note.doubt)}.` : `Without this row, the prediction is ${number(note.predicted)}, which differs from ${number(row.target)} by ${number(note.doubt, 2)} robust standard deviations.`);
    for (const one of note?.unexpected ?? []) lines.push(`${one.column} is ${one.value}; ${one.expected} was expected from the rest of the row.`);
    return lines.length ? h("div", { class: "reason" }, lines.map((text) => h("p", {}, text))) : null;
  }

  // -- changes

  let busy = false;

  async function act(kind, row, differences = []) {
    if (!row || busy || readOnly()) return;
    busy = true;
    try {
      if (kind === "correct") {
        const body = { id: row.id, values: Object.fromEntries(differences.filter(([name]) => name !== target.name)) };
        const own = differences.find(([name]) => name === target.name);
        if (own) body.target = own[1];
        const made = await post("/review/correct", body);
        context.say(hasLine(row) ? `${nameOf(row)} was corrected.` : `Row #${row.id} was corrected and is now #${made.id}.`);
      } else {
        await post(`/review/${kind}`, { ids: [row.id] });
        context.say(kind === "keep" ? `${nameOf(row)} was kept unchanged.` : `${nameOf(row)} was forgotten.`);
      }
      const hadPanel = openRow !== null;
      openRow = null;
      await changed();
      const next = isQueue() && hadPanel ? rowAt(active) : null;
      if (next) show(next);
      else drawSide();
      remember();
      grid.focus({ preventScroll: true });
    } catch (error) {
      context.notify(error);
    } finally {
      busy = false;
    }
  }

  async function undo() {
    if (busy) return;
    busy = true;
    try {
      const told = await post("/review/undo");
      context.say(`Undone: ${told.undone}.`);
      openRow = null;
      drawSide();
      await changed();
      remember();
    } catch (error) {
      context.notify(error);
    } finally {
      busy = false;
    }
  }

  async function save() {
    try {
      const told = await post("/review/save");
      context.say(savedText(told));
      await about();
    } catch (error) {
      context.notify(error);
    }
  }

  async function changed() {
    await Promise.all([reload(), about()]);
    context.refresh();
  }

  // -- unsaved changes and the score

  let aboutTimer = 0;

  async function about() {
    clearTimeout(aboutTimer);
    try {
      review = await get("/review");
      if (ended) return;
      drawStrip();
      drawTabs();
      const { score } = review;
      if (score.state === "running" || review.stands_in || (score.state === "done" && score.before === null)) aboutTimer = setTimeout(about, AGAIN);
    } catch (error) {
      if (!ended) aboutTimer = setTimeout(about, 4 * AGAIN);
    }
  }

  let settledScore = null; // the last score that was not provisional

  /** Return the score to show and a note: the last score is shown until the new score is available. */
  function scoreToShow() {
    const { score, stands_in: standsIn } = review;
    if (score.state === "done" && !standsIn) settledScore = { ...score, unsaved: review.unsaved };
    const waits = standsIn || score.state === "running";
    if (waits && settledScore) return { score: settledScore, unsaved: settledScore.unsaved, note: ", being computed again …" };
    return { score, unsaved: review.unsaved, note: standsIn ? ", provisional until stacked learners are fitted" : "" };
  }

  function drawStrip() {
    const { unsaved } = review;
    const { score, unsaved: ofUnsaved, note } = scoreToShow();
    const parts = [];
    if (score.state === "done") {
      for (const after of score.after) {
        const before = score.before?.find((one) => one.name === after.name);
        const places = decimals([after.value, before?.value]);
        parts.push(h("div", { class: "score" }, h("span", { class: "soft" }, after.name), h("strong", {}, fixed(after.value, places)), before && ofUnsaved ? difference(before, after, places) : null));
      }
    } else if (score.state === "failed") parts.push(h("span", { class: "soft" }, score.message));
    else parts.push(h("span", { class: "soft" }, score.state === "cancelled" ? "The computation of the score was canceled." : "Computing the leave-one-out score …"));
    const label = h("div", { class: "scorelabel soft" }, `Leave-one-out, ${score.learner ?? ""}${note}`);
    const acts = readOnly()
      ? [h("span", { class: "soft" }, "Read-only"), h("a", { class: "button", href: "/review/table", download: "" }, "Download table")]
      : [
          h("span", { class: unsaved ? "unsaved" : "soft", role: "status" }, unsaved ? `${unsaved} ${unsaved === 1 ? "change" : "changes"} not saved` : review.saved ? `Saved to ${review.saved}` : "No changes"),
          h("button", { type: "button", disabled: !review.undo, title: review.undo ?? "", onclick: undo }, review.undo ? `Undo: ${review.undo}` : "Undo"),
          review.saves ? h("button", { type: "button", class: "primary", onclick: save, title: review.saves }, "Save") : null,
          h("a", { class: "button", href: "/review/model", download: "", title: review.stands_in ? STANDS_IN : null }, "Download model"),
          h("a", { class: "button", href: "/review/table", download: "" }, "Download table"),
        ];
    const focused = strip.contains(document.activeElement) ? document.activeElement.textContent.split(":")[0] : null;
    fill(strip, h("div", { class: "scores" }, label, parts), h("div", { class: "acts" }, acts));
    if (focused) [...strip.querySelectorAll("button, a")].find((one) => one.textContent.split(":")[0] === focused)?.focus();
  }

  function difference(before, after, places) {
    const by = after.value - before.value;
    const better = by === 0 ? "" : by > 0 === after.higher ? "better" : "worse";
    const text = by === 0 ? "unchanged" : `${by > 0 ? "+" : "−"}${fixed(Math.abs(by), places)} ${better}`;
    return h("span", { class: better === "worse" ? "worse" : better }, `was ${fixed(before.value, places)}, ${text}`);
  }

  async function start() {
    try {
      const told = await context.fetched("/columns");
      if (ended) return;
      ({ columns } = told);
      target = { ...told.target, name: told.target.name ?? "target" };
      const row = fromParams();
      drawTabs();
      drawHead();
      about();
      await reload();
      if (row !== null && Number.isInteger(row)) await reopen(row);
      ends.push(
        context.onVersion(refreshAll),
        context.onParams(async () => {
          const open = fromParams();
          openRow = null;
          await reload({ toTop: true });
          if (open !== null) await reopen(open);
          else drawSide();
        }),
      );
    } catch (error) {
      if (!ended) fill(counted, h("span", { class: "wrong" }, error.message));
    }
  }

  async function reopen(id) {
    const found = await get(`/rows/${id}`).catch(() => null);
    if (!found || ended) return void drawSide();
    openRow = { ...found, values: columns.map((column) => found.values[column.name]) };
    drawSide();
    drawRows();
  }

  async function refreshAll() {
    const told = await context.fetched("/columns").catch(() => null);
    if (ended || !told) return;
    ({ columns } = told);
    target = { ...told.target, name: told.target.name ?? "target" };
    reload({ keep: true });
    about();
  }

  side.hidden = true;
  start();
  return () => {
    ended = true;
    for (const one of [timer, pollTimer, aboutTimer]) clearTimeout(one);
    cancelAnimationFrame(frame);
    endForm();
    for (const end of ends) end();
  };
}

const isNumeric = (kind) => kind === "numeric" || kind === "circular";
