"""The compiled retrieval of cases, called directly: what is refused, who runs meanwhile, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core_calls import others_run, seconds_to_stop, survives

from priorcase import _core

NAN, INF = float("nan"), float("inf")


# -- calls with arrays as arguments


def best(
    codes: Any, numbers: Any, other: Any, table: Any, other_table: Any, weights: Any, mask: Any, **rest: Any
) -> Any:
    columns = [_core.CodedColumn(codes, 7, numbers), _core.CodedColumn(other, 90, None, None)] * rest.pop("times")
    tables = [table, other_table] * (len(columns) // 2)
    return _core.best_cases(rest.pop("n"), columns, tables, np.tile(weights, len(columns) // 2), mask, **rest)


def every(codes: Any, other: Any, table: Any, other_table: Any, weights: Any, n: Any, times: int, **rest: Any) -> Any:
    given = [codes, other] * times, [table, other_table] * times, np.tile(weights, times)
    return _core.all_similarities(n, *given, **rest)


def many(codes: Any, asked: Any, table: Any, weights: Any, own: Any, mask: Any, n: Any, **rest: Any) -> Any:
    return _core.best_cases_many(n, [codes], [asked], [table], weights, own, mask, **rest)


def grown(codes: Any, before: Any, numbers: Any) -> Any:
    return _core.CodedColumn(codes, 7, numbers, _core.CodedColumn(before, 7, numbers))


def taken(codes: Any, other: Any, values: Any, positions: Any) -> Any:
    return _core.CaseValues([codes, other], [tuple(values), tuple(range(90))]).at(positions)


def texts(characters: Any, offsets: Any, asked: Any, threads: Any) -> Any:
    packed = _core.PackedTexts(characters, offsets)
    return packed.edit_distances(asked, threads), packed.edit_similarities(asked, threads)


def sums(starts: Any, holders: Any, weights: Any, n: Any, terms: Any, term_weights: Any) -> Any:
    return _core.Postings(starts, holders, weights, n).sums(terms, term_weights)


def sets(starts: Any, holders: Any, n: Any, terms: Any, asked: Any, measure: Any) -> Any:
    return _core.Postings(starts, holders, None, n).set_similarities(terms, asked, measure)


# -- arguments that are right


def cases(n: int = 300, times: int = 1) -> dict[str, Any]:
    random = np.random.default_rng(0)
    codes, other = (random.integers(-1, size, n).astype(np.int32) for size in (7, 90))
    tables = {"table": random.random(7), "other_table": random.random(90)}
    return {"codes": codes, "other": other, **tables, "weights": np.array([1.0, 2.0]), "n": n, "times": times}


def best_of(n: int = 300, times: int = 1, k: int = 5) -> dict[str, Any]:
    mask, numbers = np.ones(n, np.uint8), np.arange(7.0)
    return cases(n, times) | {"mask": mask, "numbers": numbers, "k": k, "ignore": False, "threads": 2}


def every_of(n: int = 300, times: int = 1) -> dict[str, Any]:
    return cases(n, times) | {"ignore": True, "threads": 2}


def many_of(n: int = 300, queries: int = 20) -> dict[str, Any]:
    random = np.random.default_rng(1)
    given = {"codes": random.integers(-1, 7, n).astype(np.int32), "table": random.random((5, 7)), "n": n}
    given |= {"asked": random.integers(-1, 5, queries).astype(np.int32), "weights": np.ones(1)}
    given |= {"own": random.integers(-1, n, queries), "mask": np.ones(n, np.uint8)}
    return given | {"k": 3, "ignore": False, "threads": 2}


def grown_of(n: int = 300) -> dict[str, Any]:
    codes = cases(n)["codes"]
    return {"codes": codes, "before": codes[: n // 2].copy(), "numbers": np.arange(7.0)}


def taken_of(n: int = 300) -> dict[str, Any]:
    given = cases(n)
    return {"codes": given["codes"], "other": given["other"], "values": np.arange(7), "positions": np.arange(9)}


def texts_of(n: int = 40, length: int = 30, asked: int = 50) -> dict[str, Any]:
    characters = np.random.default_rng(2).integers(97, 123, n * length).astype(np.uint32)
    return {"characters": characters, "offsets": np.arange(n + 1) * length, "asked": characters[:asked], "threads": 2}


def sums_of(terms: int = 12, entries: int = 20, asked: int = 30) -> dict[str, Any]:
    random = np.random.default_rng(3)
    holders = random.integers(0, 50, terms * entries).astype(np.int32)
    given = {"starts": np.arange(terms + 1) * entries, "holders": holders, "weights": random.random(len(holders))}
    return given | {"n": 50, "terms": random.integers(0, terms, asked), "term_weights": random.random(asked)}


def sets_of(terms: int = 12, entries: int = 20) -> dict[str, Any]:
    given = sums_of(terms, entries)
    kept = {name: given[name] for name in ("starts", "holders", "n")}
    return kept | {"terms": np.arange(terms), "asked": terms, "measure": 0}


def falling_of(n: int = 60) -> dict[str, Any]:
    return {"points": np.linspace(-1, 1, n), "point": 0.5, "length": 2.0, "side": 1}


CALLS: list[tuple[Callable[..., Any], Callable[..., dict[str, Any]]]] = [
    (best, best_of),
    (every, every_of),
    (many, many_of),
    (grown, grown_of),
    (taken, taken_of),
    (texts, texts_of),
    (sums, sums_of),
    (sets, sets_of),
    (_core.falling, falling_of),
]


@pytest.mark.parametrize(("call", "given"), CALLS)
def test_any_arguments_are_answered_or_refused(call: Callable[..., Any], given: Callable[..., Any]) -> None:
    call(**given())
    kept = {name: value for name, value in given().items() if name != "times"}
    fixed = {} if "times" not in given() else {"times": 2}
    answered, refused = survives(lambda **changed: call(**changed, **fixed), kept, 400)
    assert answered > 0
    assert refused > 60


WRONG = np.array([7], np.int32)


@pytest.mark.parametrize(
    ("call", "given", "change", "words"),
    [
        (best, best_of, {"codes": np.full(300, 7, np.int32)}, "below the number of values"),
        (best, best_of, {"codes": np.full(300, 2**31 - 1, np.int32)}, "below the number of values"),
        (best, best_of, {"numbers": np.arange(6.0)}, "one number for each value"),
        (best, best_of, {"numbers": np.full(7, NAN)}, "numbers are not NaN"),
        (best, best_of, {"table": np.full(7, NAN)}, "numbers from 0 to 1"),
        (best, best_of, {"table": np.full(7, 1.5)}, "numbers from 0 to 1"),
        (best, best_of, {"other_table": np.ones(89)}, "one similarity for each value"),
        (best, best_of, {"weights": np.array([NAN, 1.0])}, "finite and not negative"),
        (best, best_of, {"weights": np.array([INF, 1.0])}, "finite and not negative"),
        (best, best_of, {"mask": np.ones(299, np.uint8)}, "one entry for each case"),
        (best, best_of, {"n": 301, "mask": None}, "one code for each case"),
        (best, best_of, {"times": 0, "weights": np.empty(0), "mask": None}, "a mask is required"),
        (every, every_of, {"codes": np.full(300, 7, np.int32)}, "no place in its table"),
        (every, every_of, {"other_table": np.full(90, -0.5)}, "numbers from 0 to 1"),
        (every, every_of, {"weights": np.array([-1.0, 1.0])}, "finite and not negative"),
        (every, every_of, {"times": 0, "n": 2**62}, "a mask is required"),
        (many, many_of, {"table": np.full((5, 7), NAN)}, "numbers from 0 to 1"),
        (many, many_of, {"table": np.ones((4, 7))}, "a query's code has no table"),
        (many, many_of, {"codes": np.full(300, 2**31 - 1, np.int32)}, "no place in its table"),
        (grown, grown_of, {"before": WRONG - 1}, "begin with the codes of the earlier"),
        (grown, grown_of, {"codes": np.empty(0, np.int32)}, "begin with the codes of the earlier"),
        (taken, taken_of, {"positions": np.array([300])}, "no such case"),
        (taken, taken_of, {"positions": np.array([-1])}, "no such case"),
        (taken, taken_of, {"values": np.arange(0)}, "below the number of values"),
        (taken, taken_of, {"codes": WRONG}, "one code for each case"),
        (sets, sets_of, {"measure": 4}, "no such measure"),
        (sets, sets_of, {"terms": np.array([1, 1])}, "a term is given twice"),
        (sets, sets_of, {"asked": 11}, "at least the number of terms"),
        (sets, sets_of, {"terms": np.array([12])}, "no such term"),
        (_core.falling, falling_of, {"side": 3}, "no such side"),
        (_core.falling, falling_of, {"length": NAN}, "length must not be negative"),
        (_core.falling, falling_of, {"point": NAN}, "point must not be NaN"),
    ],
)
def test_refuses(call: Callable[..., Any], given: Callable[..., Any], change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(**given() | change)


def test_sets_have_no_weights() -> None:
    given = sums_of()
    weighted = _core.Postings(given["starts"], given["holders"], given["weights"], given["n"])
    with pytest.raises(ValueError, match="sets have no weights"):
        weighted.set_similarities([0], 1, 0)


def test_codes_that_change_later_are_refused() -> None:
    codes = np.zeros(5, np.int32)
    column = _core.CodedColumn(codes, 1)
    codes[:] = 2**31 - 1
    with pytest.raises(ValueError, match="no place in its table"):
        _core.best_cases(5, [column], [np.ones(1)], np.ones(1), None, 2, False, 1)


def test_nothing_has_answers() -> None:
    none = np.empty(0, np.int32)
    empty = _core.CodedColumn(none, 0, np.empty(0), None)
    positions, similarities, local = _core.best_cases(0, [empty], [np.empty(0)], np.ones(1), None, 3, False, 2)
    assert (positions.size, similarities.size, local.shape) == (0, 0, (0, 1))
    assert _core.best_cases(9, [], [], np.empty(0), np.ones(9, np.uint8), 0, False, 2)[2].shape == (0, 0)
    missing = _core.CodedColumn(np.full(3, -1, np.int32), 0)
    for ignore in (False, True):
        found = _core.best_cases(3, [missing], [np.empty(0)], np.ones(1), None, 2, ignore, 1)
        assert (found[0].tolist(), found[1].tolist()) == ([0, 1], [0.0, 0.0])
    assert _core.CaseValues([], []).at(np.empty(0, np.int64)) == []
    assert _core.Postings(np.zeros(1, np.int64), none, None, 0).set_similarities([], 0, 0).size == 0
    assert _core.PackedTexts(np.empty(0, np.uint32), np.zeros(3, np.int64)).edit_similarities(
        np.empty(0, np.uint32), 1
    ).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (best, best_of(100_000)),
        (every, every_of(50_000)),
        (many, many_of(5_000, 200)),
        (grown, grown_of(500_000)),
        (texts, texts_of(5_000)),
        (sums, sums_of(50, 2_000, 3_000)),
        (sets, sets_of(200, 2_000)),
        (_core.falling, falling_of(500_000)),
    ],
)
def test_other_threads_run_meanwhile(call: Callable[..., Any], given: dict[str, Any]) -> None:
    assert others_run(lambda: call(**given))


PROGRAM = """
from test_core_cases import best, best_of, every, every_of, many, many_of, sums, sums_of, texts, texts_of

calls = [
    (best, best_of(500_000, 300, 500_000)),
    (every, every_of(500_000, 300)),
    (many, many_of(1_000_000, 10_000)),
    (texts, texts_of(2, 1_000_000, 1_000_000)),
    (sums, sums_of(10, 200_000, 100_000)),
]
for call, given in calls:
    print(interrupted(lambda: call(**given)))
"""


def test_ctrl_c_ends_every_long_call() -> None:
    found = seconds_to_stop(__file__, PROGRAM)
    assert len(found) == 5
    assert max(found) < 5.0
