// History: what changed in the case base, when, by whom and why. Entries of a forgotten case have no author and no reason,
// except for the entry that records that the case was forgotten.

import { get, isAbort } from "../api.js";
import { fill, h } from "../dom.js";
import { moment, pager } from "../parts.js";

const LIMIT = 50;

export default { id: "history", title: "History", applies: (status) => status.open.kind === "cases", mount };

function mount(root, context) {
  const place = h("div", { class: "body" }, h("p", { class: "soft" }, "Reading the history …"));
  fill(root, h("section", { class: "panel wide", "aria-labelledby": "history-title" }, h("h2", { id: "history-title" }, "History of the case base"), place));
  let ended = false;

  async function show() {
    const offset = Math.max(0, Number(context.params().offset) || 0);
    try {
      const found = await get("/cases/history", { offset, limit: LIMIT });
      if (ended) return;
      const go = (to) => context.go("history", to ? { offset: to } : {});
      const pages = pager({ offset, limit: LIMIT, total: found.total, what: found.total === 1 ? "change" : "changes", go });
      fill(place, pages, events(found.events));
    } catch (error) {
      if (!ended && !isAbort(error)) fill(place, h("p", { class: "wrong" }, error.message));
    }
  }

  const ends = [context.onVersion(show), context.onParams(show)];
  show();
  return () => {
    ended = true;
    for (const end of ends) end();
  };
}

/** Return a table of changes; with `ofOne`, all changes are of one case, and the column `case` is omitted. */
export function events(found, ofOne = false) {
  if (!found.length) return h("p", { class: "soft" }, "There are no changes yet.");
  const isGone = new Set(found.filter((event) => event.action === "forgotten").map((event) => event.case));
  const heads = ["when (UTC)", "what", ...(ofOne ? [] : ["case"]), "by", "why"];
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Changes, table" },
    h(
      "table",
      { class: "log" },
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
      h(
        "tbody",
        {},
        found.map((event) => {
          const link = event.case === null ? "–" : isGone.has(event.case) ? `#${event.case}` : h("a", { href: `#/cases?id=${event.case}` }, `#${event.case}`);
          return h("tr", {}, h("td", { class: "n" }, moment(event.at)), h("td", {}, event.action), !ofOne && h("td", {}, link), h("td", {}, event.by ?? "–"), h("td", { class: "why" }, event.why ?? "–"));
        }),
      ),
    ),
  );
}
