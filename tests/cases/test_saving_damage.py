"""Bytes that are no saved learner: one error each, nothing executed, no memory beyond a multiple of the input."""

from __future__ import annotations

import json
import random
import sys
import tracemalloc
from collections import Counter, OrderedDict
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases.saved_bytes import KNN, opened, round_trip, sealed
from sklearn.tree import DecisionTreeClassifier

import priorcase as pc
from priorcase.cases.saving import _make_closed_list, closed_list, dump, load, load_learner
from priorcase.cases.saving.saved import MAGIC
from priorcase.exceptions import ReadingError, UnsupportedDataError


@pytest.fixture(scope="module")
def saved() -> bytes:
    X = [[0.0, "red"], [1.0, "blue"], [None, "red"]]
    return dump(pc.KNNClassifier(1).fit(X, ["a", "b", "a"]))


# -- what is kept


@pytest.mark.parametrize(
    "value",
    [
        [1, 1.0, -0.0, True, None, "a", "\ud800", "\0", 2**63, -(2**100), 1e-310],
        ({"a": (1,), 2: [], None: {}}, set(), {1, 2}, frozenset({"b", "a"})),
        [OrderedDict(b=1, a=2), Counter("abba"), range(3, -9, -2), b"\x00raw", 1j],
        [Fraction(-1, 3), Decimal("1.10"), date(2024, 2, 29), time(23, 59), timedelta(-1, 3, 5)],
        [datetime(2024, 5, 1, 10, fold=1), datetime(2024, 5, 1, tzinfo=UTC)],
        [np.float64(0.1), np.int8(-3), np.str_("é"), np.bool_(True), np.datetime64("2024-05-01")],
        [bool, float, np.dtype("f4"), np.dtype(object), np.dtype("M8[ns]")],
    ],
    ids=["literals", "containers", "collections", "exact and dated", "times", "scalars", "types"],
)
def test_values_come_back_as_they_were(value: Any) -> None:
    other = round_trip(value)
    assert other == value
    assert list(map(type, other)) == list(map(type, value))
    assert repr(other) == repr(value) or isinstance(value, tuple)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_know(number: float) -> None:
    assert repr(round_trip([number])) == repr([number])


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(12, dtype=">i4")[::3],
        np.array(5, dtype=np.uint8),
        np.empty((0, 7)),
        np.array(["é", "abc"]),
        np.array([True, False]),
        np.array([b"ab", b""]),
        np.array([[1, "a"], [None, (2.5,)]], dtype=object),
        np.array(["2024-05-01", "NaT"], dtype="M8[D]"),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_arrays_keep_bytes_layout_and_whether_they_may_be_written_to(array: Any) -> None:
    for writeable in (True, False):
        array = array.copy(order="A")
        array.flags.writeable = writeable
        other = round_trip(array)
        assert other.dtype == array.dtype
        assert other.shape == array.shape
        assert other.flags.f_contiguous == array.flags.f_contiguous
        assert other.flags.writeable == writeable
        assert other.tolist() == array.tolist() if array.dtype == object else other.tobytes() == array.tobytes()


def test_shared_objects_stay_shared_and_circles_closed() -> None:
    shared = np.arange(3)
    circle: list[Any] = [shared, {"again": shared}]
    circle.append((circle, {"me": circle}))
    other = round_trip(circle)
    assert other[0] is other[1]["again"]
    assert other[2][0] is other
    assert other[2][1]["me"] is other


def test_random_states_go_on_where_they_were() -> None:
    state = np.random.RandomState(3)
    state.normal(size=5)
    assert round_trip(state).normal(size=4).tolist() == state.normal(size=4).tolist()


# -- what is refused to be written


class Mine:
    """A class of a user."""


class MyKNN(pc.KNNClassifier):
    """A learner of a user."""


