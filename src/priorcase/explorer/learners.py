"""Comparison of learners in the background, results of one learner, choice of the learner, and decisions by costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from pydantic import Field

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.documents import plain
from priorcase.exceptions import (
    NotAvailableError,
    ParameterError,
    TooLargeError,
    UnknownNameError,
    advice,
    listed,
    quoted,
)
from priorcase.explorer.columns import stored_rows
from priorcase.explorer.jobs import Job, RowsResult
from priorcase.explorer.reading import changing
from priorcase.explorer.weights import STACKING
from priorcase.explorer.workspace import Workspace, over_rows
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.resampling import listening
from priorcase.registry import BASELINE, find
from priorcase.serve.app import Document, Service, new_router

_SMALL = 2000  # with at most this many rows, starting threads takes more time than the threads save
_SHARE = 0.6  # share of the time budget that a comparison uses
_CLASSES = 40  # maximum number of classes for confusion and cost matrices
_THRESHOLDS = 101
_ERRORS = (0.05, 0.25, 0.5, 0.75, 0.95)

Cost = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Chosen(Document):
    """Request to use the learner with this name for predictions."""

    name: str = Field(max_length=200, examples=["naive_bayes"])


class Costs(Document):
    """Cost matrix of decisions: one row per true class, one column per predicted class."""

    name: str = Field(max_length=200)
    costs: list[list[Cost]] = Field(examples=[[[0, 1], [5, 0]]], max_length=_CLASSES)


class Decision(Document):
    """Decision rule: costs, or a threshold for the probability of one class; by default the most probable class."""

    costs: list[list[Cost]] | None = Field(None, max_length=_CLASSES)
    positive: str | None = Field(None, max_length=1000)
    threshold: float | None = Field(None, ge=0, le=1)


# -- the comparison


@dataclass(frozen=True, eq=False)
class Comparison:
    """Result of a comparison of learners on the rows of a workspace."""

    problem: Any
    candidates: tuple[Any, ...]
    compared: tuple[Any, ...]
    verdict: Any
    seconds: float

    def document(self) -> dict[str, Any]:
        """Return the scores of all learners and the recommended learner as JSON."""
        last, verdict = self.compared[-1], self.verdict
        learners = [
            {
                **{
                    key: getattr(one, key) for key in ("name", "title", "description", "seconds", "reason", "fitted_to")
                },
                "scores": {name: list(pair) for name, pair in one.scores.items()},
                "details": not one.reason,
            }
            for one in last.standings
        ]
        told = asdict(verdict) | {"chosen": verdict.chosen, "title": last.title(verdict.chosen)}
        if verdict.runner_up is not None:
            told["runner_up"] |= {"title": last.title(verdict.runner_up.other)}
            told["runner_up"]["significant"] = verdict.runner_up.significant
        return {
            "protocol": last.protocol,
            "rows": int(last.rows.size),
            "of": last.of,
            "seconds": self.seconds,
            "learners": learners,
            "verdict": told,
        }


def problem_of(workspace: Workspace) -> Any:
    """Return the current rows of a workspace as a `Problem`, the input of the functions for reports."""
    from priorcase.reporting.table import read_problem, scorable

    if workspace.served is None or workspace.opened.kind not in ("table", "model"):
        raise NotAvailableError("There are no rows to learn from. Open a table and choose its target.")
    X, y = stored_rows(workspace.served)
    opened = workspace.opened
    task: Any = opened.task or "auto"
    return scorable(read_problem(X, y, name=opened.name, target=opened.target or "target", task=task))


def candidates_of(problem: Any) -> list[Any]:
    """Return the learners that `priorcase.report` compares, plus k-nearest neighbors with a fixed k."""
    from priorcase.reporting.learners import Candidate, candidates, rescaled

    threads = 1 if len(problem) <= _SMALL else None
    found = list(candidates(problem, random_state=0, n_jobs=threads))
    plain_knn = find("knn")
    k = max(1, min(10, len(problem) // 2))
    learner = plain_knn.make(problem.task, n_neighbors=k, n_jobs=threads)
    return [*found, Candidate("knn", f"{k}-nearest neighbors", plain_knn.summary, rescaled(learner))]


def compared_learners(workspace: Workspace, job: Job, seconds: float) -> Comparison:
    """Compare learners on the same splits, as in a report, within a time budget in seconds."""
    from priorcase.reporting.comparison import Budget, choose, compare_learners

    problem = problem_of(workspace)
    tried, clock, now = candidates_of(problem), Budget(seconds), ["reading"]

    def tell(text: str = "", share: float | None = None) -> None:
        job.tell(now[0], min(1.0, clock.spent / (_SHARE * seconds)))

    def say(text: str) -> None:
        now[0] = text
        tell()

    with listening(tell):
        found = compare_learners(problem, tried, clock, random_state=0, n_jobs=1, say=say)
    return Comparison(problem, tuple(tried), tuple(found), choose(found[-1]), clock.spent)


# -- one learner


def learner_document(found: Comparison, name: str) -> dict[str, Any]:
    """Return the results of a learner on held-out rows as JSON."""
    from priorcase.reporting.predictions import calibrate

    last = found.compared[-1]
    measured = {one.name: one for one in last.measured}
    if name not in measured:
        remedy = advice(name, measured, otherwise="Compare the learners first.")
        raise UnknownNameError(f"There is no score for the learner {quoted(name)}. {remedy}")
    title = measured[name].title
    if not found.problem.classes:
        return {"name": name, "title": title, **_residuals(_out_of_fold(found, name))}
    truth, proba, predicted, labels = _classified(found, name)
    document: dict[str, Any] = {"name": name, "title": title, "rows": int(truth.size), "labels": _texts(labels)}
    document |= _confusion(truth, predicted, labels.size)
    if proba is not None:
        table = calibrate(_out_of_fold(found, name))
        document["calibration"] = {"bins": [asdict(one) for one in table.bins], "error": table.error}
        if labels.size == 2:
            document["thresholds"] = _thresholds(truth, proba)
    return document


def _out_of_fold(found: Comparison, name: str) -> Any:
    from priorcase.reporting.predictions import out_of_fold

    return out_of_fold(found.compared[-1], found.problem, name)


def _classified(found: Comparison, name: str) -> tuple[IntArray, FloatArray | None, IntArray, AnyArray]:
    """Return codes of the true classes, probabilities or None, codes of the predicted classes, and the classes."""
    last = found.compared[-1]
    cells = list(last.result.predictions(name))
    if all(cell.predictions.proba is not None for cell in cells):
        seen = _out_of_fold(found, name)
        truth = np.searchsorted(seen.labels, seen.truth)
        return truth, seen.proba, seen.proba.argmax(axis=1), seen.labels
    labels = np.unique(found.problem.y)
    first = [cell for cell in cells if cell.repeat == 0]
    truth = np.searchsorted(labels, np.concatenate([cell.predictions.truth for cell in first]))
    return truth, None, np.searchsorted(labels, np.concatenate([cell.predictions.predicted for cell in first])), labels


def _confusion(truth: IntArray, predicted: IntArray, n: int) -> dict[str, Any]:
    if n > _CLASSES:
        return {"confusion": None}
    counts = np.bincount(truth * n + predicted, minlength=n * n).reshape(n, n)
    return {"confusion": counts.tolist(), "accuracy": float(np.mean(truth == predicted))}


def _thresholds(truth: IntArray, proba: FloatArray) -> dict[str, Any]:
    """Return the numbers of true and false positives at each threshold, for either class as the positive class."""
    levels = np.linspace(0.0, 1.0, _THRESHOLDS)
    found = []
    for positive in (0, 1):
        scores = np.round(proba[:, positive], 12)  # sums of probabilities may exceed 1 by a rounding error
        counts = [
            (rows.size - np.searchsorted(np.sort(rows), levels - 1e-9, side="left")).tolist()
            for rows in (scores[truth == positive], scores[truth != positive])
        ]
        found.append({"true": counts[0], "false": counts[1], "positives": int((truth == positive).sum())})
    return {"levels": levels.tolist(), "classes": found, "rows": int(truth.size)}


def _residuals(seen: Any) -> dict[str, Any]:
    from priorcase.reporting.predictions import calibrate

    table = calibrate(seen)
    errors = seen.truth - seen.predicted
    low, high = np.quantile(errors, (0.005, 0.995)).tolist()
    edges = np.linspace(low, high, 25) if high > low else np.array([low - 1.0, low + 1.0])
    counts = np.histogram(np.clip(errors, edges[0], edges[-1]), edges)[0]
    spread = float(np.var(seen.truth))
    return {
        "rows": int(seen.truth.size),
        "points": [list(pair) for pair in table.points],
        "bins": [asdict(one) for one in table.bins],
        "residuals": {
            "mean": float(errors.mean()),
            "rmse": float(np.sqrt(np.mean(errors**2))),
            "mae": float(np.abs(errors).mean()),
            "half": table.half,
            "nine_tenths": table.nine_tenths,
            "r2": 1.0 - float(np.mean(errors**2)) / spread if spread else None,
            "quantiles": np.quantile(errors, _ERRORS).tolist(),
            "histogram": [[a, b, n] for (a, b), n in zip(pairwise(edges.tolist()), counts.tolist(), strict=True)],
        },
    }


def decisions_by_costs(found: Comparison, name: str, costs: list[list[float]]) -> dict[str, Any]:
    """Compare, on held-out rows, the decisions of minimum expected cost with the most probable classes."""
    truth, proba, predicted, labels = _classified(found, name)
    if proba is None:
        raise NotAvailableError("This learner predicts no probabilities, so costs cannot change its decisions.")
    matrix = _cost_matrix(costs, labels.size)
    decided = (proba @ matrix).argmin(axis=1)  # on ties, the first class
    return {
        "labels": _texts(labels),
        **_confusion(truth, decided, labels.size),
        "cost": float(matrix[truth, decided].mean()),
        "cost_before": float(matrix[truth, predicted].mean()),
        "accuracy_before": float(np.mean(truth == predicted)),
        "changed": int((decided != predicted).sum()),
        "rows": int(truth.size),
    }


def decision_of(given: Decision, classes: list[str]) -> dict[str, Any] | None:
    """Return a decision rule as JSON; None for the most probable class."""
    if given.costs is not None:
        if len(classes) > _CLASSES:
            raise TooLargeError(f"{len(classes)} classes are more than the limit of {_CLASSES} for costs.")
        return {"classes": classes, "costs": _cost_matrix(given.costs, len(classes)).tolist()}
    if given.threshold is None and given.positive is None:
        return None
    if len(classes) != 2:
        shown = f"{len(classes)}: {listed(classes)}" if classes else "none"
        raise ParameterError(f"A threshold requires a model with two classes; this model has {shown}.")
    if given.threshold is None or given.positive not in classes:
        raise ParameterError(f'Pass "threshold" together with "positive", which must be one of {listed(classes)}.')
    return {"classes": classes, "positive": given.positive, "threshold": given.threshold}


def _cost_matrix(costs: list[list[float]], n: int) -> FloatArray:
    if len(costs) != n or any(len(row) != n for row in costs):
        raise ParameterError(f"Costs must be {n} rows of {n} numbers, one row per true class.")
    return np.array(costs, dtype=np.float64)


def _texts(labels: AnyArray) -> list[str]:
    return [str(plain(label)) for label in labels.tolist()]


# -- the learner for predictions


def answer_by(workspace: Workspace, name: str) -> Job:
    """Fit a learner to all rows in the background, then use it for predictions."""
    problem = problem_of(workspace)
    tried = {one.name: one for one in candidates_of(problem) if one.name != BASELINE}
    if name not in tried:
        remedy = advice(name, tried, otherwise=f"The learners are {', '.join(tried)}.")
        raise UnknownNameError(f"There is no learner {quoted(name)}. {remedy}")
    chosen = tried[name]

    def work(job: Job) -> None:
        from sklearn.base import clone

        from priorcase.reporting.learners import Scaled
        from priorcase.serve.answers import check_served

        version = workspace.rows_version
        X, y = stored_rows(workspace.served)
        own = chosen.learner.learner if isinstance(chosen.learner, Scaled) else chosen.learner
        rows = isinstance(own, RowsEstimator)
        model = over_rows(own, workspace.served) if rows else clone(own).fit(X, y)  # over_rows keeps the ids
        check_served(model)
        model.predict(X[:1])  # fits the members of a stack
        if hasattr(model, "predict_interval") and len(y) > 1:
            model.predict_interval(X[:1])  # learns the intervals
        workspace.answer_with(model, version)

    workspace.jobs.cancel_named(STACKING)  # otherwise the stack would replace this learner
    return workspace.jobs.start(f"Fitting {chosen.title}", work)


# -- routes


def learners_routes(workspace: Workspace, service: Service) -> APIRouter:
    """Return the routes that compare learners, show one learner, decide by costs and choose the learner."""
    router = new_router()
    comparison = RowsResult(
        workspace.jobs,
        "Comparing learners",
        lambda: workspace.rows_version,
        lambda job, seconds: compared_learners(workspace, job, seconds),
    )

    def found() -> Comparison:
        if (value := comparison.value) is None:
            raise NotAvailableError("The learners have not been compared on the current rows. Compare them first.")
        return value

    @router.get("/learners", summary="Available learners, and their scores if they were compared")
    async def learners() -> Any:
        service.model  # noqa: B018  # raises if nothing is open

        def listed() -> Any:
            value = comparison.value
            told = workspace.cached("candidates", lambda: _listed(workspace))
            return {"learners": told, "job": comparison.job, "found": value and value.document()}

        return await service.answer(listed)

    @router.post("/learners", summary="Compare learners in the background")
    async def compare(seconds: Annotated[float, Query(ge=1, le=3600)] = 30.0) -> Any:
        def started() -> Any:
            problem_of(workspace)  # raises errors before the job starts
            return comparison.start(seconds).document()

        return await service.answer(started)

    @router.get("/learners/details", summary="Held-out predictions of one learner")
    async def details(name: Annotated[str, Query(max_length=200)]) -> Any:
        return await service.answer(lambda: learner_document(found(), name))

    @router.post("/learners/costs", summary="Decisions of minimum expected cost for held-out rows")
    async def costs(body: Costs) -> Any:
        return await service.answer(lambda: decisions_by_costs(found(), body.name, body.costs))

    @router.post("/learners/decision", summary="Decide by costs or a threshold from now on")
    async def decide(body: Decision) -> Any:
        changing(service)
        model = service.model

        def decided() -> Any:
            classes = _texts(np.asarray(getattr(model, "classes_", ())))
            workspace.decision = decision_of(body, classes)
            return {"decision": workspace.decision}

        return await service.answer(decided)

    @router.post("/learners/answer", summary="Fit a learner to all rows in the background and use it for predictions")
    async def answer(body: Chosen) -> Any:
        changing(service)
        return await service.answer(lambda: answer_by(workspace, body.name).document())

    return router


def _listed(workspace: Workspace) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "title": one.title, "description": one.description, "answers": one.name != BASELINE}
        for one in candidates_of(problem_of(workspace))
    ]
