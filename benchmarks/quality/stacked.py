"""Stacked learners on public data sets, compared with gradient boosting, random forests and linear models.

The study uses all data sets in the folder and several from scikit-learn; larger data sets are sampled to 2,000 rows.
All learners get the same five folds (seed 0) and two threads, one learner at a time. The peers run in their own
environment under build/, which is created if necessary; their scores are cached there by table (``--fresh`` measures
again).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn import datasets as bundled
from sklearn.model_selection import KFold, StratifiedKFold

import priorcase as pc
from benchmarks.machine import THREADS
from papers.reproduction import aloud
from priorcase import datasets
from priorcase.schema import Numeric

FOLDER = "PRIORCASE_DATA"
MOST_ROWS = 2_000
FOLDS = 5
BUNDLED = {"wine": True, "breast_cancer": True, "digits": True, "diabetes": False}  # True for classification
QUICK = ("wine", "hepatitis", "machine-cpu", "diabetes")
OURS, PEER = "stacked", "CatBoost"
PEERS = (PEER, "LightGBM", "HistGradientBoosting", "random forest")
AHEAD = 1.0
LEVELS, JUDGED, COVERED = (0.5, 0.8, 0.9, 0.95), 0.9, (0.88, 0.92)

BUILD = Path(__file__).resolve().parents[2] / "build"
HOME, KEPT = BUILD / "peers", BUILD / "stacked"
SCRIPT = Path(__file__).with_name("stacked_peers.py")
PACKAGES = ("catboost", "lightgbm", "scikit-learn", "pandas")


@dataclass(frozen=True, eq=False)
class Problem:
    """A table with targets, in our format and as numeric and string columns for the peers."""

    name: str
    X: Any
    columns: dict[str, list[Any]]
    numeric: list[str]
    y: Any
    fold: Any
    rows: int
    """Number of rows before sampling."""

    @property
    def classes(self) -> Any | None:
        """Sorted class labels; None for regression."""
        return np.unique(self.y) if self.y.dtype.kind == "U" else None

    def task(self) -> str:
        """Return the table as JSON for the process of the peers."""
        told = {"columns": self.columns, "numeric": self.numeric, "y": self.y.tolist(), "fold": self.fold.tolist()}
        return json.dumps(told | {"classes": self.classes is not None})


@dataclass(frozen=True)
class Outcome:
    """Log loss and accuracy over all rows (regression: RMSE and None), and the seconds of all fits and predictions."""

    loss: float
    accuracy: float | None
    seconds: float


def problem(name: str, X: Any, y: Any, folds: int) -> Problem:
    """Sample at most 2,000 rows of a table and assign them to folds, stratified by class."""
    rows, classes = len(y), y.dtype.kind == "U"
    if rows > MOST_ROWS:
        drawn = np.sort(np.random.default_rng(0).permutation(rows)[:MOST_ROWS])
        X, y = X.take(drawn), y[drawn]
    named, numeric = dict[str, list[Any]](), list[str]()
    kinds = getattr(X, "kinds", dict.fromkeys(X, Numeric()))
    for i, (label, kind) in enumerate(kinds.items()):
        column = np.asarray(X[label], dtype=object).tolist()
        numeric += [f"c{i}"] if isinstance(kind, Numeric) else []
        missing = [value is None or (isinstance(value, float) and np.isnan(value)) for value in column]
        read = float if isinstance(kind, Numeric) else str
        named[f"c{i}"] = [None if gap else read(value) for value, gap in zip(column, missing, strict=True)]
    split = (StratifiedKFold if classes else KFold)(folds, shuffle=True, random_state=0)
    fold = np.empty(len(y), int)
    for number, (_, own) in enumerate(split.split(y, y)):
        fold[own] = number
    return Problem(name, X, named, numeric, y, fold, rows)


def problems(*, quick: bool) -> list[Problem]:
    """Return all tables, classification first; ``quick`` selects a few tables and two folds."""
    found, folds = [], 2 if quick else FOLDS
    if os.environ.get(FOLDER):
        folder = Path(os.environ[FOLDER])
        described = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["datasets"]
        for entry in described:
            if not quick or entry["name"] in QUICK:
                X, y = datasets.load(entry["name"], folder=folder, frame=None)
                classes = entry["target"]["kind"] == "nominal"
                found.append(problem(entry["name"], X, np.array(y.tolist()).astype(str if classes else float), folds))
    for name, classes in BUNDLED.items():
        if not quick or name in QUICK:
            table = getattr(bundled, f"load_{name}")(as_frame=True)
            y = table.target.to_numpy().astype(str if classes else float)
            found.append(problem(f"scikit-learn's {name}", table.data.astype(float), y, folds))
    return sorted(found, key=lambda one: one.classes is None)


def scored(of: Problem, answers: Any, seconds: float) -> Outcome:
    """Return the log loss, clipped as in scikit-learn, and the accuracy, or the RMSE for regression."""
    if of.classes is None:
        return Outcome(float(np.sqrt(np.mean((answers[:, 0] - of.y) ** 2))), None, seconds)
    truth = np.searchsorted(of.classes, of.y)
    clipped = np.clip(answers, np.finfo(float).eps, 1.0)
    given = clipped[np.arange(truth.size), truth] / clipped.sum(axis=1)
    return Outcome(float(-np.log(given).mean()), float((answers.argmax(axis=1) == truth).mean()), seconds)


def ours(of: Problem) -> tuple[Outcome, dict[float, float]]:
    """Return our scores and, for regression, the coverage of intervals by level (not timed)."""
    found = np.zeros((len(of.y), 1 if of.classes is None else of.classes.size))
    held, seconds = {level: np.zeros(len(of.y), bool) for level in LEVELS}, 0.0
    for own in (of.fold == number for number in range(of.fold.max() + 1)):
        asked, start = of.X.take(np.flatnonzero(own)), time.perf_counter()
        learner = pc.StackedRegressor if of.classes is None else pc.StackedClassifier
        model: Any = learner(n_jobs=THREADS).fit(of.X.take(np.flatnonzero(~own)), of.y[~own])
        if of.classes is None:
            found[own, 0] = model.predict(asked)
        else:
            found[np.ix_(own, np.searchsorted(of.classes, model.classes_))] = model.predict_proba(asked)
        seconds += time.perf_counter() - start
        for level in LEVELS if of.classes is None else ():
            low, high = model.predict_interval(asked, level).T
            held[level][own] = (low <= of.y[own]) & (of.y[own] <= high)
    return scored(of, found, seconds), {level: float(inside.mean()) for level, inside in held.items()}


def environment(*, install: bool) -> Path:
    """Return the Python executable for the peers: from their own environment if possible, otherwise ours."""
    python = HOME / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", *PACKAGES]
    imports = [str(python), "-c", "import catboost, lightgbm, sklearn, pandas"]
    if python.exists() and subprocess.run(imports, capture_output=True, check=False).returncode == 0:
        return python
    for command in ([sys.executable, "-m", "venv", "--clear", str(HOME)], [str(python), *pip]) if install else ():
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1_800)
        if done.returncode != 0:
            why = (done.stderr or done.stdout).strip().splitlines()[-1][:100]
            print(f"CatBoost and LightGBM could not be installed: {why}\n")
            return Path(sys.executable)
    return python if install else Path(sys.executable)


def theirs(of: Problem, python: Path, *, keep: bool, fresh: bool) -> dict[str, Outcome]:
    """Return the scores of the peers, from the cache unless ``fresh`` is true."""
    task, kept = of.task(), KEPT / f"{of.name.rsplit(' ', 1)[-1]}-{'numbers' if of.classes is None else 'classes'}.json"
    told = task + SCRIPT.read_text(encoding="utf-8") + str(python.is_relative_to(HOME))
    digest = hashlib.sha256(told.encode()).hexdigest()
    if keep and not fresh and kept.exists():
        known = json.loads(kept.read_text(encoding="utf-8"))
        if known["digest"] == digest:
            return {name: Outcome(**outcome) for name, outcome in known["outcomes"].items()}
    with tempfile.TemporaryDirectory(prefix="priorcase-bench-") as folder:
        path = Path(folder) / "task.json"
        path.write_text(task, encoding="utf-8")
        done = subprocess.run(
            [str(python), str(SCRIPT), str(path), str(THREADS)], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise RuntimeError(f"the peers failed on {of.name}: {done.stderr[-2_000:]}")
    given = json.loads(done.stdout)
    found = {name: scored(of, np.array(told["answers"]), told["seconds"]) for name, told in given.items()}
    if keep:
        KEPT.mkdir(parents=True, exist_ok=True)
        outcomes = {name: asdict(outcome) for name, outcome in found.items()}
        kept.write_text(json.dumps({"digest": digest, "outcomes": outcomes}), encoding="utf-8")
    return found


Line = tuple[Problem, dict[str, Outcome], dict[float, float]]


def report(lines: Sequence[Line]) -> list[str]:
    """Return the Markdown report on classification or regression: scores, mean ranks, seconds, and targets."""
    names, numbers = list(lines[0][1]), lines[0][0].classes is None
    digits = (lambda loss: f"{loss:,.0f}" if loss >= 1_000 else f"{loss:.3g}") if numbers else (lambda x: f"{x:.3f}")
    what = "RMSE" if numbers else "log loss, accuracy"
    text = [f"| {what} | rows | {' | '.join(names)} |" + (" coverage of 90% intervals |" if numbers else "")]
    text.append("| --- | ---: |" + " ---: |" * (len(names) + numbers))
    for of, outcomes, held in lines:
        drawn = f"{len(of.y):,}" if len(of.y) == of.rows else f"{len(of.y):,} of {of.rows:,}"
        cells = [
            digits(one.loss) + ("" if one.accuracy is None else f", {100 * one.accuracy:.1f}%")
            for one in (outcomes[name] for name in names)
        ]
        cells += [f"{100 * held[JUDGED]:.1f}%"] if numbers else []
        text.append(f"| {of.name} | {drawn} | {' | '.join(cells)} |")
    found = [[outcomes[name] for name in names] for _, outcomes, _ in lines]
    ranks = np.mean([rankdata([round(one.loss, 6) for one in line]) for line in found], axis=0)
    seconds = np.sum([[one.seconds for one in line] for line in found], axis=0)
    rights = np.mean([rankdata([-round(one.accuracy or 0.0, 6) for one in line]) for line in found], axis=0)
    both = [f"{rank:.2f}" + ("" if numbers else f", {right:.2f}") for rank, right in zip(ranks, rights, strict=True)]
    gap = " |" if numbers else ""
    text.append(f"| mean rank over {len(lines)} tables | | {' | '.join(both)} |{gap}")
    text.append(f"| seconds of the whole run | | {' | '.join(f'{spent:.0f}' for spent in seconds)} |{gap}")
    text += ["", *(f"- {bar}" for bar in bars(lines, names, ranks, rights, seconds))]
    absent = [name for name in PEERS if name not in names]
    return [*text, *([f"- not installed: {', '.join(absent)}"] if absent else [])]


def bars(lines: Sequence[Line], names: list[str], ranks: Any, rights: Any, seconds: Any) -> list[str]:
    """Return the targets and whether they are met."""

    def judged(what: str, met: bool) -> str:
        return f"{what}: {'yes' if met else 'NO'}"

    numbers, nearest = lines[0][0].classes is None, int(np.argmin(ranks[1:])) + 1
    lead = f"{ranks[nearest] - ranks[0]:.2f} ahead of {names[nearest]}"
    score = "RMSE" if numbers else "log loss"
    text = [
        judged(f"mean rank by {score} {AHEAD} or more ahead of every peer ({lead})", ranks[nearest] - ranks[0] >= AHEAD)
    ]
    if not numbers:
        best = int(np.argmin(rights[1:])) + 1
        said = f"{rights[best] - rights[0]:+.2f} ahead of {names[best]}"
        text.append(judged(f"mean rank by accuracy behind no peer ({said})", rights[0] <= rights[best]))
    if PEER in names:
        spent = seconds[names.index(PEER)]
        text.append(judged(f"not slower than {PEER} ({seconds[0]:.0f} and {spent:.0f} s)", seconds[0] <= spent))
    if not numbers:
        return text
    sizes = [len(of.y) for of, _, _ in lines]
    for level in LEVELS:
        shares = [held[level] for _, _, held in lines]
        each = ", ".join(f"{of.name} {100 * share:.1f}%" for (of, _, _), share in zip(lines, shares, strict=True))
        said = f"intervals of level {level} cover {100 * np.average(shares, weights=sizes):.1f}% of all rows ({each})"
        low, high = COVERED
        together, apart = low <= np.average(shares, weights=sizes) <= high, low <= min(shares) <= max(shares) <= high
        asked = (
            f"; {low:.0%} to {high:.0%}, together: {'yes' if together else 'NO'}, on each: {'yes' if apart else 'NO'}"
        )
        text.append(said + (asked if level == JUDGED else ""))
    return text


def main() -> None:
    """Print reports on classification and regression; without the folder, only scikit-learn's data sets are used."""
    quick, fresh = "--quick" in sys.argv, "--fresh" in sys.argv
    if not os.environ.get(FOLDER):
        print(f"{FOLDER} names no folder of data sets: using only scikit-learn's data sets\n")
    warnings.simplefilter("ignore")  # about folds with few rows of a class
    python, found = environment(install=not quick), list[Line]()
    for of in aloud(problems(quick=quick), "stacked learners and their peers"):
        peers = theirs(of, python, keep=not quick, fresh=fresh)
        mine, held = ours(of)
        found.append((of, {OURS: mine, **dict(sorted(peers.items()))}, held))
    for numbers in (False, True):
        lines = [line for line in found if (line[0].classes is None) == numbers]
        if lines:
            print("\n".join(report(lines)), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
