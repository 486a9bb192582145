"""Instances: what is stored, under which ids, and that history leaves no trace."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from priorcase.exceptions import SchemaMismatchError, TargetError, UnknownIdError
from priorcase.instances import Instances
from priorcase.schema import Nominal, Numeric, Ordinal, Schema

NAN = float("nan")
SCHEMA = Schema(
    ("age", "size", "colour", "sure"), (Numeric(), Ordinal(("S", "M", "L")), Nominal(), Nominal(("y", "n")))
)
TARGETS = Schema(("class",), (Nominal(),))
ROWS = [[31, "M", "red", "y"], [None, "S", "blue", None], [45, None, None, "y"], [7.5, "L", "red", "n"]]
CLASSES = [["p"], ["q"], ["p"], ["p"]]


def read(rows, schema=SCHEMA):
    table = np.empty((len(rows), len(schema)), dtype=object)
    for i, row in enumerate(rows):
        table[i] = row
    return schema.read(table)


def stored(rows=ROWS, classes=CLASSES, weights=None) -> Instances:
    instances = Instances(SCHEMA, TARGETS)
    instances.append(read(rows), read(classes, TARGETS), weights)
    return instances


class TestStored:
    def test_columns_values_and_counts(self):
        instances = stored()
        assert len(instances) == 4
        assert repr(instances) == "Instances(rows=4, attributes=4, targets=1)"
        assert (instances.schema, instances.targets) == (SCHEMA, TARGETS)
        np.testing.assert_array_equal(instances.column(0), [31, NAN, 45, 7.5])
        np.testing.assert_array_equal(instances.column(1), [1, 0, NAN, 2])
        assert instances.column(2).tolist() == [0, 1, -1, 0]
        assert instances.column(3).tolist() == [0, -1, 0, 1]
        assert instances.target().tolist() == [0, 1, 0, 0]
        assert [instances.values(a) for a in range(4)] == [(), ("S", "M", "L"), ("red", "blue"), ("y", "n")]
        assert [instances.value_counts(a).tolist() for a in range(4)] == [[], [1, 1, 1], [2, 1], [2, 1]]
        assert instances.target_values() == ("p", "q")
        assert instances.target_counts().tolist() == [3, 1]
        assert instances.column(2).dtype == np.int8
        assert instances.nbytes == 4 * (8 + 8 + 1 + 1 + 1)

    def test_views_are_read_only_snapshots(self):
        instances = stored()
        before = instances.column(0)
        with pytest.raises(ValueError, match="read-only"):
            before[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            instances.value_counts(2)[0] = 1
        instances.remove([0])
        instances.append(read(ROWS), read(CLASSES, TARGETS))
        np.testing.assert_array_equal(before, [31, NAN, 45, 7.5])

    def test_never_aliases_the_callers_data(self):
        schema = Schema(None, (Numeric(), Numeric()))
        X = np.array([[1.0, 2.0]])
        instances = Instances(schema)
        table = schema.read(X)
        instances.append(table)
        cells = instances.encode(table)
        X[:] = 9
        assert instances.cells().tolist() == [[1, 2]]
        assert cells.tolist() == [[1, 2]]

    def test_cells_and_decode(self):
        instances = stored()
        np.testing.assert_array_equal(
            instances.cells(), [[31, 1, 0, 0], [NAN, 0, 1, NAN], [45, NAN, NAN, 0], [7.5, 2, 0, 1]]
        )
        assert instances.cells().flags.c_contiguous
        np.testing.assert_array_equal(instances.cells([3, 0]), [[7.5, 2, 0, 1], [31, 1, 0, 0]])
        np.testing.assert_array_equal(instances.cells(slice(0, 1)), [[31, 1, 0, 0]])
        assert instances.decode([2, 0]) == [(45.0, None, None, "y"), (31.0, "M", "red", "y")]
        assert instances.decode([]) == []

    def test_nothing_stored(self):
        instances = Instances(SCHEMA)
        assert len(instances) == 0
        assert repr(instances) == "Instances(rows=0, attributes=4)"
        assert instances.cells().shape == (0, 4)
        assert instances.append(read([])).tolist() == []
        assert (instances.version, instances.next_id) == (0, 0)
        np.testing.assert_array_equal(instances.encode(read([[1, "S", "red", "n"]])), [[1, 0, -1, 1]])

    def test_codes_grow_wider_when_there_are_more_values(self):
        schema = Schema(None, (Nominal(),))
        instances = Instances(schema)
        for start, stop, dtype in ((0, 128, np.int8), (128, 2**15, np.int16), (2**15, 2**15 + 1, np.int32)):
            instances.append(read([[str(i)] for i in range(start, stop)], schema))
            assert instances.column(0).dtype == dtype
        assert instances.decode([0, 1, 128]) == [("0",), ("1",), ("128",)]

    def test_growth_is_amortised(self):
        schema = Schema(None, (Numeric(),))
        instances = Instances(schema)
        seen = set()
        for _ in range(1000):
            instances.append(schema.read(np.zeros((1, 1))))
            seen.add(instances.column(0).__array_interface__["data"][0])
        assert len(seen) < 40


class TestThreeStates:
    def test_known_unseen_and_missing_stay_apart(self):
        instances = stored()
        queries = read([[1, "XL", "green", "y"], [None, None, None, None], [2, "S", "blue", "maybe"]])
        np.testing.assert_array_equal(instances.encode(queries), [[1, -1, -1, 0], [NAN] * 4, [2, 0, 1, -1]])

    def test_a_value_whose_last_row_goes_is_unseen_again(self):
        instances = stored()
        blue = read([[1, "S", "blue", "n"]])
        instances.remove([1, 3])
        assert instances.known(2) == ("red",)
        assert instances.values(2) == ("red", None)
        assert instances.value_counts(2).tolist() == [1, 0]
        np.testing.assert_array_equal(instances.encode(blue), [[1, 0, -1, 1]])
        assert instances.known(3) == ("y", "n")

    def test_its_code_goes_to_the_next_new_value(self):
        instances = stored()
        instances.remove([1])
        instances.append(read([[1, "S", "green", "n"], [1, "S", "black", "n"]]), read([["p"], ["p"]], TARGETS))
        assert instances.values(2) == ("red", "green", "black")
        assert instances.decode([3, 4]) == [(1.0, "S", "green", "n"), (1.0, "S", "black", "n")]

    def test_one_and_true_and_the_text_one(self):
        schema = Schema(None, (Nominal(),))
        instances = Instances(schema)
        instances.append(read([[1], [True], ["1"], [1.0]], schema))
        assert instances.column(0).tolist() == [0, 1, 2, 0]
        assert instances.encode(read([[np.float32(1)], [np.True_], ["1"], ["True"]], schema)).T.tolist() == [
            [0, 1, 2, -1]
        ]

    def test_more_categories_than_rows(self):
        schema = Schema(("x",), (Nominal(),))
        instances = Instances(schema)
        frame = pd.DataFrame({"x": pd.Categorical(["v7", None], categories=[f"v{i}" for i in range(100)])})
        instances.append(schema.read(frame))
        assert instances.values(0) == ("v7",)
        np.testing.assert_array_equal(instances.encode(schema.read(frame)), [[0], [NAN]])


class TestIds:
    def test_ids_are_never_used_again(self):
        instances = stored()
        assert instances.ids.tolist() == [0, 1, 2, 3]
        instances.remove([3, 1])
        assert instances.append(read(ROWS[:1]), read(CLASSES[:1], TARGETS)).tolist() == [4]
        assert instances.ids.tolist() == [0, 2, 4]
        assert (instances.next_id, instances.version, instances.removals) == (5, 3, 1)
        assert instances.positions([4, 0, 4]).tolist() == [2, 0, 2]

    def test_removing_nothing_changes_nothing(self):
        instances = stored()
        instances.remove([])
        assert (instances.version, instances.removals) == (1, 0)

    @pytest.mark.parametrize(
        ("ids", "words"),
        [
            ([0, 4], "id 4 is not stored"),
            ([-1], "id -1 is not stored"),
            ([1], "id 1 is not stored"),
            (list(range(4, 14)), "and 5 more are not stored"),
            ([0, 2, 0], "distinct"),
            ([0.0], "float64"),
            ([True], "bool"),
            (0, "0-dimensional"),
            (["a"], "integers"),
        ],
    )
    def test_a_wrong_id_is_an_error_and_changes_nothing(self, ids, words):
        instances = stored()
        instances.remove([1])
        before = instances.digest(), instances.version, instances.removals
        with pytest.raises(UnknownIdError) as caught:
            instances.remove(ids)
        assert isinstance(caught.value, KeyError)
        assert words in str(caught.value)
        assert (instances.digest(), instances.version, instances.removals) == before

    def test_a_row_removed_but_not_yet_dropped_is_gone(self):
        instances = stored()
        instances.remove([1])
        with pytest.raises(UnknownIdError, match="id 1 is not stored"):
            instances.remove([1])
        assert len(instances) == 3

    def test_subset_keeps_ids_and_knows_only_its_own_values(self):
        instances = stored(weights=[1, 2, 3, 4])
        chosen = instances.subset([3, 2])
        assert chosen.ids.tolist() == [2, 3]
        assert chosen.next_id == 4
        assert chosen.decode([0, 1]) == [(45.0, None, None, "y"), (7.5, "L", "red", "n")]
        assert chosen.known(2) == ("red",)
        assert chosen.weights.tolist() == [3, 4]
        chosen.append(read(ROWS[1:2]), read(CLASSES[1:2], TARGETS))
        assert len(instances) == 4
        assert chosen.digest() == stored(ROWS[2:] + ROWS[1:2], CLASSES[2:] + CLASSES[1:2], [3, 4, 1]).digest()
        with pytest.raises(UnknownIdError, match="id 9"):
            instances.subset([9])
        with pytest.raises(UnknownIdError, match="id 9"):
            instances.positions([9])


class TestAllOrNothing:
    @pytest.mark.parametrize(
        ("rows", "classes", "weights", "error", "words"),
        [
            ([[1, "S", "new", "y"], [1, "XL", "new", "y"]], [["p"], ["p"]], None, SchemaMismatchError, "level"),
            ([[1, "S", "new", "maybe"]], [["p"]], None, SchemaMismatchError, "declares"),
            (ROWS, CLASSES[:1], None, SchemaMismatchError, "4 rows and 1 targets"),
            (ROWS, None, None, SchemaMismatchError, "missing"),
            (ROWS, CLASSES, [1], TargetError, "inconsistent numbers of samples"),
            (ROWS, CLASSES, [[1] * 4], TargetError, "Sample weights must be 1D array or scalar"),
            (ROWS, CLASSES, [1, 1, 1, -1], TargetError, "negative"),
            (ROWS, CLASSES, [1, 1, 1, NAN], TargetError, "NaN"),
            (ROWS, CLASSES, [1, 1, 1, 1e-200], TargetError, "1e-100"),
            (ROWS, CLASSES, list("abcd"), TargetError, "numbers"),
        ],
    )  # fmt: skip
    def test_a_refused_batch_leaves_no_trace(self, rows, classes, weights, error, words):
        instances = stored()
        before = pickle.dumps(instances)
        with pytest.raises(error) as caught:
            instances.append(read(rows), classes and read(classes, TARGETS), weights)
        assert words in str(caught.value)
        assert pickle.dumps(instances) == before

    def test_tables_of_another_schema(self):
        other = Schema(None, (Numeric(),))
        table = read([[1]], other)
        with pytest.raises(SchemaMismatchError, match="another schema"):
            stored().append(table, read([["p"]], TARGETS))
        with pytest.raises(SchemaMismatchError, match="targets were read with another"):
            stored().append(read(ROWS[:1]), table)
        with pytest.raises(SchemaMismatchError, match="another schema"):
            stored().encode(table)
        with pytest.raises(SchemaMismatchError, match="no targets are stored"):
            Instances(SCHEMA).append(read(ROWS), read(CLASSES, TARGETS))


class TestWeights:
    def test_none_stands_for_one(self):
        assert stored().weights is None
        assert stored(weights=[1, 1, 1, 1]).weights is None
        assert stored(weights=[1, 1, 1, 1]).digest() == stored().digest()
        assert stored(weights=[2, 1, 1, 1]).digest() != stored().digest()

    def test_rows_with_and_without(self):
        instances = stored()
        instances.append(read(ROWS[:1]), read(CLASSES[:1], TARGETS), [0.5])
        instances.append(read(ROWS[:1]), read(CLASSES[:1], TARGETS))
        assert instances.weights.tolist() == [1, 1, 1, 1, 0.5, 1]
        instances.remove([4])
        assert instances.weights is None


class TestDigest:
    def test_is_of_the_content(self):
        assert stored().digest() == stored().digest()
        assert len(stored().digest()) == 64
        assert stored().digest() != stored(ROWS[::-1], CLASSES[::-1]).digest()
        assert stored().digest() != stored(classes=[["p"], ["q"], ["p"], ["q"]]).digest()
        assert Instances(SCHEMA).digest() != Instances(SCHEMA, TARGETS).digest()

    @pytest.mark.parametrize(
        ("one", "other"),
        [([["a"], ["b"]], [["b"], ["a"]]), ([["a"], [None]], [["a"], ["None"]]), ([[1]], [["1"]]), ([[1]], [[True]])],
    )
    def test_different_values_differ(self, one, other):
        schema = Schema(None, (Nominal(),))
        first, second = Instances(schema), Instances(schema)
        first.append(read(one, schema))
        second.append(read(other, schema))
        assert first.digest() != second.digest()

    def test_equal_values_do_not_differ(self):
        for schema, one, other in (
            (Schema(None, (Nominal(),)), [[1], [(1, 2)]], [[1.0], [(1, 2)]]),
            (Schema(None, (Numeric(),)), [[0.0], [None]], [[-0.0], [-NAN]]),
        ):
            first, second = Instances(schema), Instances(schema)
            first.append(read(one, schema))
            second.append(read(other, schema))
            assert first.digest() == second.digest()

    def test_does_not_depend_on_where_the_columns_came_from(self):
        frame = pd.DataFrame({"n": [1, None], "s": ["a", None]})
        digests = set()
        for make in (lambda f: f, lambda f: f.astype({"s": "category"}), lambda f: f.astype(object)):
            schema = Schema.infer(make(frame))
            instances = Instances(schema)
            instances.append(schema.read(make(frame)))
            digests.add(instances.digest())
        assert len(digests) == 1

    def test_is_pinned(self):
        """A digest that changes between versions breaks what users have written down."""
        digest = stored(weights=[1, 2, 1, 1]).digest()
        assert digest == "11d4e71c04864e75dae020aa764fea50b30dd8f4921944d104d9ec0fd09f1085"


def test_threads_may_look_at_once_after_a_removal():
    schema = Schema(None, (Numeric(), Numeric()))
    X = np.arange(200_000.0).reshape(-1, 2)
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            instances = Instances(schema)
            instances.append(schema.read(X))
            instances.remove(np.arange(0, 100_000, 2))
            sums = pool.map(lambda a, instances=instances: float(instances.column(a % 2).sum()), range(8))
            assert list(sums) == [float(X[1::2, a % 2].sum()) for a in range(8)]


class TestCopies:
    def test_pickle_and_deepcopy_stand_alone(self):
        instances = stored(weights=[1, 2, 3, 4])
        instances.remove([1])
        for again in (pickle.loads(pickle.dumps(instances)), copy.deepcopy(instances)):
            assert again.digest() == instances.digest()
            assert (again.next_id, again.version, again.removals) == (4, 2, 1)
            again.append(read(ROWS), read(CLASSES, TARGETS))
            assert len(instances) == 3

    def test_what_was_removed_is_not_in_the_pickle(self):
        instances = stored([[1, "S", "a secret", "y"], *ROWS], [["p"], *CLASSES])
        assert b"a secret" in pickle.dumps(instances)
        instances.remove([0])
        assert b"a secret" not in pickle.dumps(instances)


ROW = st.tuples(
    st.one_of(st.none(), st.integers(-2, 2), st.floats(-1, 1)),
    st.sampled_from([None, "S", "M", "L"]),
    st.sampled_from([None, "red", "blue", 1, True, "1", 1.0]),
    st.sampled_from([None, "y", "n"]),
)
CASE = st.tuples(ROW, st.sampled_from("pq"), st.sampled_from([1.0, 2.0]))


def fresh(cases) -> Instances:
    """Instances that never saw anything else."""
    return stored([row for row, _, _ in cases], [[label] for _, label, _ in cases], [weight for *_, weight in cases])


class History(RuleBasedStateMachine):
    """Any sequence of appends and removals, against fresh instances of the rows that are left."""

    @initialize()
    def start(self):
        self.instances = Instances(SCHEMA, TARGETS)
        self.model = {}

    @rule(cases=st.lists(CASE, max_size=5))
    def append(self, cases):
        rows, classes, weights = (
            [row for row, _, _ in cases],
            [[label] for _, label, _ in cases],
            [w for *_, w in cases],
        )
        ids = self.instances.append(read(rows), read(classes, TARGETS), weights)
        self.model.update(zip(ids.tolist(), cases, strict=True))

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data):
        ids = data.draw(st.lists(st.sampled_from(sorted(self.model)), unique=True))
        self.instances.remove(ids)
        for gone in ids:
            del self.model[gone]

    @rule(data=st.data())
    def continue_with_a_subset(self, data):
        ids = [number for number in self.model if data.draw(st.integers(0, 3))]
        self.instances = self.instances.subset(ids)
        self.model = {number: self.model[number] for number in sorted(ids)}

    @rule(row=ROW)
    def encode(self, row):
        """A query means the same to both, although their codes may differ."""
        other = fresh(list(self.model.values()))
        for a, (cell, fresh_cell) in enumerate(
            zip(*(i.encode(read([row]))[0] for i in (self.instances, other)), strict=True)
        ):
            if a < 2 or not cell >= 0:
                np.testing.assert_equal(cell, fresh_cell)
            else:
                mine, theirs = self.instances.values(a)[int(cell)], other.values(a)[int(fresh_cell)]
                assert (type(mine), mine) == (type(theirs), theirs)

    @rule()
    def look(self):
        """Between looks rows are removed but not yet dropped from memory."""
        other = fresh(list(self.model.values()))
        assert self.instances.digest() == other.digest()
        assert self.instances.ids.tolist() == sorted(self.model)
        everything = np.arange(len(other))
        assert self.instances.decode(everything) == other.decode(everything)
        for a in range(4):
            assert set(map(repr, self.instances.known(a))) == set(map(repr, other.known(a)))
            np.testing.assert_array_equal(np.isnan(self.instances.cells()), np.isnan(other.cells()))
        weights = (
            None if all(weight == 1 for *_, weight in self.model.values()) else [w for *_, w in self.model.values()]
        )
        np.testing.assert_equal(self.instances.weights, weights)

    @invariant()
    def counts(self):
        assert len(self.instances) == len(self.model)
        for a in (2, 3):
            known = [row[a] for row, _, _ in self.model.values() if row[a] is not None]
            assert self.instances.value_counts(a).sum() == len(known)


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=60, stateful_step_count=12)


@given(st.lists(CASE, min_size=1, max_size=12))
def test_adding_then_removing_restores_the_digest(cases):
    instances = fresh(cases)
    before = instances.digest()
    instances.remove(instances.append(read([row for row, _, _ in cases]), read([["new"]] * len(cases), TARGETS)))
    assert instances.digest() == before
    assert instances.target_values()[-1] in ("p", "q", None)
