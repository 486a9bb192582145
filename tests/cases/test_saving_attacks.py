"""Saved learners made up by somebody who means harm: checksums are right, and what they hold is not."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases.saved_bytes import KNN, opened, round_trip, sealed

import priorcase as pc
from priorcase.cases.learners import Recipe
from priorcase.cases.saving import dump, load
from priorcase.cases.saving.attributes import give
from priorcase.exceptions import ReadingError, UnsupportedDataError

NUMERIC = "priorcase.schema.kinds:Numeric"
SLOTS = "priorcase.learning.sorted_rows:SortedRows"


@pytest.mark.parametrize("kind", ["dict", "set", "frozenset", "counter"])
def test_pairs_of_pairs_of_pairs_are_never_walked_through(kind: str) -> None:
    # 2 ** 60 steps to hash, from 2 kB: this would never end, nor hear Ctrl-C.
    values: list[Any] = [[1], 1] if kind in ("dict", "counter") else [[1]]
    pairs = [["tuple", [[i + 1], [i + 1]]] for i in range(1, 60)]
    with pytest.raises(ReadingError, match="the same objects within each other without end"):
        load(sealed([[kind, values], *pairs, ["tuple", []]]))
    lists = [["list", [[i + 1], [i + 1]]] for i in range(60)]  # would be printed without end
    with pytest.raises(ReadingError, match="the same objects within each other without end"):
        load(sealed([*lists, ["list", []]]))


def test_objects_of_the_library_count_as_what_they_hold() -> None:
    nodes: list[Any] = [["set", [[1]]]]
    for i in range(1, 80, 2):
        nodes += [["object", "priorcase.schema.kinds:Ordinal", [i + 1]], ["list", [[i + 2], [i + 2]]]]
    with pytest.raises(ReadingError, match="the same objects within each other without end"):
        load(sealed([*nodes, ["tuple", []]]))


@pytest.mark.parametrize("kind", ["set", "frozenset", "dict"])
def test_keys_of_the_same_hash_do_not_take_the_square_of_their_number(kind: str) -> None:
    n, modulus = 20_000, 2**61 - 1
    values = [value for i in range(1, n + 1) for value in ([[i], 0] if kind == "dict" else [[i]])]
    keys = [["int", f"{modulus * i:x}"] for i in range(1, n + 1)]
    began = time.process_time()
    with pytest.raises(ReadingError, match="keys that were made to be alike"):
        load(sealed([[kind, values], *keys]))
    assert time.process_time() - began < 2.0


def test_keys_that_happen_to_have_the_same_hash_are_kept() -> None:
    alike = {(-a, -b, -c): a for a in (1, 2) for b in (1, 2) for c in (1, 2)}  # hash(-1) is hash(-2)
    assert round_trip([alike, {-1, -2, 0.5, None}]) == [alike, {-1, -2, 0.5, None}]


def test_nothing_that_is_empty_stands_for_much() -> None:
    for node in (["array", "<U0", [10**9], "C", True, 0], ["array", "|S0", [10**9], "C", True, 0]):
        with pytest.raises(ReadingError, match="an array whose shape does not fit its bytes"):
            load(sealed([node]))
    with pytest.raises(ReadingError, match="a range without end"):
        load(sealed([["range", "0", "ffffffffffff", "1"]]))
    with pytest.raises(ReadingError, match="a number without end"):
        load(sealed([["fraction", "f" * 10_001, "e"]]))


def test_what_could_not_be_read_is_not_written() -> None:
    endless: Any
    for endless, kind in [(range(10**8), "range"), (2**50_000, "int"), (Fraction(1, 2**50_000), "fractions.Fraction")]:
        with pytest.raises(UnsupportedDataError, match=rf"KNNClassifier\.schema is a .*{kind}, which the format"):
            dump(pc.KNNClassifier(schema=endless))
    assert round_trip([range(10**7), range(0), range(9, 0, -4), 2**39_000]) == [
        range(10**7),
        range(0),
        range(9, 0, -4),
        2**39_000,
    ]


def test_empty_texts_of_numpy_come_back() -> None:
    other = round_trip([np.str_(""), np.bytes_(b""), np.array(["", ""]), np.dtype(str)])
    assert [type(each) for each in other[:2]] == [np.str_, np.bytes_]
    assert repr(other) == repr([np.str_(""), np.bytes_(b""), np.array(["", ""]), np.dtype("<U")])


@pytest.mark.parametrize("name", ["predict", "get_params", "fit", "__class__", "__dict__", "_KNN bad", "", 3])
def test_methods_are_never_replaced_by_data(name: Any) -> None:
    nodes, blobs = opened(dump(pc.KNNClassifier(1)))
    assert nodes[0][:2] == ["object", KNN]
    state = nodes[nodes[0][2][0]]
    state[1] += [name, [len(nodes)]]
    with pytest.raises(ReadingError, match="KNNClassifier has no attribute"):
        load(sealed([*nodes, ["type", "str"]], blobs))


@pytest.mark.parametrize("name", ["__class__", "view", "__init__", "other", "__doc__"])
def test_only_slots_are_set_as_slots(name: str) -> None:
    with pytest.raises(ReadingError, match="SortedRows has no slot"):
        load(sealed([["object", SLOTS, [1]], ["tuple", [None, [2]]], ["dict", [name, 3]]]))


def test_properties_are_never_set() -> None:
    class Sly:
        @property
        def size(self) -> int:
            return 3

        @size.setter
        def size(self, value: int) -> None:
            raise AssertionError("code ran")

    for state in ({"size": 1}, (None, {"size": 1})):
        with pytest.raises(ValueError, match="has no"):
            give(Sly(), state)


def test_a_recipe_makes_learners_only() -> None:
    with pc.CaseBase.temporary({"age": "numeric"}) as base:
        base.add({"age": 3}, solution="a")
        recipe = base.fit(pc.KNNClassifier(1)).recipe
    assert recipe.unfitted().get_params()["n_neighbors"] == 1
    for other in (NUMERIC, "priorcase.neighbors.precedents:TerminalView", "os:system"):
        made_up = Recipe.from_json(replace(recipe, learner=other).json())
        with pytest.raises(ReadingError, match=r"names the class .*, which is no part of a learner"):
            made_up.unfitted()


@pytest.mark.parametrize("learner", [pc.KNNClassifier(1), pc.IB3(random_state=0), pc.NaiveBayes(), pc.PEBLS()])
def test_arrays_that_do_not_fit_each_other_never_crash(learner: Any) -> None:
    X = [[0.0, "red"], [1.0, "blue"], [None, "red"], [2.0, "blue"]]
    nodes, blobs = opened(dump(learner.fit(X, ["a", "b", "a", "b"])))
    at, answered = 0, 0
    for node in nodes:
        size = node[-1] if node[0] in ("array", "scalar", "bytes") else 0
        for byte in (b"\xff", b"\x7f", b"\x00") if size else ():
            raw = blobs[:at] + byte * size + blobs[at + size :]
            try:
                load(sealed(nodes, raw)).predict(X)
                answered += 1
            except Exception:
                pass  # any error will do: what must not happen ends the process
        at += size
    assert answered