def test_functions_and_foreign_objects_are_named_by_their_place() -> None:
    strange: Any = {"age": Mine()}
    complex_numbers: Any = np.array([1j])
    with pytest.raises(UnsupportedDataError, match=r"KNNClassifier\.vote is a function of yours \(.*<lambda>\)"):
        dump(pc.KNNClassifier(vote=lambda distances: distances))
    with pytest.raises(UnsupportedDataError, match=r"KNNClassifier\.schema\['age'\] is a .*\.Mine, which the format"):
        dump(pc.KNNClassifier(schema=strange))
    with pytest.raises(UnsupportedDataError, match=r"AttributeSelector\.estimator is a sklearn\..*TreeClassifier"):
        dump(pc.AttributeSelector(DecisionTreeClassifier()))
    with pytest.raises(UnsupportedDataError, match=r"KNNClassifier\.schema is a NumPy array of complex128"):
        dump(pc.KNNClassifier(schema=complex_numbers))
    with pytest.raises(UnsupportedDataError, match="a MyKNN"):
        dump(MyKNN())
    with pc.CaseBase.temporary() as base:
        base.add({"age": 3}, solution="a")
        of_cases = base.fit(pc.NaiveBayes())
    with pytest.raises(UnsupportedDataError, match="a CaseLearner"):
        pc.save_learner(of_cases, "never.priorcase")
    for other in (3, None, pc.Numeric(), pc.KNNClassifier):
        with pytest.raises(UnsupportedDataError, match="expected a learner of priorcase"):
            dump(other)


def test_nesting_without_end_is_refused_when_written() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UnsupportedDataError, match="lies more than 200 levels deep"):
        dump(pc.KNNClassifier(schema=deep))
    within: list[Any] = []
    within.append((within,))
    assert round_trip(within)[0][0] is not None
    loop: Any = ([],)
    loop[0].append(loop)
    with pytest.raises(UnsupportedDataError, match=r"KNNClassifier\.schema\[0\]\[0\] is a tuple within itself"):
        dump(pc.KNNClassifier(schema=loop))


# -- what is refused to be read


def test_every_flipped_bit_and_every_cut_is_noticed(saved: bytes) -> None:
    chance = random.Random(0)
    bits = [*range(60 * 8), *chance.sample(range(60 * 8, len(saved) * 8), 400)]
    for bit in bits:
        damaged = bytearray(saved)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ReadingError):
            load(damaged)
    for length in [*range(70), *chance.sample(range(70, len(saved)), 100)]:
        with pytest.raises(ReadingError):
            load(saved[:length])
    with pytest.raises(ReadingError, match=r"is damaged: it has \d+ bytes after its head, which tells of \d+\."):
        load(saved + b"\0")


def test_the_words_about_damage(saved: bytes, tmp_path: Any) -> None:
    with pytest.raises(ReadingError, match="The saved learner is no saved learner: it does not begin as one"):
        load(b"PK\x03\x04")
    with pytest.raises(ReadingError, match="is damaged: it is cut short"):
        load(MAGIC)
    for number, remedy in ((1, r": fit the learner again\.$"), (9, "update priorcase")):
        with pytest.raises(ReadingError, match=f"is in format {number}, .* reads format 2.*{remedy}"):
            load(sealed([], number=number))
    with pytest.raises(ReadingError, match=r"saved by priorcase '0\.0\.1'; this is '.*', whose learners may differ\."):
        load(sealed(*opened(saved), version="0.0.1"))
    path = tmp_path / "my.priorcase"
    path.write_bytes(saved[:-1] + bytes([saved[-1] ^ 1]))
    with pytest.raises(ReadingError, match=r"my\.priorcase is damaged: its bytes do not fit their checksum"):
        load_learner(path)
    with pytest.raises(FileNotFoundError):
        load_learner(tmp_path / "none.priorcase")


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "antigravity:geohash",
        "builtins:eval",
        "priorcase.cli:main",
        "priorcase.reporting.making:report_on",
        "priorcase.neighbors.knn:np",
        "priorcase.neighbors:KNNClassifier",
        "priorcase._core:Concept",
        "",
        3,
    ],
)
def test_only_classes_of_the_list_are_looked_for(name: Any) -> None:
    with pytest.raises(ReadingError, match="names the class "):
        load(sealed([["object", name, None]]))
    assert "antigravity" not in sys.modules


