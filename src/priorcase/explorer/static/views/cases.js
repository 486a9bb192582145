// Cases: a list with a search and conditions, and one case with its history and possible changes.

import { get, isAbort, post } from "../api.js";
import { count, fill, h } from "../dom.js";
import { moment, pager, panel, told } from "../parts.js";
import { addForm, editForm, feedbackForm, forgetForm } from "../case_forms.js";
import { events } from "./history.js";

const LIMIT = 50;
const SOON = 200; // milliseconds between a keystroke and the request for the list
const COLUMNS = 6;

export default { id: "cases", title: "Cases", applies: (status) => status.open.kind === "cases", mount };

function mount(root, context) {
  let shown = null; // the current page: {update, end}
  let key = null;
  let ended = false;

  function show() {
    const { id, add, edit } = context.params();
    const next = add ? "add" : id ? `${edit ? "edit" : "case"} ${id}` : "list";
    if (next === key) return void shown?.update?.();
    shown?.end?.();
    key = next;
    shown = add ? adding(root, context) : id ? (edit ? editing(root, context, id) : oneCase(root, context, id)) : list(root, context);
  }

  const ends = [context.onParams(show), context.onVersion(() => !ended && shown?.update?.())];
  show();
  return () => {
    ended = true;
    shown?.end?.();
    for (const end of ends) end();
  };
}

// -- the list

