"""``python -m priorcase.demo`` (``make demo``): answers from precedents on a small built-in table.

A workshop has kept its visits: what each bicycle came with, and the job it needed. Three more arrive, with gaps and
with a kind of bicycle never seen before. Each gets an answer, probabilities, and the past visits that speak for it.
Then the same visits are counted, by naive Bayes, whose probabilities are put to the test; they come as a stream, of
which only some are remembered; and one visit is added and forgotten again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from priorcase.bayes import NaiveBayes
from priorcase.concepts import IB1, IB2
from priorcase.datasets import NamedColumns, load_repairs
from priorcase.evaluation import log_score, zero_one_score
from priorcase.neighbors import KNNClassifier
from priorcase.neighbors.terminal import TerminalView
from priorcase.typing import AnyArray

__all__ = ["CASES", "main", "story"]

CASES: tuple[tuple[str, dict[str, object]], ...] = (
    (
        "A cargo bike of which little is known: four gaps.",
        {"bike": "cargo", "age_years": 3.0, "electric": True, "brakes": "weak", "noise": "squeal"},
    ),
    (
        "A gravel bike: a value that no past visit has.",
        {"bike": "gravel", "age_years": 2.5, "km_since_service": 3400.0, "load_kg": 74.0, "electric": False}
        | {"outdoors": False, "chain": "worn", "brakes": "firm", "noise": "click"},
    ),
    (
        "A city bike with two troubles, whose rider wears headphones.",
        {"bike": "city", "age_years": 4.0, "km_since_service": 2100.0, "load_kg": 92.0, "electric": False}
        | {"outdoors": True, "chain": "worn", "brakes": "soft"},
    ),
)
"""What is remarkable about each new visit, and what is known of it."""

_DIGEST = 12


def main(console: Console | None = None) -> None:
    """Print the demonstration."""
    console = console or Console(highlight=False)
    for part in story():
        console.print(part)


def story() -> Iterator[RenderableType]:
    """The demonstration, part by part."""
    X, y = load_repairs()
    model = KNNClassifier(n_neighbors=3, distance="hvdm", prior="frequency").fit(X, y)
    yield from _opening(X, model)
    queries = NamedColumns.of({name: [case.get(name) for _, case in CASES] for name in X.kinds}, X.kinds)
    for (remark, _), one in zip(CASES, model.precedents(queries), strict=True):
        yield Text()
        yield TerminalView(one, "job", [Text(f"{remark}\n", style="bold")])
    gravel = queries.take(slice(1, 2))
    yield Text()
    yield from _counting(X, y, gravel)
    yield Text()
    yield from _remembering(X, y)
    yield Text()
    yield from _memory(model, gravel)
    yield Text()
    yield Text("The same for a table of your own:", style="bold")
    yield Text("    priorcase explain --train past.csv --target COLUMN --query new.csv", style="cyan")
    yield Text("    priorcase explain --learner naive-bayes --train past.csv ...", style="cyan")


def _opening(X: NamedColumns, model: KNNClassifier) -> Iterator[RenderableType]:
    gaps = sum(value is None or value != value for name in X.data for value in X[name].tolist())
    yield Text("priorcase answers from precedents", style="bold")
    yield Text()
    yield Text(f"{len(X)} visits to a bicycle workshop, {len(X.data)} mixed columns, {gaps} gaps: which job is next?")
    yield Text("The model takes the table as it is; nothing is encoded, scaled or filled in:")
    yield Text(f"    {' '.join(repr(model).split())}.fit(X, y)", style="cyan")
    yield Text("Beside a value stands what it adds to the distance of its visit; the parts add up to the last line.")


def _counting(X: NamedColumns, y: AnyArray, case: NamedColumns) -> Iterator[RenderableType]:
    """Naive Bayes that averages over all parameters, beside the one that plugs in the most probable ones."""
    yield Text("An honest probability: the same visits counted, by naive Bayes.", style="bold")
    averaged, plugged = NaiveBayes("evidence").fit(X, y), NaiveBayes("map").fit(X, y)
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("leave-one-out")
    table.add_column("right", justify="right")
    table.add_column("log-score", justify="right")
    table.add_column("the gravel bike needs")
    for model in (averaged, plugged):
        shares, labels = model.loo_predict_proba(), model.classes_
        right, score = zero_one_score(y, shares, labels=labels), log_score(y, shares, labels=labels)
        table.add_row(f"NaiveBayes({model.predictive!r})", f"{right:.0%}", f"{score:.2f}", _likely(model, case))
    yield table
    came_true = plugged.loo_predict_proba()[np.arange(len(y)), np.searchsorted(plugged.classes_, y)]
    yield Text(
        f"To 'map' what it never saw is impossible: {np.count_nonzero(came_true == 0)} jobs that came true, and every "
        "job of a gravel bike, so that it cannot choose. 'evidence' averages over all parameters; this speaks for its "
        "answer:"
    )
    yield Text(str(averaged.contributions(case)))


def _remembering(X: NamedColumns, y: AnyArray) -> Iterator[RenderableType]:
    """The visits one by one, each predicted before it is learned; all remembered, or only the surprising ones."""
    yield Text("Not every visit is worth remembering: a stream, each visit predicted first.", style="bold")
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("remembers")
    table.add_column("visits", justify="right")
    table.add_column("right in the first half", justify="right")
    table.add_column("in the second", justify="right")
    for name, model in (("IB1: every visit", IB1(history=True)), ("IB2: those it got wrong", IB2(history=True))):
        correct = model.fit(X, y).history_.correct
        halves = [np.mean(half[half >= 0]) for half in np.split(correct, [len(y) // 2])]
        table.add_row(name, str(model.stored_), *(f"{right:.0%}" for right in halves))
    yield table


def _memory(model: KNNClassifier, case: NamedColumns) -> Iterator[RenderableType]:
    """A visit is added and forgotten; the digest of the stored rows tells."""
    yield Text(
        "What is learned can be forgotten, exactly: the gravel bike turned out to need new wheels.", style="bold"
    )
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column()
    table.add_column("visits", justify="right")
    table.add_column("digest of the rows")
    table.add_column("such a bike needs")
    fitted = _state(model, case)
    table.add_row("fit", *fitted)
    new = model.partial_fit(case, ["wheel"]).ids_[-1:]
    table.add_row(f"partial_fit: #{new[0]}", *_state(model, case))
    forgotten = _state(model.forget(new), case)
    table.add_row(f"forget: #{new[0]}", *forgotten)
    yield table
    yield Text(f"Nothing is left of #{new[0]}." if forgotten == fitted else f"Something is left of #{new[0]}!")


def _state(model: KNNClassifier, case: NamedColumns) -> tuple[str, str, str]:
    """How many rows are stored, their digest, and the likeliest answers to one case."""
    return str(len(model.ids_)), f"{model.digest()[:_DIGEST]}...", _likely(model, case)


def _likely(model: KNNClassifier | NaiveBayes, case: NamedColumns) -> str:
    """The two likeliest answers to one case."""
    shares = np.asarray(model.predict_proba(case))[0]
    return ", ".join(f"{model.classes_[c]} {shares[c]:.2f}" for c in np.argsort(-shares, kind="stable")[:2])


if __name__ == "__main__":
    main()
