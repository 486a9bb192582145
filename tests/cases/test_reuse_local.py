"""Local regression on retrieved cases equals weighted least squares in fractions, and a mean where it is flat."""

from __future__ import annotations

import datetime
import math
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from reference.case_reuse import found, local_line, reuse
from scipy import stats

from priorcase.cases import Local
from priorcase.schema import Date, Nominal, Ordinal, Set, Text


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 2), st.integers(6, 12))
def test_a_plane_equals_weighted_least_squares(seed: int, width: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    xs = [[Fraction(int(v)) for v in row] for row in rng.integers(-9, 10, (n, width))]
    ys = [Fraction(int(v)) for v in rng.integers(-50, 51, n)]
    similarities = [Fraction(int(v), 8) for v in rng.integers(4, 9, n)]
    query = [Fraction(int(v), 2) for v in rng.integers(-9, 10, width)]
    matrix = np.array([[1.0, *map(float, x)] for x in xs])
    if np.linalg.matrix_rank(matrix) <= width or np.linalg.cond(matrix) > 1e4:
        return
    value, variance, error = local_line(xs, ys, similarities, query)
    cases = [
        (i + 1, float(s), int(y), None, {f"x{j}": int(v) for j, v in enumerate(x)})
        for i, (s, y, x) in enumerate(zip(similarities, ys, xs, strict=True))
    ]
    proposal = reuse(found(*cases), {f"x{j}": float(v) for j, v in enumerate(query)}, "local")
    spread = proposal.spread
    assert spread is not None
    assert proposal.solution == pytest.approx(float(value), rel=1e-8, abs=1e-7)
    assert spread.deviation == pytest.approx(math.sqrt(variance), rel=1e-6, abs=1e-6)
    assert spread.standard_error == pytest.approx(math.sqrt(error), rel=1e-6, abs=1e-6)
    effective = sum(similarities) ** 2 / sum(s**2 for s in similarities)
    half = stats.t.ppf(0.975, float(effective) - width - 1) * math.sqrt(variance + error)
    assert spread.interval == pytest.approx((float(value) - half, float(value) + half), rel=1e-6, abs=1e-6)


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(-20, 20), st.integers(0, 3)), min_size=2, max_size=9))
def test_a_flat_fit_is_the_mean(rows: list[tuple[int, int, int]]) -> None:
    cases = found(*[(i, s / 8, y, None, {"x": x}) for i, (s, y, x) in enumerate(rows)])
    flat, mean = reuse(cases, {"x": 1}, "local", degree=0, level=0.9), reuse(cases, {"x": 1}, "mean", level=0.9)
    assert flat.solution == pytest.approx(mean.solution, rel=1e-12, abs=1e-12)
    assert flat.spread is not None
    assert mean.spread is not None
    for part in ("deviation", "standard_error", "effective", "level"):
        assert getattr(flat.spread, part) == pytest.approx(getattr(mean.spread, part), rel=1e-6, abs=1e-7)
    assert flat.spread.interval == pytest.approx(mean.spread.interval, rel=1e-6, abs=1e-6)


def test_the_scale_of_similarities_changes_nothing() -> None:
    rows = [
        (1, 0.8, 1, None, {"x": 0}),
        (2, 0.6, 4, None, {"x": 1}),
        (3, 0.4, 5, None, {"x": 2}),
        (4, 0.4, 9, None, {"x": 4}),
    ]
    one = reuse(found(*rows), {"x": 3}, "local")
    other = reuse(found(*[(id, s / 4, *rest) for id, s, *rest in rows]), {"x": 3}, "local")
    assert other.solution == pytest.approx(one.solution, rel=1e-12)
    assert one.spread is not None
    assert other.spread is not None
    assert other.spread.interval == pytest.approx(one.spread.interval, rel=1e-9)


def test_kinds_say_how_attributes_enter() -> None:
    kinds = {"size": Ordinal(("S", "M", "L")), "day": Date(), "make": Nominal(), "note": Text(), "tags": Set()}
    start = datetime.date(2024, 1, 1)

    def price(size: int, day: int, make: str) -> float:
        return 100 + 30 * size + 2 * day + (15 if make == "B" else 0)

    cases = []
    for i, (size, day, make) in enumerate(
        [(0, 0, "A"), (1, 3, "B"), (2, 7, "A"), (0, 9, "B"), (2, 4, "B"), (1, 1, "A"), (1, 8, "A")]
    ):
        values = {"size": "SML"[size], "day": start + datetime.timedelta(day), "make": make, "note": f"number {i}"}
        cases.append((i + 1, 0.9 - i / 20, price(size, day, make), None, values))
    query = {"size": "L", "day": "2024-01-06", "make": "B", "note": "any", "tags": {"x"}}
    proposal = reuse(found(*cases), query, "local", kinds=kinds)
    assert proposal.solution == pytest.approx(price(2, 5, "B"), rel=1e-9)
    assert proposal.how == "A plane fitted to 7 cases using size, day, make"
    assert proposal.spread is not None
    assert proposal.spread.deviation == pytest.approx(0.0, abs=1e-6)
    by_day = reuse(found(*cases), query, "local", kinds=kinds, using=["day"])
    assert by_day.how == "A plane fitted to 7 cases using day"


def test_where_the_query_lies_outside_is_said() -> None:
    rows = [(i, 0.5, 2 * i, None, {"x": i, "make": "A" if i % 2 else "B", "same": 1}) for i in range(1, 7)]
    proposal = reuse(found(*rows), {"x": 9, "make": "C", "same": 1}, "local")
    assert proposal.solution == pytest.approx(18)
    assert proposal.notes == (
        "the query is outside the range of the cases in x",
        "no case has make C, so make is not used in the fit",
    )
    assert proposal.how.endswith("using x")


def test_gaps_of_cases_and_cases_without_weight() -> None:
    rows: list[Any] = [(i, 0.5, 2 * i, None, {"x": i}) for i in range(1, 6)]
    rows += [(6, 0.5, 6, None, {"x": None}), (7, 0.0, 99, None, {"x": 50}), (8, 0.5, 99, False, {"x": 50})]
    proposal = reuse(found(*rows), {"x": 3}, "local")
    assert proposal.solution == pytest.approx(6)
    assert proposal.notes == ("2 cases have weight 0",)


def test_ridge_pulls_towards_the_mean() -> None:
    rows = [(i, 0.5, 10 * i, None, {"x": i}) for i in range(6)]
    plain = reuse(found(*rows), {"x": 5}, "local").solution
    pulled = reuse(found(*rows), {"x": 5}, Local(ridge=1.0)).solution
    assert 25 < pulled < plain == pytest.approx(50)


def test_attributes_that_change_together_are_named() -> None:
    rows = [(i, 0.5, 3 * i, None, {"x": i, "z": 2 * i + 1, "make": "AB"[i % 2]}) for i in range(8)]
    proposal = reuse(found(*rows), {"x": 3, "z": 1, "make": "A"}, "local")
    assert proposal.notes == ("some of x, z, make are collinear in these cases",)
    assert reuse(found(*rows), {"x": 3, "make": "A"}, "local").notes == ()
    by_make = [(i, 0.5, 3 * i, None, {"x": i % 2, "make": "AB"[i % 2]}) for i in range(8)]
    assert len(reuse(found(*by_make), {"x": 1, "make": "A"}, "local").notes) == 1