MADE_UP: list[Any] = [
    [],
    {},
    3,
    None,
    [[]],
    [3],
    [[3]],
    [["nothing"]],
    [["list", 3]],
    [["list", [[1]]]],
    [["list", [[-1]]]],
    [["list", [{}]]],
    [["list", [[True]]]],
    [["dict", [1]]],
    [["dict", [[1], 2]], ["list", []]],
    [["tuple", [[0]]]],
    [["frozenset", [[1]]], ["list", []]],
    [["list", []], ["list", []]],
    [["int", "zz"]],
    [["int", "1", "2"]],
    [["float", "0.5"]],
    [["fraction", "1", "0"]],
    [["decimal", "x"]],
    [["date", "2024-13-01"]],
    [["type", "object"]],
    [["dtype", "V8"]],
    [["random_state", "00", 0, 0, "0x0p+0"]],
    [["random_state", "00" * 2496, 9999, 0, "0x0p+0"]],
    [["array", "<f8", [1], "C", True, 8]],
    [["array", "<f8", [10**15], "C", True, 8 * 10**15]],
    [["array", "<f8", [-1], "C", True, 0]],
    [["array", "<f8", [2**61, 0, 2**61], "K", True, 0]],
    [["array", "|O", [0], "C", True, 0]],
    [["array", "<U999999999", [1], "C", True, 0]],
    [["objects", [10**15], "C", True, []]],
    [["objects", [], "C", True, [1, 2]]],
    [["texts", [1], [3]]],
    [["named", "priorcase.bayes.discretise:Interval", [1]]],
    [["named", KNN, []]],
    [["object", KNN, [1]], ["list", []]],
    [["object", KNN, 3]],
    [["object", KNN, [1]], ["tuple", [1, 2, 3]]],
    [["object", "priorcase.instances.instances:Instances", "text"]],
    [["object", "priorcase.concepts.description:Description", [1]], ["dict", ["core", "x"]]],
    [["object", "priorcase.schema.kinds:Numeric", None]],
    b"\xff\xfe",
    b"[" * 200_000,
    b"[[[" * 100,
]


@pytest.mark.parametrize("nodes", MADE_UP, ids=lambda nodes: str(nodes)[:50])
def test_trees_that_were_made_up(nodes: Any) -> None:
    with pytest.raises(ReadingError, match="is damaged"):
        load(sealed(nodes))


def test_blobs_that_were_made_up() -> None:
    for node, blob in [
        (["array", "|b1", [2], "C", True, 2], b"\x00\x07"),
        (["array", "<U1", [1], "C", True, 4], b"\xff\xff\xff\xff"),
        (["bytes", 1], b"ab"),
        (["scalar", "<f8", 4], b"abcd"),
    ]:
        with pytest.raises(ReadingError, match="is damaged"):
            load(sealed([node], blob))


def test_chains_and_claims_take_no_more_memory_than_the_input_allows() -> None:
    n = 10_000
    chain = [["tuple", [[i + 1]]] for i in range(n)] + [["tuple", []]]
    many = [["list", [[i] for i in range(1, n)]]] + [["array", "<f8", [10**9], "C", True, 0]] * (n - 1)
    for nodes in (chain, many, [["objects", [2**40, 2**20], "C", True, []]]):
        data = sealed(nodes)
        tracemalloc.start()
        with pytest.raises(ReadingError):
            load(data)
        assert tracemalloc.get_traced_memory()[1] < 100 * len(data) + 1_000_000
        tracemalloc.stop()


@pytest.mark.parametrize("learner", [pc.KNNClassifier(1), pc.IB3(random_state=0), pc.NaiveBayes(), pc.PEBLS()])
def test_any_change_of_a_tree_gives_a_learner_or_the_one_error(learner: Any) -> None:
    X = [[0.0, "red"], [1.0, "blue"], [None, "red"], [2.0, "blue"]]
    nodes, blobs = opened(dump(learner.fit(X, ["a", "b", "a", "b"])))
    chance = random.Random(1)
    refused = 0
    for _ in range(400):
        changed = json.loads(json.dumps(nodes))
        for _ in range(chance.randint(1, 3)):
            _mutate(chance, changed)
        raw = bytearray(blobs)
        raw[chance.randrange(len(raw))] = chance.randrange(256)
        try:
            load(sealed(changed, bytes(raw)))
        except ReadingError:
            refused += 1
    assert refused > 50


def _mutate(chance: random.Random, nodes: list[Any]) -> None:
    """Change, drop or double something somewhere in a tree."""
    inside: Any = chance.choice(nodes)
    while isinstance(inside, list) and inside:
        at = chance.randrange(len(inside))
        if not isinstance(inside[at], list) or not inside[at] or chance.random() < 0.3:
            others = [None, -1, 0, 2**40, "", "x", [chance.randrange(len(nodes))], 0.5, True, chance.choice(nodes)[0]]
            inside[at] = chance.choice(others)
            return
        inside = inside[at]


def test_the_list_is_what_the_folders_hold() -> None:
    assert _make_closed_list.found_classes() == closed_list.CLASSES
    assert sum(map(len, closed_list.CLASSES.values())) > 200
