// The frame around the views: navigation, the open file, the current learner, and background jobs.

import { connection, get, isAbort, openFile, post, Problem, STOPPED } from "./api.js";
import * as asked from "./case.js";
import { count, fill, h, visible } from "./dom.js";
import { opener } from "./parts.js";
import ask from "./views/ask.js";
import cases from "./views/cases.js";
import columns from "./views/columns.js";
import conversation from "./views/conversation.js";
import export_ from "./views/export.js";
import history_ from "./views/history.js";
import map from "./views/map.js";
import rows from "./views/rows.js";
import learners from "./views/learners.js";
import solve from "./views/solve.js";
import whatIf from "./views/what_if.js";

// A view is {id, title, applies(status), mount(root, context) -> unmount}; views are listed in this order.
const VIEWS = [ask, solve, conversation, cases, history_, whatIf, map, rows, columns, learners, export_];

const at = (id) => document.getElementById(id);
let status = null;
let shownView = null;
let shownNothing = null; // text shown while no view applies
let unmount = () => {};
let params = {};
let cache = { version: -1, values: new Map() };
const dismissed = new Set(); // ids of failed jobs that are no longer shown
let lines = null; // line numbers of the rows in the file of the table
const versionListeners = new Set();
const paramsListeners = new Set();

// -- the context passed to views

const context = {
  status: () => status,
  params: () => params,
  asked,
  /** Get a document, cached until the model or its rows change. */
  async fetched(path) {
    if (cache.version !== status.version) cache = { version: status.version, values: new Map() };
    if (!cache.values.has(path)) {
      const found = get(path);
      found.catch(() => cache.values.delete(path));
      cache.values.set(path, found);
    }
    return cache.values.get(path);
  },
  /** Return the name of a row: its line in the file, or its id if it has no line, such as an added row. */
  place(id) {
    const first = lines?.origins[id] ?? id;
    if (!lines || first >= lines.rows) return `#${id}`;
    let [low, high] = [0, lines.runs.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (lines.runs[middle][0] <= first) low = middle;
      else high = middle - 1;
    }
    const [id0, line0] = lines.runs[low];
    return `line ${count(line0 + first - id0)}`;
  },
  /** Show a view with the given parameters. */
  go(id, own = {}) {
    history.pushState(null, "", address(id, own));
    route();
  },
  /** Change the parameters of the current view without adding a history entry. */
  setParams(own) {
    params = own;
    history.replaceState(null, "", address(shownView.id, own));
  },
  /** Call a function when a link or the back button changes the parameters of the current view; return a function that removes it. */
  onParams(listener) {
    paramsListeners.add(listener);
    return () => paramsListeners.delete(listener);
  },
  /** Request the status immediately, because something has changed. */
  refresh: () => refresh(),
  /** Call a function when the model or its rows have changed; return a function that removes it. */
  onVersion(listener) {
    versionListeners.add(listener);
    return () => versionListeners.delete(listener);
  },
  /** Hide the notice of a failed job, because the view shows the error. */
  dismiss(job) {
    if (dismissed.has(job.id)) return;
    dismissed.add(job.id);
    showStatus();
  },
  notify,
  say,
};

/** Show the message of an error. */
function notify(error) {
  if (isAbort(error)) return;
  if (!(error instanceof Problem)) throw error;
  if (!connection.lost) say(error.message); // otherwise the page already shows that the explorer has stopped
}

/** Show a message for a few seconds. */
function say(text) {
  const notice = at("notice");
  notice.textContent = visible(text);
  notice.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (notice.hidden = true), 8000);
}

// -- addresses: #/ask?case={...}&...

function address(id, own = {}) {
  const query = new URLSearchParams(own);
  if (!asked.isUntouched()) query.set("case", JSON.stringify(asked.value()));
  const text = query.toString();
  return `#/${id}${text ? `?${text}` : ""}`;
}

function read() {
  const [, id, text] = /^#\/([a-z-]*)(?:\?(.*))?$/.exec(location.hash) ?? [null, "", ""];
  const query = new URLSearchParams(text ?? "");
  const written = query.get("case");
  query.delete("case");
  params = Object.fromEntries(query);
  if (written !== null && written !== JSON.stringify(asked.value())) {
    try {
      const found = JSON.parse(written);
      if (found && typeof found === "object" && !Array.isArray(found)) asked.replace(found, "address");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error; // ignore an incomplete address
    }
  }
  return id;
}

// Sources of changes by a single click, which the back button undoes; typing and sliders add no history entries.
const STEPS = new Set(["form", "turns", "curve"]);

asked.subscribe((_, source) => {
  if (source !== "address" && shownView) {
    const to = address(shownView.id, params);
    if (STEPS.has(source) && to !== location.hash) history.pushState(null, "", to);
    else history.replaceState(null, "", to);
  }
  links();
});

// -- views

const applying = () => VIEWS.filter((view) => status && status.open.kind !== "nothing" && view.applies(status));

function links() {
  const found = applying().map((view) =>
    h("a", { href: address(view.id), "aria-current": view === shownView ? "page" : null }, view.title),
  );
  const nav = at("views");
  if (nav.childElementCount !== found.length) fill(nav, found);
  else
    found.forEach((link, i) => {
      const there = nav.children[i]; // keep the element, so that the focus does not move
      there.textContent = link.textContent;
      there.setAttribute("href", link.getAttribute("href"));
      if (link.hasAttribute("aria-current")) there.setAttribute("aria-current", "page");
      else there.removeAttribute("aria-current");
    });
}

