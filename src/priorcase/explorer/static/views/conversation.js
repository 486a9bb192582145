// Conversation: the most informative question, the answers so far, and the remaining solutions.

import { abort, isAbort, latest } from "../api.js";
import { bars } from "../charts.js";
import { equalDecimals, fill, h, number, percent, record, same } from "../dom.js";
import { panel, told } from "../parts.js";
import { numberField } from "../typed.js";

const CHOICES = 12;

export default { id: "conversation", title: "Conversation", applies: (status) => status.open.kind === "cases", mount };

function mount(root, context) {
  const question = panel("Question", "question");
  const answer = panel("Leading solution", "answer");
  const said = panel("Answers so far", "said");
  const support = panel("Cases that support this solution", "support");
  fill(root, h("div", { class: "talk" }, h("div", { class: "left" }, question.root, said.root), h("div", { class: "right" }, answer.root, support.root)));
  let columns = record();
  let ended = false;
  let asksWhy = false;

  /** Return the answers so far, which are stored in the address: [[attribute, value], ...]. */
  function answers() {
    try {
      const found = JSON.parse(context.params().answers ?? "[]");
      return Array.isArray(found) ? found.filter((one) => Array.isArray(one) && typeof one[0] === "string") : [];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return [];
    }
  }

  const go = (given) => context.go("conversation", given.length ? { answers: JSON.stringify(given) } : {});
  const tell = (attribute, value) => go([...answers(), [attribute, value]]);

  async function show(isFirst) {
    const given = answers();
    question.root.setAttribute("aria-busy", "true");
    try {
      const found = await latest("converse", "/cases/converse", { answers: given.map(([attribute, value]) => ({ attribute, value })) });
      if (ended) return;
      drawQuestion(found, given);
      drawAnswer(found);
      drawSaid(found, given);
      drawSupport(found);
      if (isFirst !== true) question.body.querySelector("[data-first]")?.focus();
    } catch (error) {
      if (isAbort(error) || ended) return;
      const last = given.length > 0 && h("button", { type: "button", onclick: () => go(given.slice(0, -1)) }, "Undo the last answer");
      fill(question.body, h("p", { class: "wrong", role: "alert" }, error.message), h("p", { class: "buttons" }, last, h("button", { type: "button", onclick: () => go([]) }, "Start again")));
    }
    question.root.removeAttribute("aria-busy");
  }

  // -- the question

  function drawQuestion({ question: one, settled, reason, left }, given) {
    const back = given.length > 0 && h("button", { type: "button", onclick: () => go(given.slice(0, -1)) }, "Back");
    const again = given.length > 0 && h("button", { type: "button", onclick: () => go([]) }, "Start again");
    const note = settled && h("p", { class: "soft", role: "status" }, `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`, one ? " You can continue." : "");
    if (!one) return void fill(question.body, note, h("p", { class: "buttons" }, back, again));
    const skip = h("button", { type: "button", onclick: () => tell(one.attribute, null) }, "Skip");
    const cases = (n) => `${n} case${n === 1 ? "" : "s"}`;
    const options = one.choices.slice(0, CHOICES).map((choice, i) =>
      h("li", {}, h("button", { type: "button", class: "option", "data-first": i === 0, onclick: () => tell(one.attribute, choice.answer) }, h("span", { class: "grow" }, told(one.yes_or_no ? choice.text : choice.answer)), h("span", { class: "soft n" }, cases(choice.cases)))),
    );
    const asked = one.kind === "value" ? one.text : one.kind === "text" ? `${one.attribute}: describe it in your own words` : one.text.charAt(0).toUpperCase() + one.text.slice(1);
    const [ratio, ...ratios] = equalDecimals([one, ...one.others].map((other) => other.ratio ?? 0), 3);
    const reasons = h(
      "details",
      { open: asksWhy, ontoggle: () => (asksWhy = reasons.open) },
      h("summary", {}, "Why this question?"),
      h("p", { class: "soft" }, one.gain === null ? "No values are known yet; a description in words is more informative than a single value." : `Expected information gain: ${number(one.gain, 2)} bits (gain ratio ${ratio}).`),
      h("p", { class: "soft" }, `${cases(left)} still possible${one.unknown ? `; the value is missing in ${one.unknown} of them` : ""}.`),
      one.others.length > 0 && h("p", { class: "soft" }, `Next best questions: ${one.others.map((other, i) => `${other.text} ${ratios[i]}`).join(", ")}`),
    );
    const whole = context.status().open.rows;
    const start = !given.length && left < whole && h("p", { class: "soft" }, `${cases(left)} of ${whole} are used; cases without a solution, or with a failed solution, are excluded.`);
    fill(question.body, note, start, h("p", { class: "asked", role: "status" }, asked), options.length > 0 && h("ul", { class: "options" }, options), own(one), h("p", { class: "buttons" }, skip, back, again), reasons);
  }

  /** Return a field for any value, in addition to the choices offered; null if only the choices are allowed. */
  function own(one) {
    const column = columns[one.attribute] ?? {};
    const isNumber = column.kind === "numeric" || column.kind === "circular";
    const isText = one.kind === "text";
    const offers = one.kind === "value" && (column.values?.length ?? 0) <= one.choices.length;
    if (one.kind === "word" || one.kind === "member" || (offers && !column.open)) return null;
    const props = { "aria-label": `${one.attribute}: value`, "data-first": one.choices.length === 0 };
    const typed = isNumber ? numberField({ ...props, placeholder: "another value" }) : null;
    const line = () => h("input", { ...props, type: column.kind === "date" ? "date" : "text", placeholder: "another value", list: column.values ? "own-known" : null, autocomplete: "off" });
    const box = typed?.box ?? (isText ? h("textarea", { ...props, rows: 3, placeholder: "in your own words" }) : line());
    const send = (event) => {
      event.preventDefault();
      if (box.value.trim() === "" || box.hasAttribute("aria-invalid")) return;
      tell(one.attribute, typed ? typed.value() : box.value);
    };
    box.addEventListener("keydown", (event) => event.key === "Enter" && !event.shiftKey && send(event));
    const known = column.values && h("datalist", { id: "own-known" }, column.values.map((value) => h("option", { value: told(value) })));
    return h("form", { class: isText ? "own text" : "own", onsubmit: send }, typed?.nodes ?? box, known, h("button", { type: "submit" }, "Answer"));
  }

  // -- results of the answers so far

  function drawAnswer(found) {
    const items = found.candidates.map((one) => ({ label: told(one.solution), share: one.probability, text: percent(one.probability), strong: same(one.solution, found.proposal.solution) }));
    const others = found.n_candidates - found.candidates.length;
    fill(
      answer.body,
      h("p", { class: "prediction" }, h("span", { class: "soft" }, found.settled ? "Solution" : "Leading"), h("strong", {}, told(found.proposal.solution))),
      bars(items, { label: "Candidates" }),
      h("p", { class: "soft" }, `${found.left} of ${context.status().open.rows} cases still possible${others > 0 ? `, with ${others} more solution${others === 1 ? "" : "s"}` : ""}.`),
    );
  }

  function drawSaid(found, given) {
    if (!found.transcript.length) return void fill(said.body, h("p", { class: "soft" }, "No question has been answered yet."));
    fill(
      said.body,
      h(
        "ol",
        { class: "told" },
        found.transcript.map((line, i) =>
          h("li", {}, h("span", { class: "grow" }, line.question.replace(/, in your own words\?$/, ":"), " ", h("strong", {}, line.answer)), h("span", { class: "soft" }, `${line.candidates} still possible`), h("button", { type: "button", class: "quiet", "aria-label": `Go back to: ${line.question}`, onclick: () => go(given.slice(0, i)) }, "↩")),
        ),
      ),
    );
  }

  function drawSupport({ support: cases, question: one }) {
    const names = [...new Set([...answers().map(([name]) => name), ...(one ? [one.attribute] : [])])].slice(0, 6);
    fill(
      support.body,
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cases that support this solution, table" },
        h(
          "table",
          { class: "listed" },
          h("thead", {}, h("tr", {}, ["case", "solution", "outcome", ...names].map((name) => h("th", { scope: "col" }, name)))),
          h("tbody", {}, cases.map((one) => h("tr", {}, h("td", {}, h("a", { href: `#/cases?id=${one.id}` }, `#${one.id}`)), h("td", {}, told(one.solution)), h("td", { class: "soft" }, told(one.outcome)), names.map((name) => h("td", { class: "soft", title: told(one.values[name]) }, told(one.values[name])))))),
        ),
      ),
    );
  }

  const ends = [context.onParams(show), context.onVersion(() => show(true))];
  context.fetched("/cases/columns").then(
    (found) => {
      columns = record(found.columns.map((column) => [column.name, column]));
      if (!ended) show(true);
    },
    (error) => !ended && fill(question.body, h("p", { class: "wrong" }, error.message)),
  );
  return () => {
    ended = true;
    abort("converse");
    for (const end of ends) end();
  };
}