function list(root, context) {
  const search = h("input", { type: "search", id: "case-search", placeholder: "words anywhere in a case", autocomplete: "off", oninput: () => later() });
  const condition = h("input", { type: "text", id: "case-condition", placeholder: "people>=5, area=printer|vpn, system=?", autocomplete: "off", "aria-describedby": "condition-wrong" });
  const wrong = h("p", { class: "wrong", id: "condition-wrong", role: "alert" });
  const chips = h("ul", { class: "chips", "aria-label": "Conditions" });
  const body = h("div", { class: "body" }, h("p", { class: "soft" }, "Reading the cases …"));
  const narrow = h(
    "form",
    { class: "narrow", role: "search", onsubmit: (event) => (event.preventDefault(), addCondition()) },
    h("div", { class: "choice" }, h("label", { for: "case-search" }, "Search"), search),
    h("div", { class: "choice" }, h("label", { for: "case-condition" }, "Condition"), condition, h("button", { type: "submit" }, "Add condition")),
  );
  const add = !context.status().read_only && h("button", { type: "button", onclick: () => context.go("cases", { add: 1 }) }, "Add a case …");
  fill(root, h("section", { class: "panel wide", "aria-labelledby": "cases-title" }, h("div", { class: "titled" }, h("h2", { id: "cases-title" }, "Cases"), add), narrow, chips, wrong, body));
  let timer = 0;
  let turn = 0;
  let ended = false;

  const where = () => {
    try {
      const found = JSON.parse(context.params().where ?? "[]");
      return Array.isArray(found) ? found.map(String) : [];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return [];
    }
  };
  const params = ({ words = search.value.trim(), conditions = where(), offset = 0 } = {}) => ({ ...(words && { words }), ...(conditions.length && { where: JSON.stringify(conditions) }), ...(offset && { offset }) });

  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      context.setParams(params());
      load();
    }, SOON);
  }

  async function addCondition() {
    const text = condition.value.trim();
    if (!text) return;
    try {
      await get("/cases/search", { where: [text], limit: 1 }); // raises an error if the condition is not valid
      if (ended) return;
      condition.value = "";
      fill(wrong);
      context.go("cases", params({ conditions: [...where(), text] }));
    } catch (error) {
      if (!ended) fill(wrong, error.message);
    }
  }

  async function load() {
    const own = (turn += 1);
    const { words, offset } = context.params();
    if (document.activeElement !== search) search.value = words ?? "";
    fill(chips, where().map((text, i) => h("li", {}, text, h("button", { type: "button", class: "quiet", "aria-label": `Remove the condition ${text}`, onclick: () => context.go("cases", params({ conditions: where().filter((_, j) => j !== i) })) }, "×"))));
    try {
      const found = await get("/cases/search", { words, where: where(), offset: Number(offset) || 0, limit: LIMIT });
      if (ended || own !== turn) return;
      const what = found.met === found.total ? "cases" : `cases that match, ${count(found.total)} in all`;
      const pages = pager({ offset: Number(offset) || 0, limit: LIMIT, total: found.met, what, go: (to) => context.go("cases", params({ offset: to })) });
      fill(body, pages, found.cases.length > 0 && table(found.cases));
    } catch (error) {
      if (!ended && !isAbort(error)) fill(body, h("p", { class: "wrong" }, error.message));
    }
  }

  load();
  return {
    update: load,
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

function table(cases) {
  const names = Object.keys(cases[0].values).slice(0, COLUMNS);
  const hasKeys = cases.some((one) => one.key !== null);
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cases, table" },
    h(
      "table",
      { class: "listed" },
      h("thead", {}, h("tr", {}, ["case", ...(hasKeys ? ["key"] : []), "solution", "outcome", ...names].map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        cases.map((one) =>
          h(
            "tr",
            { class: one.retired ? "soft" : null },
            h("td", {}, h("a", { href: `#/cases?id=${one.id}` }, `#${one.id}`), one.retired && " retired"),
            hasKeys && h("td", {}, one.key ?? "–"),
            h("td", { title: told(one.solution) }, h("strong", {}, told(one.solution))),
            h("td", {}, told(one.outcome)),
            names.map((name) => h("td", { class: "soft", title: told(one.values[name]) }, told(one.values[name]))),
          ),
        ),
      ),
    ),
  );
}

// -- one case

function oneCase(root, context, id) {
  const values = panel(`Case #${id}`, "values");
  const feedback = panel("Feedback", "feedback");
  const history = panel("History of this case", "log");
  const mayChange = !context.status().read_only;
  fill(root, h("p", { class: "crumb" }, h("a", { href: "#/cases" }, "← All cases")), h("div", { class: "one" }, h("div", { class: "left" }, values.root), h("div", { class: "right" }, mayChange && feedback.root, history.root)));
  let ended = false;
  let formOf = null; // the state of the case for which the feedback form was created

  async function load() {
    try {
      const found = await get(`/cases/${encodeURIComponent(id)}`);
      if (ended) return;
      drawValues(found);
      fill(history.body, events(found.history.toReversed(), true));
      const same = JSON.stringify([found.solution, found.outcome, found.revised_at]);
      if (!mayChange || formOf === same) return; // keep the form, since the user may be typing
      formOf = same;
      const columns = await context.fetched("/cases/columns");
      if (!ended) fill(feedback.body, feedbackForm(found, columns, async (change) => (await post(`/cases/${found.id}/feedback`, change), context.refresh(), load())));
    } catch (error) {
      if (ended || isAbort(error)) return;
      fill(values.body, h("p", { class: "wrong", role: "alert" }, error.message));
      fill(feedback.body);
      fill(history.body);
    }
  }

  function drawValues(found) {
    const row = (name, value, props) => h("tr", props, h("th", { scope: "row" }, name), h("td", {}, value));
    const since = [["key", found.key], ["added", found.added_at && moment(found.added_at)], ["by", found.by], ["why", found.why], ["revised", found.revised_at && moment(found.revised_at)], ["retired", found.retired ? "yes" : null]];
    const forget = async (reason) => {
      await post(`/cases/${found.id}/forget`, reason);
      context.refresh();
      context.go("cases");
      context.say(`Case #${found.id} was forgotten.`);
    };
    fill(
      values.body,
      h(
        "table",
        { class: "record", "aria-label": `Case ${found.id}` },
        h("tbody", {}, row("solution", h("strong", {}, told(found.solution)), { class: "target" }), row("outcome", told(found.outcome)), Object.entries(found.values).map(([name, value]) => row(name, told(value))), since.filter(([, value]) => value).map(([name, value]) => row(name, value, { class: "soft" }))),
      ),
      found.notes.length > 0 && h("h3", {}, "Notes"),
      found.notes.length > 0 && h("ul", { class: "notes" }, found.notes.map((note) => h("li", {}, note.text, h("span", { class: "soft" }, ` ${[note.by, moment(note.at)].filter(Boolean).join(", ")}`)))),
      mayChange && h("p", { class: "buttons" }, h("button", { type: "button", onclick: () => context.go("cases", { id: found.id, edit: 1 }) }, "Edit …"), h("button", { type: "button", class: "danger", onclick: () => forgetForm(found, forget) }, "Forget …")),
    );
  }

  load();
  return { update: load, end: () => (ended = true) };
}

// -- forms on separate pages

function adding(root, context) {
  let ended = false;
  fill(root, h("p", { class: "soft" }, "Reading the columns …"));
  context.fetched("/cases/columns").then(
    (columns) => {
      if (ended) return;
      const { solution } = context.params();
      const send = async (body) => {
        const { id } = await post("/cases", body);
        context.refresh();
        context.go("cases", { id });
      };
      fill(root, h("p", { class: "crumb" }, h("a", { href: "#/cases" }, "← All cases")), addForm(columns, solution === undefined ? {} : context.asked.value(), parsed(solution), send));
    },
    (error) => !ended && fill(root, h("p", { class: "wrong" }, error.message)),
  );
  return { end: () => (ended = true) };
}

function editing(root, context, id) {
  let ended = false;
  fill(root, h("p", { class: "soft" }, "Reading the case …"));
  Promise.all([context.fetched("/cases/columns"), get(`/cases/${encodeURIComponent(id)}`)]).then(
    ([columns, found]) => {
      if (ended) return;
      const send = async (body) => {
        await post(`/cases/${found.id}/feedback`, body);
        context.refresh();
        context.go("cases", { id: found.id });
      };
      fill(root, h("p", { class: "crumb" }, h("a", { href: `#/cases?id=${found.id}` }, `← Case #${found.id}`)), editForm(columns, found, send));
    },
    (error) => !ended && fill(root, h("p", { class: "wrong", role: "alert" }, error.message)),
  );
  return { end: () => (ended = true) };
}

function parsed(text) {
  try {
    return text === undefined ? null : JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
