// Batch and export: predictions for a file of new rows, downloads of the model and a report, and the equivalent Python code.

import { get, isAbort, latest, post, upload } from "../api.js";
import { count, equalDecimals, fill, h, number, percent, shown } from "../dom.js";
import { typical } from "../form.js";
import { labeled, panel, savedText, STANDS_IN } from "../parts.js";

const OFTEN = 400; // milliseconds between requests for the state of a job
const SOON = 150;
const BUDGETS = [["10 seconds", 10], ["1 minute", 60], ["5 minutes", 300]];

export default {
  id: "export",
  title: "Batch and export",
  applies: (status) => status.open.kind === "model" || (status.open.kind === "table" && status.learner !== null),
  mount,
};

function mount(root, context) {
  const parts = [batch(context), python(context), report(context), model(context)];
  const [rows, script, page, file] = parts.map((part) => part.root);
  fill(root, h("div", { class: "export" }, rows, script, h("div", { class: "two" }, page, file)));
  return () => {
    for (const part of parts) part.end();
  };
}

/** Call `look` repeatedly until it returns false. */
function watching(look) {
  let timer = 0;
  let ended = false;
  async function again() {
    clearTimeout(timer);
    if (ended) return;
    if ((await look()) && !ended) timer = setTimeout(again, OFTEN);
  }
  return {
    again,
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

const set = (context, name, value) => {
  const { [name]: _, ...others } = context.params();
  context.setParams(value === null ? others : { ...others, [name]: value });
};

/** Show the progress of a job, with a button to cancel it. */
function progress(job, context) {
  const bar = h("progress", { max: 1, "aria-label": job.name });
  if (job.progress !== null) bar.value = job.progress;
  return h("p", { class: "progress" }, bar, h("span", { class: "soft grow", role: "status" }, job.message || "starting"), h("button", { type: "button", onclick: () => post(`/jobs/${job.id}/cancel`).then(context.refresh, context.notify) }, "Cancel"));
}

// -- a file of new rows

function batch(context) {
  const { root, body } = panel("Predict a file of new rows", "batch");
  const input = h("input", { type: "file", class: "hidden", id: "batch-file", accept: ".csv,.tsv,.txt,.xlsx,.parquet,.feather,.jsonl,.arff,.db,.sqlite,.gz,.bz2,.xz,.zst", onchange: () => input.files.length && send(input.files[0]) });
  const box = (name, text) => {
    const control = h("input", { type: "checkbox", name });
    return [control, h("label", { class: "check" }, control, ` ${text}`)];
  };
  const [near, nearBox] = box("precedents", "5 nearest past cases");
  const [why, whyBox] = box("contributions", "contributions of the columns");
  const [turn, turnBox] = box("counterfactuals", "counterfactual (smallest change that changes the prediction)");
  const drop = h(
    "label",
    {
      class: "drop",
      for: "batch-file",
      ondragover: (event) => (event.preventDefault(), drop.classList.add("over")),
      ondragleave: () => drop.classList.remove("over"),
      ondrop(event) {
        event.preventDefault();
        drop.classList.remove("over");
        if (event.dataTransfer.files.length) send(event.dataTransfer.files[0]);
      },
    },
    h("strong", {}, "Choose a file"),
    " or drop it here: CSV, Excel, Parquet, JSON lines and others, with the columns of the table.",
  );
  const isNumber = context.status().open.task === "regress";
  const result = h("div", { class: "result" });
  const explain = h("fieldset", { class: "explain" }, h("legend", {}, "Explanations (slower):"), nearBox, whyBox, !isNumber && turnBox);
  fill(body, explain, input, drop, result);

  async function send(file) {
    fill(result, h("p", { class: "soft", role: "status" }, `Sending ${file.name} …`));
    try {
      const sent = await upload(file);
      const job = await post("/batch", { upload: sent.id, precedents: near.checked ? 5 : 0, contributions: why.checked, counterfactuals: turn.checked ? 1 : 0 });
      set(context, "batch", job.id);
      context.refresh();
      watch.again();
    } catch (error) {
      wrong(error);
    }
    input.value = "";
  }

  const wrong = (error) => !isAbort(error) && fill(result, h("p", { class: "wrong", role: "alert" }, error.message));

  const watch = watching(async () => {
    const { batch: id } = context.params();
    if (!/^\d+$/.test(id ?? "")) return false;
    try {
      const found = await get(`/batch/${id}`);
      if (found.job.state === "running") fill(result, progress(found.job, context));
      else if (found.job.state === "done") fill(result, answers(found, id));
      else fill(result, h("p", { class: found.job.state === "failed" ? "wrong" : "soft", role: "alert" }, found.job.state === "failed" ? found.job.message : `The predictions for ${found.file} were canceled.`));
      if (found.job.state === "failed") context.dismiss(found.job);
      return found.job.state === "running";
    } catch (error) {
      if (error.status === 404) set(context, "batch", null);
      else wrong(error);
      return false;
    }
  });
  watch.again();
  return { root, end: watch.end };
}

function answers(found, id) {
  const { right } = found;
  const score = right && (right.right === undefined ? `Mean absolute error ${number(right.mean_absolute_error)} on ${count(right.rows)} rows whose target is known.` : `${count(right.right)} of ${count(right.rows)} rows whose target is known are predicted correctly (${percent(right.right / right.rows)}).`);
  const some = found.n > found.rows.length ? `The first ${found.rows.length} of ${count(found.n)} rows` : `${count(found.n)} row${found.n === 1 ? "" : "s"}`;
  const at = found.header.indexOf("prediction"); // the first match, since a column of the file can have the same name
  const last = found.header.findIndex((name, i) => i > at && name !== "decision" && !/^P\(.*\)$/s.test(name));
  const isProbability = (i) => i > at && (last < 0 || i < last) && found.header[i] !== "decision";
  const head = (name, i) => (isProbability(i) ? `probability of ${name.slice(2, -1)}` : name);
  const isNumeric = (i) => i > 0 && found.rows.every((row) => row[i] === null || typeof row[i] === "number");
  const isComputed = (name, i) => isNumeric(i) && (i === at ? last === at + 1 : /^(lower$|upper$|contribution of )/.test(name)); // computed numbers, not read from the file
  const computed = found.header.map((name, i) => isComputed(name, i) && equalDecimals(found.rows.map((row) => row[i])));
  const cell = (value, i, row) => (isProbability(i) ? percent(value) : computed[i] && value !== null ? computed[i][row] : shown(value));
  return [
    h("p", { role: "status" }, h("strong", {}, found.file), `: ${some}. `, score),
    found.notes.map((note) => h("p", { class: "soft" }, note)),
    h("p", { class: "buttons" }, h("a", { class: "button", href: `/batch/${id}/predictions.csv`, download: "predictions.csv" }, "Download CSV"), h("a", { class: "button", href: `/batch/${id}/predictions.json`, download: "predictions.json" }, "Download JSON")),
    h("p", { class: "hint soft" }, "In the CSV file, an apostrophe is put before strings that a spreadsheet would run as formulas."),
    h(
      "div",
      { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Predictions, table" },
      h("table", { class: "listed answers" }, h("thead", {}, h("tr", {}, found.header.map((name, i) => h("th", { scope: "col", class: isNumeric(i) ? "n" : "" }, head(name, i))))), h("tbody", {}, found.rows.map((row, j) => h("tr", {}, row.map((value, i) => h("td", { class: [i === at ? "" : "soft", isNumeric(i) ? "n" : ""].join(" ").trim(), title: shown(value) }, i === at ? h("strong", {}, cell(value, i, j)) : cell(value, i, j))))))),
    ),
  ];
}

// -- the equivalent Python code

function python(context) {
  const { root, body } = panel("Equivalent Python code", "python");
  const code = h("pre", { class: "code", tabindex: 0, "aria-label": "Python" });
  const copy = h("button", { type: "button", onclick: copied }, "Copy");
  fill(body, h("p", { class: "soft" }, "This code reads the same table, fits the same learner, and predicts the case in the form."), h("p", { class: "buttons" }, copy), code);
  let timer = 0;
  let ended = false;

  async function copied() {
    try {
      await navigator.clipboard.writeText(code.textContent);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code); // if the browser does not allow copying
      copy.textContent = "Selected: press Ctrl+C";
    }
    setTimeout(() => (copy.textContent = "Copy"), 2500);
  }

  async function load() {
    try {
      const found = await latest("script", "/script", context.asked.value());
      if (!ended && code.textContent !== found.python) code.textContent = found.python;
    } catch (error) {
      if (!ended && !isAbort(error)) code.textContent = `# ${error.message}`;
    }
  }
  const later = () => (clearTimeout(timer), (timer = setTimeout(load, SOON)));
  const ends = [context.asked.subscribe(later), context.onVersion(later)];
  if (context.asked.isUntouched())
    context.fetched("/columns").then(
      ({ columns }) => !ended && context.asked.isUntouched() && context.asked.replace(typical(columns), "start"),
      context.notify,
    );
  else load();
  return {
    root,
    end() {
      ended = true;
      clearTimeout(timer);
      for (const end of ends) end();
    },
  };
}

// -- a report

function report(context) {
  const { root, body } = panel("Report in one file", "report");
  const budget = h("select", {}, BUDGETS.map(([text, seconds]) => h("option", { value: seconds }, text)));
  budget.value = 60;
  const result = h("div", { class: "result" });
  const make = h("button", { type: "button", onclick: start }, "Make the report");
  fill(body, h("p", { class: "soft" }, "A report recommends a learner for this table and explains why, in a single HTML file to share."), labeled("Time budget", budget), h("p", { class: "buttons" }, make), result);

  async function start() {
    try {
      const job = await post("/reports", undefined, { seconds: budget.value });
      set(context, "report", job.id);
      context.refresh();
      watch.again();
    } catch (error) {
      if (!isAbort(error)) fill(result, h("p", { class: "wrong", role: "alert" }, error.message));
    }
  }

  const watch = watching(async () => {
    const { report: id } = context.params();
    if (!/^\d+$/.test(id ?? "")) return false;
    const { jobs } = await get("/status").catch(() => ({ jobs: null }));
    if (jobs === null) return true;
    const job = jobs.find((one) => one.id === Number(id));
    make.disabled = job?.state === "running";
    if (!job) set(context, "report", null);
    else if (job.state === "running") fill(result, progress(job, context));
    else if (job.state === "done") fill(result, h("p", { class: "buttons", role: "status" }, h("a", { class: "button", href: `/reports/${id}/report.html`, download: "report.html" }, "Download the report")));
    else fill(result, h("p", { class: job.state === "failed" ? "wrong" : "soft", role: "alert" }, job.state === "failed" ? job.message : "The report was canceled."));
    if (job?.state === "failed") context.dismiss(job);
    return job?.state === "running";
  });
  watch.again();
  return { root, end: watch.end };
}

// -- the model

function model(context) {
  const { root, body } = panel("The model", "model");
  const saved = h("p", { class: "soft", role: "status" });
  const place = h("p", { class: "buttons" }, h("a", { class: "button", href: "/review/model", download: "model.priorcase" }, "Download the model"));
  const about = h("p", { class: "soft" });
  fill(body, about, place, saved);
  let ended = false;

  function describe() {
    const { learner, open, stands_in: standsIn } = context.status();
    if (learner) fill(about, `${learner.title} with ${count(open.rows)} rows. `, h("code", {}, "priorcase explore model.priorcase"), " opens the model again; ", h("code", {}, "pc.load"), " loads the model in Python.", standsIn ? ` ${STANDS_IN}` : "");
  }

  get("/export").then(
    ({ saves }) => {
      if (ended || !saves) return;
      const save = () => post("/review/save").then((told) => fill(saved, savedText(told)), (error) => fill(saved, h("span", { class: "wrong" }, error.message)));
      place.append(h("button", { type: "button", onclick: save }, `Save to ${saves}`));
    },
    (error) => context.notify(error),
  );
  describe();
  const end = context.onVersion(describe);
  return { root, end: () => ((ended = true), end()) };
}
