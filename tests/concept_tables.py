"""Streams of mixed rows for the tests of concept learners, and the slow learner beside each fast one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from reference.concepts import Description, PerClass
from scipy.special import ndtri
from sklearn.base import clone

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5
from priorcase.schema import Nominal, Numeric, Ordinal, Schema

LEVELS = ("low", "middle", "high")
KINDS: tuple[Any, ...] = ("numeric", "nominal", len(LEVELS), "numeric")
SCHEMA = Schema(("age", "colour", "size", "score"), (Numeric(), Nominal(), Ordinal(LEVELS), Numeric()))
RULES = {IB1: "every", IB2: "misclassified", IB3: "significance", IB4: "significance", IB5: "significance"}

Rows = list[list[Any]]


def stream(n: int, seed: int = 0, gaps: float = 0.15, classes: Sequence[Any] = "abc") -> tuple[Rows, list[Any]]:
    """Rows with few different values, so that distances tie, and classes that follow from them, with noise."""
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for _ in range(n):
        row: list[Any] = [
            float(rng.integers(0, 7)),
            str(rng.choice(["red", "green", "blue"])),
            str(rng.choice(LEVELS)),
            float(np.round(rng.normal(), 1)),
        ]
        place = int(row[0] > 3) + (row[1] == "red")
        labels.append(classes[place % len(classes) if rng.random() > 0.2 else int(rng.integers(len(classes)))])
        rows.append([None if rng.random() < gaps else value for value in row])
    return rows, labels


def ranked(row: Sequence[Any]) -> list[Any]:
    """A row as the slow learners want it: levels by rank, -1 for one that was not declared."""
    level = row[2]
    rank = None if level is None else LEVELS.index(level) if level in LEVELS else -1
    return [row[0], row[1], rank, row[3]]


def queries(n: int, seed: int = 99) -> Rows:
    """Rows like those of a stream, and some beyond: numbers outside the range, values never seen, only gaps."""
    odd: Rows = [[None] * 4, [20.0, "violet", "low", -9.0], [-3.0, "red", None, 4.0], [3.0, None, "vast", 0.0]]
    return [*stream(n, seed)[0], *odd]


def options(learner: Any) -> dict[str, Any]:
    """What the slow learner needs to know of a fast one."""
    weighted = isinstance(learner, (IB4, IB5))
    return {
        "rule": RULES[type(learner)],
        "ties": learner.ties,
        "z_accept": float(ndtri(getattr(learner, "accept", 0.9))),
        "z_drop": float(ndtri(getattr(learner, "drop", 0.875))),
        "weighted": weighted,
        "known_only": isinstance(learner, IB5),
        "weight_power": getattr(learner, "weight_power", 2),
        "gaps": getattr(learner, "missing", "aha"),
        "window": learner.window,
        "decay": getattr(learner, "decay", 1.0),
        "seed": learner.random_state or 0,
    }


def slow(learner: Any, rows: Rows, labels: Sequence[Any], kinds: Sequence[Any] = KINDS) -> Any:
    """The slow learner after a stream: a description, or one for each class."""
    if not per_class(learner):
        found = Description(kinds, **options(learner))
        return found.learn_all([ranked(row) for row in rows], labels)
    several = PerClass(kinds, **options(learner))
    for row, label in zip(rows, labels, strict=True):
        several.learn(ranked(row), label)
    return several


def per_class(learner: Any) -> bool:
    return isinstance(learner, (IB4, IB5)) or bool(learner.per_class)


LEARNERS = [
    IB1(),
    IB1(ties="first"),
    IB1(ties="random", random_state=5),
    IB1(window=17),
    IB1(per_class=True),
    IB2(),
    IB2(ties="first", window=25),
    IB2(ties="random", random_state=11),
    IB2(per_class=True),
    IB3(random_state=0),
    IB3(random_state=3, ties="first", accept=0.75, drop=0.7),
    IB3(random_state=4, ties="random", decay=0.97),
    IB3(random_state=0, window=30),
    IB3(random_state=0, window=80, decay=0.9, accept=0.7),
    IB3(random_state=1, per_class=True, accept=0.8),
    IB4(random_state=0),
    IB4(random_state=2, weight_power=1, ties="first", accept=0.75),
    IB4(random_state=2, decay=0.98, accept=0.7),
    IB5(random_state=0, accept=0.75),
    IB5(random_state=7, missing="scale", accept=0.7, drop=0.8),
    IB5(random_state=7, window=40, ties="random", accept=0.7),
]


def new(learner: Any, **changed: Any) -> Any:
    """An unfitted learner of streams."""
    return clone(learner).set_params(**{"schema": SCHEMA, "n_jobs": 1, **changed})


def same_frame(one: pd.DataFrame, other: pd.DataFrame) -> None:
    """The same values in the same types; pandas says what differs."""
    if not one.equals(other):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def same(one: Any, other: Any, asked: Rows = queries(12)) -> None:  # noqa: B008  # rows that no test changes
    """Two learners in the same state, as far as anyone can see."""
    assert one.digest() == other.digest()
    assert one.classes_.tolist() == other.classes_.tolist()
    for name in ("stored_", "dropped_", "n_seen_", "storage_"):
        assert getattr(one, name) == getattr(other, name), name
    frames = one.concept_, other.concept_
    for frame in frames:
        frame.pop("id")
    same_frame(*frames)
    assert one.predict(asked).tolist() == other.predict(asked).tolist()
    np.testing.assert_array_equal(one.predict_proba(asked), other.predict_proba(asked))
    if one.history:
        same_frame(one.history_.frame(), other.history_.frame())


def named(learner: Any) -> str:
    """A learner as the name of a test."""
    return repr(learner).replace(" ", "").replace("\n", "")


@st.composite
def streams(draw: st.DrawFn, most: int = 25) -> tuple[Rows, list[Any]]:
    """Short streams with gaps."""
    row = st.tuples(
        st.sampled_from([0.0, 1.0, 2.0, 5.0, None]),
        st.sampled_from(["red", "green", "blue", None]),
        st.sampled_from([*LEVELS, None]),
        st.sampled_from([-1.0, 0.25, 3.0, None]),
    )
    rows = draw(st.lists(row.map(list), min_size=1, max_size=most))
    return rows, draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
