"""Every compiled call that takes a number of threads: none is refused, and any other number gives the same answer."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from priorcase import _core

MANY = 2**40


def valid(module: str) -> Any:
    """The tests of a part of the core, for the valid calls that they make."""
    return importlib.import_module(f"tests.{module}")


def calls() -> dict[str, Callable[[int], Any]]:
    """A valid call of everything that takes threads; it rechanges the prediction, or what the call has changed."""
    return {**_of_searches(), **_of_reductions(), **_of_bayes(), **_of_cases(), **_of_local()}


def _of_searches() -> dict[str, Callable[[int], Any]]:
    tests, votes = valid("search.test_core_index"), valid("neighbors.test_core_votes")
    concepts = valid("concepts.test_core_concepts")
    index, plan = tests.made(600)
    asked = tests.question(index, plan, 9)
    kept = {name: asked[name] for name in ("plan", "queries", "weights")}
    limits = kept | {"exclude": asked["exclude"], "algorithm": 0, "limits": np.full(9, 0.2)}
    left_out, codes = votes.asked(*votes.TABLE), np.arange(4.0)[:, None] * np.ones((1, 2))
    numbers = np.arange(votes.ROWS * 1.0)[:, None]

    def organise(threads: int) -> Any:
        index.organise(plan, threads)
        return index.kneighbors(**asked)

    def append(threads: int) -> Any:
        rows = np.random.default_rng(5).integers(0, 3, size=(9_000, asked["queries"].shape[1])).astype(float)
        grown, _ = tests.made(600)
        grown.append(np.arange(1_000, 10_000), rows, threads)
        return grown.kneighbors(**asked)

    def made_again(threads: int) -> Any:
        return _core.Index(np.array([0, 0, 0, 1], np.uint8), index.parts(), threads).kneighbors(**asked)

    def in_order(threads: int) -> Any:
        fewer = index.fork()
        fewer.remove(np.arange(100))
        parts = fewer.parts(plan, threads)
        return [*parts.values(), *_core.Index(np.array([0, 0, 0, 1], np.uint8), parts, 1).kneighbors(**asked)]

    def learn_together(threads: int) -> Any:
        made, found = [concepts.concept(), concepts.concept(rule=2)], []
        labels = [concepts.LABELS] * 2
        _core.learn_together(made, concepts.IDS, concepts.CELLS, labels, True, threads, None, found)
        return found

    return {
        "Index.kneighbors": lambda threads: index.kneighbors(**(asked | {"threads": threads})),
        "Index.within": lambda threads: index.within(**limits, threads=threads),
        "Index.costs": lambda threads: index.costs(**kept, ids=np.arange(300), threads=threads),
        "Index.organise": organise,
        "Index.append": append,
        "Index.__init__": made_again,
        "Index.parts": in_order,
        "LeftOut.__init__": lambda threads: _core.LeftOut(**(left_out | {"threads": threads})).numbers(
            numbers, numbers[: votes.QUERIES].copy()
        ),
        "Concept.nearest": lambda threads: concepts.learned().nearest(concepts.CELLS, threads),
        "Concept.nearest_with": lambda threads: concepts.learned().nearest_with(concepts.CELLS, 1, threads),
        "learn_together": learn_together,
        "Exemplars.kneighbors": lambda threads: concepts.exemplars().kneighbors(codes, 2, False, None, threads),
    }


def _of_reductions() -> dict[str, Callable[[int], Any]]:
    tests = valid("reduction.test_core_reduction")

    def reduced(name: str, call: str, threads: int) -> Any:
        core = tests.made(name, tests.rows())
        if call == "enemy_costs":
            core.fill(0, 40, 1)
            return core.enemy_costs(np.arange(40), threads)
        answer = core.count(np.arange(40), threads) if call == "count" else getattr(core, call)(0, 40, threads)
        if name in ("Reduced", "Drop"):
            core.consider(*((0, 40) if name == "Reduced" else (np.arange(40), False)))
        return answer, core.held()

    names = ["Condensed.take_in", "Reduced.fill", "CaseFilter.count", "Drop.fill", "Drop.enemy_costs"]
    return {name: partial(reduced, *name.split(".")) for name in names}


def _of_bayes() -> dict[str, Callable[[int], Any]]:
    tests = valid("bayes.test_core_bayes")

    def called(name: str, threads: int) -> Any:
        call, given = tests.calls()[name]
        answer = call(**(given | {"threads": threads}))
        return [answer, *(value for key, value in given.items() if key in tests.WRITTEN)]

    names = {name: name for name in ("count_values", "add_moments", "count_pairs", "normalise_rows")}
    names |= {f"Scorer.{name}": name for name in ("score", "score_cells", "score_left_out")}
    return {full: partial(called, name) for full, name in (names | {"tree_joint_logs": "all_trees"}).items()}


def _of_cases() -> dict[str, Callable[[int], Any]]:
    tests = valid("cases.test_core_cases")
    given = tests.texts_of()
    texts, asked = _core.PackedTexts(given["characters"], given["offsets"]), given["asked"]
    return {
        "best_cases": lambda threads: tests.best(**(tests.best_of() | {"threads": threads})),
        "all_similarities": lambda threads: tests.every(**(tests.every_of() | {"threads": threads})),
        "best_cases_many": lambda threads: tests.many(**(tests.many_of() | {"threads": threads})),
        "PackedTexts.edit_distances": lambda threads: texts.edit_distances(asked, threads),
        "PackedTexts.edit_similarities": lambda threads: texts.edit_similarities(asked, threads),
    }


def _of_local() -> dict[str, Callable[[int], Any]]:
    local, relevance = valid("local.test_core_local"), valid("relevance.test_core_relevance")
    made = {
        "local_fits": (_core.local_fits, local.fits),
        "local_bayes": (_core.local_bayes, local.bayes),
        "local_logistic": (_core.local_logistic, local.logistic),
        "Stretch.evaluate": (relevance.evaluate, relevance.stretch),
        "local_weights": (_core.local_weights, relevance.local),
        "relief_sums": (_core.relief_sums, relevance.relief),
    }

    def called(name: str, threads: int) -> Any:
        call, given = made[name]
        return call(**(given() | {"threads": threads}))

    return {name: partial(called, name) for name in made}


def take_threads() -> set[str]:
    """Functions and methods of the core that have a parameter of that name."""
    found = set()
    for name, thing in vars(_core).items():
        members = vars(thing).items() if isinstance(thing, type) else [("", thing)]
        found |= {f"{name}.{member}".rstrip(".") for member, call in members if "threads: int" in str(call.__doc__)}
    return found


def same(one: Any, other: Any) -> None:
    if isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    elif isinstance(one, dict):
        same(list(one.items()), list(other.items()))
    else:
        np.testing.assert_array_equal(one, other)


def test_every_call_is_here() -> None:
    assert take_threads() == set(calls())


@pytest.mark.parametrize("name", calls())
def test_no_threads_are_refused_and_many_answer_as_one(name: str) -> None:
    call = calls()[name]
    with pytest.raises(ValueError, match="threads must be at least 1"):
        call(0)
    same(call(1), call(MANY))