/** Show that nothing is open, and why. */
function showNothing(root) {
  const { problem, kind } = status?.open ?? {};
  const text = problem || (kind && kind !== "nothing" ? "There is no view for this type of file." : "Opening …");
  if (text === shownNothing) return; // keep the focus
  shownNothing = text;
  const next = (file) => openFile(file).then(refresh, notify);
  if (problem) fill(root, h("div", { class: "card" }, h("h2", {}, "The file could not be opened"), h("p", { role: "alert" }, problem), !status.read_only && opener(next)));
  else fill(root, h("p", { class: "soft" }, text));
}

function route() {
  const id = read();
  const views = applying();
  const root = at("view");
  if (!views.length) {
    unmount();
    unmount = () => {};
    shownView = null;
    showNothing(root);
    links();
    return;
  }
  shownNothing = null;
  const view = views.find((one) => one.id === id) ?? views[0];
  if (view !== shownView) {
    unmount();
    shownView = view;
    fill(root);
    document.title = visible(`${view.title} · ${status.open.name}`);
    unmount = view.mount(root, context) ?? (() => {});
  } else for (const listener of paramsListeners) listener();
  links();
}

// -- what is open, the current learner, and jobs

function showStatus() {
  const { open, learner, jobs, stands_in: standsIn } = status;
  at("name").textContent = visible(open.name || "priorcase");
  const rows = open.rows === null ? "" : `${count(open.rows)} ${open.kind === "cases" ? "case" : "row"}${open.rows === 1 ? "" : "s"}`;
  const aside = open.set_aside ? `${count(open.set_aside)} not used (no target)` : "";
  at("about").textContent =
    [open.target && `predicts ${visible(open.target)}`, rows, aside].filter(Boolean).join(" · ") || (open.problem ? "" : "Opening …");
  at("learner").title = standsIn ? "Stacked learners are being fitted and will replace k-NN when they are ready." : "";
  at("learner").textContent = learner ? `Predicted by ${learner.title}${standsIn ? " for now" : ""}` : "";
  const running = jobs.filter((job) => job.state === "running");
  const isOld = (job) => jobs.some((other) => other.name === job.name && other.id > job.id); // the job was started again
  const isShown = (job) => open.kind === "nothing" && job.message === open.problem; // the view shows the error
  const failed = jobs.filter((job) => job.state === "failed" && !dismissed.has(job.id) && !isOld(job) && !isShown(job));
  const place = at("jobs");
  place.hidden = !(running.length + failed.length);
  fill(place, running.map(jobLine), failed.map(jobLine));
}

function jobLine(job) {
  const isRunning = job.state === "running";
  const bar = h("progress", { max: 1, "aria-label": job.name });
  if (job.progress !== null) bar.value = job.progress;
  const end = isRunning
    ? h("button", { type: "button", onclick: () => post(`/jobs/${job.id}/cancel`).then(refresh, notify) }, "Cancel")
    : h("button", { type: "button", onclick: () => (dismissed.add(job.id), showStatus()) }, "Dismiss");
  const message = isRunning ? (job.progress === null ? job.message : `${Math.round(100 * job.progress)}%, ${job.message}`) : job.message;
  return h("div", { class: isRunning ? "job running" : "job", title: isRunning ? `${job.name}: ${message}` : null }, h("span", { class: "grow" }, h("strong", {}, job.name), " ", h("span", { class: "soft" }, message)), isRunning && bar, end);
}

// Milliseconds until the status is requested again: while a file is being opened, while jobs run, and otherwise.
const OPENING = 60;
const BUSY = 300;
const CALM = 2500;
const PATIENCE = 7; // number of retries after the explorer has stopped; the waiting time doubles with each retry

let timer = 0;
let looked = 0;

connection.changed = () => {
  const stopped = at("stopped");
  stopped.textContent = STOPPED;
  stopped.hidden = !connection.lost;
  looked = 0;
  if (connection.lost) at("jobs").hidden = true;
  else refresh.shown = null;
  if (connection.lost) timer = (clearTimeout(timer), setTimeout(refresh, 1000));
};

addEventListener("focus", () => connection.lost && refresh());

async function refresh() {
  clearTimeout(timer);
  try {
    const [before, wasLost] = [status, connection.lost];
    const next = await get("/status");
    if (before === null || before.version !== next.version) lines = next.open.kind === "table" ? await get("/lines") : null;
    status = next;
    const text = JSON.stringify([status.open, status.learner, status.stands_in, status.jobs.map((job) => ({ ...job, seconds: 0 }))]);
    if (text !== refresh.shown) showStatus();
    refresh.shown = text;
    if (before === null || !shownView || before.open.kind !== status.open.kind) route();
    if (before !== null && (before.version !== status.version || wasLost)) for (const listener of versionListeners) listener();
  } catch (error) {
    notify(error);
  }
  clearTimeout(timer);
  if (connection.lost) {
    looked += 1;
    if (looked <= PATIENCE) timer = setTimeout(refresh, 1000 * 2 ** (looked - 1)); // after that, retry only when the window gets the focus
    return;
  }
  const opening = status !== null && status.open.kind === "nothing" && !status.open.problem;
  const busy = status === null || status.jobs.some((job) => job.state === "running");
  timer = setTimeout(refresh, opening ? OPENING : busy ? BUSY : CALM);
}

// -- light and dark

function theme(to) {
  if (to) document.documentElement.dataset.theme = to;
  else delete document.documentElement.dataset.theme;
}

theme(localStorage.getItem("priorcase-theme"));
at("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const to = dark ? "light" : "dark";
  localStorage.setItem("priorcase-theme", to);
  theme(to);
});

addEventListener("hashchange", route);
addEventListener("popstate", route);
refresh();
