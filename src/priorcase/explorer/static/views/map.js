// Map: all rows in two dimensions, based on the model's own distance, with colors, tooltips, and a lasso to select rows.

import { get, packed, post, withOptions } from "../api.js";
import { count, fill, h, MISSING, number, percent, s, shown } from "../dom.js";
import { scatter } from "../scatter.js";

const AGAIN = 400; // milliseconds until the result of a background job is requested again
const LISTED = 50; // selected rows that are listed below
const COLUMNS = 7;
const NEAR = 14; // maximum distance in pixels between the pointer and a point
const STEP = 60;
// Colors from low to high: light to dark in light mode, dark to light in dark mode. Suitable for color-blind users.
const RAMPS = {
  light: [[226, 190, 75], [96, 160, 110], [30, 110, 140], [20, 55, 110]],
  dark: [[60, 92, 160], [50, 150, 165], [130, 200, 120], [250, 228, 100]],
};

export default {
  id: "map",
  title: "Map",
  applies: (status) => status.open.kind === "table" || status.open.kind === "model",
  mount,
};

function mount(root, context) {
  const by = h("select", { id: "map-by", onchange: () => (remember(), color()) });
  const modes = ["move", "select"].map((mode) => h("button", { type: "button", "aria-pressed": "false", dataset: { mode }, onclick: () => setMode(mode) }, mode === "move" ? "Move" : "Lasso"));
  const canvas = h("canvas", { "aria-hidden": "true" });
  const lasso = s("svg", { class: "lasso", "aria-hidden": "true" });
  const cross = h("div", { class: "cross", "aria-hidden": "true", hidden: true });
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  const wait = h("p", { class: "mapwait soft", role: "status" }, "Drawing the map …");
  const help = "Map of all rows. Arrow keys move the map, plus and minus zoom, 0 shows all rows, Enter opens the row in the middle in the Ask view, L selects the rows in view.";
  const place = h("div", { class: "mapplace", tabindex: 0, role: "application", "aria-label": help }, canvas, lasso, cross, tip, wait);
  const legend = h("div", { class: "legend maplegend" });
  const note = h("p", { class: "soft mapnote" });
  const below = h("section", { class: "panel", "aria-labelledby": "map-selected" });
  const buttons = h(
    "div",
    { class: "buttons", role: "group", "aria-label": "How to use the map" },
    modes,
    h("button", { type: "button", onclick: () => selectView() }, "Select rows in view"),
    h("button", { type: "button", "aria-label": "Zoom in", onclick: () => points?.zoom(1.5) }, "+"),
    h("button", { type: "button", "aria-label": "Zoom out", onclick: () => points?.zoom(1 / 1.5) }, "−"),
    h("button", { type: "button", onclick: () => points?.fit(null, !layout?.view) }, "Show all"),
  );
  fill(root, h("div", { class: "map" }, h("div", { class: "controls" }, h("span", { class: "choice" }, h("label", { for: "map-by" }, "Color by"), by), buttons), legend, place, note, below));

  let ended = false;
  let timer = 0;
  let colorTimer = 0;
  let ids = new Uint32Array(0);
  let layout = null;
  let told = null; // the header of the response with the colors
  let values = null;
  let columns = [];
  let selected = new Set();
  let mode = "move";
  let hovered = -1;
  let hasView = false; // whether the view was set, by the address or by the first map
  const ends = [];
  const cases = new Map();

  const points = scatter(canvas, () => (drawCross(), later(remember)));
  if (!points) fill(place, h("p", { class: "mapwait" }, "The map needs WebGL, which this browser does not have. The Rows view lists all rows."));

  // -- places

  async function load(again) {
    clearTimeout(timer);
    try {
      const found = await packed("/map", again ? { again: true } : {});
      if (ended) return;
      if (found.header.state === "running") {
        if (!layout) fill(wait, "Measuring distances …");
        timer = setTimeout(load, AGAIN);
        return;
      }
      if (found.header.state === "cancelled") {
        wait.hidden = false;
        fill(wait, "The map was canceled. ", h("button", { type: "button", onclick: () => load(true) }, "Draw it"));
        return;
      }
      const n = found.header.rows;
      ids = new Uint32Array(found.buffer, found.start, n);
      layout = found.header;
      wait.hidden = true;
      values = null;
      points.setPlaces(new Float32Array(found.buffer, found.start + 4 * n, 2 * n));
      if (points.isHome() || !hasView) points.fit(layout.view ?? null); // rows far from all others are outside
      hasView = true;
      const there = new Set(ids);
      selected = new Set([...selected].filter((id) => there.has(id)));
      cases.clear();
      note.textContent = `${count(n)} rows, placed by ${layout.by}. Rows close to each other are similar; the map explains ${percent(layout.fit)} of the variance of the distances.${outside()}`;
      color();
      drawSelected();
    } catch (error) {
      if (ended) return;
      if (error.status === 503) timer = setTimeout(load, AGAIN);
      else fill(wait, h("span", { class: "wrong" }, error.message));
      wait.hidden = false;
    }
  }

  /** Return a sentence on the rows outside the first view; empty if there are none. */
  function outside() {
    if (!layout.view) return "";
    const [x0, x1, y0, y1] = layout.view;
    const places = points.places();
    let n = 0;
    for (let i = 0; i < places.length; i += 2) if (places[i] < x0 || places[i] > x1 || places[i + 1] < y0 || places[i + 1] > y1) n += 1;
    return n ? ` ${count(n)} ${n === 1 ? "row lies" : "rows lie"} outside the first view. Click Show all to see ${n === 1 ? "it" : "them"}.` : "";
  }

  // -- colors

  async function color() {
    clearTimeout(colorTimer);
    if (!layout) return;
    const wanted = by.value;
    try {
      const found = await packed("/map/colors", { by: wanted });
      if (ended || wanted !== by.value) return;
      if (found.header.state !== "done") {
        values = null;
        told = null;
        paint();
        fill(legend, h("span", { class: "soft", role: "status" }, found.header.state === "cancelled" ? `The computation of the ${found.header.name} was canceled.` : `Computing the ${found.header.name} …`));
        if (found.header.state === "running") colorTimer = setTimeout(color, AGAIN);
        return;
      }
      told = found.header;
      values = new Float32Array(found.buffer, found.start);
      if (values.length !== ids.length) return void load(); // the rows have changed in the meantime
      paint();
      drawLegend();
    } catch (error) {
      if (ended) return;
      values = told = null;
      paint();
      fill(legend, h("span", { class: "wrong" }, error.message));
    }
  }

  const isDark = () => getComputedStyle(document.documentElement).colorScheme === "dark";
  const ramp = () => RAMPS[isDark() ? "dark" : "light"];

  function palette() {
    const style = getComputedStyle(document.documentElement);
    return [0, 1, 2, 3, 4, 5].map((i) => rgb(style.getPropertyValue(`--c${i}`).trim()));
  }

  function paint() {
    if (!points || !layout) return;
    const made = new Uint8Array(4 * ids.length);
    const own = palette();
    const steps = ramp();
    const [low, high] = told ? [told.low, told.high] : [0, 1];
    const solid = ids.length > 5000 ? 150 : 205;
    for (let i = 0; i < ids.length; i += 1) {
      const value = values ? values[i] : NaN;
      let at = own[5];
      let alpha = solid;
      if (Number.isNaN(value)) alpha = values ? 90 : solid;
      else if (told.categories) at = own[value];
      else at = between(steps, high > low ? (value - low) / (high - low) : 0.5);
      if (selected.size) alpha = selected.has(ids[i]) ? 255 : alpha * 0.22;
      made.set(at, 4 * i);
      made[4 * i + 3] = alpha;
    }
    points.setColors(made);
  }

  function drawLegend() {
    const missing = told.missing ? h("li", {}, h("span", { class: "swatch c5 faint" }), `${MISSING} (${count(told.missing)})`) : null;
    if (told.categories) {
      const items = told.categories.map((name, i) => h("li", {}, h("span", { class: `swatch c${i}` }), `${name} (${count(told.counts[i])})`));
      return void fill(legend, h("ul", { class: "legend", "aria-label": told.name }, items, missing));
    }
    const texts = told.texts ?? [number(told.low, 3), number(told.high, 3)];
    const bar = h("span", { class: "gradient", "aria-hidden": "true" });
    bar.style.background = `linear-gradient(to right, ${ramp().map((one) => `rgb(${one.join(" ")})`).join(", ")})`;
    fill(legend, h("span", { class: "ramp soft" }, told.name, h("span", {}, `≤ ${texts[0]}`), bar, h("span", {}, `≥ ${texts[1]}`)), missing ? h("ul", { class: "legend" }, missing) : null);
  }

  // -- one row: under the pointer, or nearest to the middle

  async function caseOf(id) {
    if (!cases.has(id)) {
      if (cases.size > 500) cases.clear();
      const found = get(`/rows/${id}`);
      found.catch(() => cases.delete(id));
      cases.set(id, found);
    }
    return cases.get(id);
  }

  async function hover(at, px, py) {
    if (at === hovered && !tip.hidden) return void placeTip(px, py);
    hovered = at;
    place.classList.toggle("over", at >= 0);
    if (at < 0) return void (tip.hidden = true);
    const id = ids[at];
    try {
      const found = await caseOf(id);
      if (ended || hovered !== at) return;
      const names = order(found.values).slice(0, COLUMNS);
      const more = columns.length - names.length;
      fill(
        tip,
        h("p", {}, h("strong", {}, context.place(id)), " ", h("span", { class: "soft" }, `${target()}:`), " ", h("strong", {}, shown(found.target)), told && !told.categories && values ? h("span", { class: "soft" }, ` · ${told.name} ${told.texts ? "" : number(values[at], 3)}`) : null),
        h("dl", {}, names.map((name) => h("div", {}, h("dt", {}, name), h("dd", {}, shown(found.values[name]))))),
        more > 0 ? h("p", { class: "soft" }, `and ${more} more columns`) : null,
      );
      tip.hidden = false;
      placeTip(px, py);
    } catch (error) {
      tip.hidden = true;
      if (error.status !== 404) context.notify(error);
    }
  }

  const order = (row) => Object.keys(row).sort((a, b) => (row[a] === null) - (row[b] === null));
  const target = () => context.status().open.target ?? "target";

  function placeTip(px, py) {
    const wide = tip.offsetWidth;
    const tall = tip.offsetHeight;
    tip.style.left = `${Math.max(4, px + wide + 24 > place.clientWidth ? px - wide - 14 : px + 14)}px`;
    tip.style.top = `${Math.max(4, Math.min(py + 14, place.clientHeight - tall - 4))}px`;
  }

  async function open(at) {
    if (at < 0) return;
    try {
      const found = await caseOf(ids[at]);
      if (ended) return;
      remember();
      context.asked.replace(found.values, "map");
      context.go("ask");
    } catch (error) {
      context.notify(error);
    }
  }

  // -- pointers

  let down = null;
  let trace = [];
  const touches = new Map();
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function drawTrace() {
    fill(lasso, trace.length > 1 ? s("polygon", { points: trace.map((one) => one.join(",")).join(" ") }) : null);
  }

  place.addEventListener("pointerdown", (event) => {
    if (!points || event.button !== 0 || event.target.closest("button")) return;
    touches.set(event.pointerId, at(event));
    place.setPointerCapture(event.pointerId);
    down = { from: at(event), last: at(event), selects: mode === "select" || event.shiftKey, moved: false };
    cross.hidden = true;
    if (down.selects) trace = [at(event)];
  });
  place.addEventListener("pointermove", (event) => {
    if (!points || !layout) return;
    const now = at(event);
    if (touches.size === 2 && touches.has(event.pointerId)) {
      const [one, other] = [...touches.entries()].map(([id, xy]) => (id === event.pointerId ? now : xy));
      const before = [...touches.values()];
      const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
      points.zoom(apart(one, other) / apart(...before), (one[0] + other[0]) / 2, (one[1] + other[1]) / 2);
      touches.set(event.pointerId, now);
      if (down) down.moved = true;
      return;
    }
    if (!down) return void hover(points.nearest(...now, NEAR), ...now);
    touches.set(event.pointerId, now);
    if (Math.hypot(now[0] - down.from[0], now[1] - down.from[1]) > 4) down.moved = true;
    if (down.selects) {
      trace.push(now);
      drawTrace();
    } else if (down.moved) {
      hover(-1);
      points.pan(now[0] - down.last[0], now[1] - down.last[1]);
    }
    down.last = now;
  });
  const up = (event) => {
    touches.delete(event.pointerId);
    if (!down) return;
    const { selects, moved: hasMoved, from } = down;
    down = null;
    const corners = trace;
    trace = [];
    drawTrace();
    if (event.type === "pointercancel" || !layout) return;
    if (selects && hasMoved) select(points.within(corners));
    else if (!hasMoved && selects) select([]);
    else if (!hasMoved && !touches.size) open(points.nearest(...from, NEAR));
  };
  place.addEventListener("pointerup", up);
  place.addEventListener("pointercancel", up);
  place.addEventListener("pointerleave", () => hover(-1));
  place.addEventListener(
    "wheel",
    (event) => {
      if (!points) return;
      event.preventDefault();
      points.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), ...at(event));
      hover(-1);
    },
    { passive: false },
  );

  // -- keys

  /** Draw a ring around the row nearest to the middle. */
  function drawCross() {
    if (cross.hidden || !points || !layout) return;
    const nearest = points.nearest(canvas.clientWidth / 2, canvas.clientHeight / 2, 1e6);
    const [px, py] = nearest < 0 ? [-99, -99] : points.toPixels(points.places()[2 * nearest], points.places()[2 * nearest + 1]);
    const inside = px >= 0 && py >= 0 && px <= canvas.clientWidth && py <= canvas.clientHeight;
    cross.style.left = `${px - 9}px`;
    cross.style.top = `${py - 9}px`;
    hover(inside ? nearest : -1, px, py);
  }

  place.addEventListener("keydown", (event) => {
    if (!points || event.ctrlKey || event.metaKey || event.altKey || event.target !== place) return;
    const moves = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
    if (moves[event.key]) points.pan(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") points.zoom(1.4);
    else if (event.key === "-") points.zoom(1 / 1.4);
    else if (event.key === "0") points.fit(null, !layout?.view);
    else if (event.key === "l" || event.key === "L") selectView();
    else if (event.key === "Escape") select([]);
    else if (event.key === "Enter") return void open(hovered);
    else return;
    event.preventDefault();
    cross.hidden = false;
    drawCross();
  });
  place.addEventListener("blur", () => ((cross.hidden = true), hover(-1)));

  function setMode(to) {
    mode = to;
    for (const button of modes) button.setAttribute("aria-pressed", String(button.dataset.mode === to));
    place.classList.toggle("selects", to === "select");
    remember();
  }

  // -- selected rows

  function selectView() {
    if (!points || !layout) return;
    const [wide, tall] = [canvas.clientWidth, canvas.clientHeight];
    select(points.within([[0, 0], [wide, 0], [wide, tall], [0, tall]]));
  }

  async function select(numbers) {
    selected = new Set(numbers.map((i) => ids[i]));
    paint();
    await drawSelected();
    if (selected.size) below.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  let selection = "";

  async function drawSelected() {
    if (!selected.size) {
      selection = "";
      remember();
      return void fill(below, h("h2", { id: "map-selected" }, "Selected rows"), h("p", { class: "soft" }, "Draw around rows with Lasso, or hold Shift and drag, to list these rows here. Click a row to open it in Ask."));
    }
    try {
      const wanted = [...selected];
      selection = (await post("/rows/selection", { ids: wanted })).selection;
      const page = await get("/rows", { queue: selection, limit: LISTED });
      if (ended) return;
      remember();
      drawTable(page);
    } catch (error) {
      if (!ended) context.notify(error);
    }
  }

  function drawTable(page) {
    const names = columns.map((column) => column.name);
    const link = withOptions("", { queue: selection });
    const table = h(
      "table",
      {},
      h("caption", { class: "hidden" }, "Selected rows"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "row"), h("th", { scope: "col" }, target()), names.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, page.rows.map((row) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => (context.asked.replace(Object.fromEntries(names.map((name, a) => [name, row.values[a]])), "map"), context.go("ask")) }, context.place(row.was ?? row.id))), h("td", {}, h("strong", {}, shown(row.target))), row.values.map((value) => h("td", { title: shown(value) }, shown(value)))))),
    );
    fill(
      below,
      h("h2", { id: "map-selected", "aria-live": "polite" }, `${count(page.total)} selected ${page.total === 1 ? "row" : "rows"}`),
      h("p", { class: "buttons" }, h("a", { class: "button", href: `#/rows${link}`, onclick: (event) => (event.preventDefault(), context.go("rows", { queue: selection })) }, "Show them in Rows"), h("button", { type: "button", onclick: () => select([]) }, "Clear")),
      h("div", { class: "scroll selectedrows", tabindex: 0, role: "region", "aria-label": "Selected rows, table" }, table),
      page.total > page.rows.length ? h("p", { class: "soft" }, `The first ${page.rows.length} rows; the Rows view shows all of them.`) : null,
    );
  }

  // -- state that a reload and the back button keep

  let waiting = 0;
  const later = (work) => {
    clearTimeout(waiting);
    waiting = setTimeout(work, 250);
  };

  function remember() {
    clearTimeout(waiting);
    if (ended || !points || !by.value) return;
    const { x, y, scale } = points.view;
    const own = { by: by.value };
    if (mode === "select") own.mode = mode;
    if (!points.isHome() && hasView) own.view = [x, y, scale].map((one) => Number(one.toPrecision(5))).join(",");
    if (selection) own.selection = selection;
    context.setParams(own);
  }

  async function start() {
    try {
      const found = await context.fetched("/columns");
      if (ended) return;
      ({ columns } = found);
      const options = [["target", `${found.target.name ?? "target"} (target)`], ["error", "leave-one-out error"], ["outliers", "outlier score"], ...columns.map((column) => [`column:${column.name}`, column.name])];
      fill(by, options.map(([value, text]) => h("option", { value }, text)));
      const params = context.params();
      by.value = options.some(([value]) => value === params.by) ? params.by : "target";
      setMode(params.mode === "select" ? "select" : "move");
      if (points && params.view) {
        const [x, y, scale] = params.view.split(",").map(Number);
        if ([x, y, scale].every(Number.isFinite)) points.look(x, y, scale), (hasView = true);
      }
      if (params.selection) {
        const page = await get("/rows", { queue: params.selection, limit: 500 }).catch(() => null);
        if (page) {
          const all = [...page.rows];
          while (all.length < page.total) all.push(...(await get("/rows", { queue: params.selection, limit: 500, offset: all.length })).rows);
          selected = new Set(all.map((row) => row.id));
        }
      }
      if (ended) return;
      if (points) load();
      drawSelected();
      const scheme = matchMedia("(prefers-color-scheme: dark)");
      const repaint = () => (paint(), told && drawLegend());
      const watcher = new MutationObserver(repaint);
      watcher.observe(document.documentElement, { attributeFilter: ["data-theme"] });
      scheme.addEventListener("change", repaint);
      ends.push(context.onVersion(() => load()), () => watcher.disconnect(), () => scheme.removeEventListener("change", repaint));
    } catch (error) {
      if (!ended) fill(wait, h("span", { class: "wrong" }, error.message));
    }
  }

  start();
  return () => {
    ended = true;
    clearTimeout(timer);
    clearTimeout(colorTimer);
    clearTimeout(waiting);
    points?.end();
    for (const end of ends) end();
  };
}

const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

function between(steps, share) {
  const at = Math.max(0, Math.min(1, share)) * (steps.length - 1);
  const i = Math.min(steps.length - 2, Math.floor(at));
  return steps[i].map((one, c) => Math.round(one + (at - i) * (steps[i + 1][c] - one)));
}
