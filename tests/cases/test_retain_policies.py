"""Which new cases are kept, who is tried and who retires."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from priorcase.cases import Retained
from priorcase.cases.retain import Duplicate, Record, Trial, decide, records_of
from priorcase.cases.scoring import Likeness
from priorcase.cases.table import CaseTable
from priorcase.concepts import IB2
from priorcase.exceptions import CaseBaseError
from priorcase.schema import Nominal, Numeric

ATTRIBUTES = {"size": Numeric(), "make": Nominal()}
VALUES = st.fixed_dictionaries({"size": st.sampled_from([None, 0, 1, 2, 5]), "make": st.sampled_from([None, "A", "B"])})


def table_of(rows: list, retired: tuple = ()) -> CaseTable:
    """Cases of values, solution and, where there is one, outcome; ids from 10."""
    found = [
        (10 + i, row[0], None if row[1] is None else json.dumps(row[1]), json.dumps(row[2]) if len(row) > 2 else None)
        for i, row in enumerate(rows)
    ]
    table = CaseTable.of(ATTRIBUTES, found)
    if retired:
        table.retire([10 + i for i in retired])
    return table


LINE = [({"size": 0}, "x"), ({"size": 1}, "x"), ({"size": 5}, "y")]


def test_always_keeps():
    found = replace(decide(table_of(LINE), {"size": 0}, '"x"', policy="always"), id=13)
    assert str(found) == "Kept as case 13: every case is kept."
    assert found
    assert (found.kept, found.id, found.retired, found.trials) == (True, 13, (), ())
    assert found.duplicates == (Duplicate(10, 1.0, True),)


def test_if_wrong_is_ib2():
    table = table_of(LINE)
    assert not decide(table, {"size": 0.4}, '"x"').kept
    found = replace(decide(table, {"size": 4}, '"x"'), id=13)
    assert str(found) == "Kept as case 13: the case base would have proposed 'y'."
    assert str(decide(table, {"size": 4}, '"y"')) == "Not kept: the case base already proposes 'y'."


@settings(max_examples=30)
@given(
    st.lists(st.tuples(VALUES, st.sampled_from(["x", "y", None])), max_size=10),
    VALUES,
    st.sampled_from(["x", "y"]),
    st.integers(1, 4),
)
def test_if_wrong_follows_the_vote_of_the_most_similar(rows, case, solution, k):
    table = table_of(rows)
    similarities = Likeness(table).to(case)
    able = [i for i, row in enumerate(rows) if row[1] is not None]
    nearest = sorted(able, key=lambda i: (-similarities[i], i))[:k]
    votes = {}
    for i in nearest:
        votes[rows[i][1]] = votes.get(rows[i][1], 0.0) + similarities[i]
    most = max(votes.values(), default=0.0)
    said = next((label for label, vote in votes.items() if vote >= most - 1e-12), None) if most > 0 else None
    assume(len(votes) < 2 or abs(votes["x"] - votes["y"]) > 1e-9)  # who wins a tie is the business of `Vote`
    assert decide(table, case, json.dumps(solution), k=k).kept == (said != solution)


def test_numbers_are_wrong_beyond_the_tolerance():
    table = table_of([({"size": 0}, 10), ({"size": 1}, 20), ({"size": 9}, 50)])
    # The two nearest to 0.5 are equally similar: their mean is 15.
    assert not decide(table, {"size": 0.5}, "15.3", k=2, tolerance=0.3).kept
    found = decide(table, {"size": 0.5}, "15.4", k=2, tolerance=0.3)
    assert found.kept
    assert found.reason == "the case base would have proposed 15"
    assert not decide(table, {"size": 0.5}, "15.0", k=2, tolerance=0).kept


def test_a_base_that_cannot_answer_keeps():
    assert decide(table_of([]), {"size": 1}, '"x"').reason == "there was no successfully solved case to compare with"
    only_failed = table_of([({"size": 1}, "x", False), ({"size": 1}, "x"), ({"size": 1}, None)], retired=(1,))
    assert decide(only_failed, {"size": 1}, '"x"').reason == "there was no successfully solved case to compare with"
    strange = decide(table_of([({"make": "A"}, "x")]), {"make": "B"}, '"x"')
    assert strange.kept
    assert strange.reason == "no similar case supports any solution"
    numbers = decide(table_of([({"make": "A"}, 1)]), {"make": "B"}, "1", tolerance=0)
    assert numbers.reason == "no similar case supports any solution"


def test_outcomes_weigh_votes():
    rows = [({"size": 1}, "x", 0.5), ({"size": 1}, "x", 0.6), ({"size": 1}, "y", True)]
    assert decide(table_of(rows), {"size": 1}, '"x"', k=3).reason == "the case base would have proposed 'y'"


def test_if_new_keeps_unless_a_duplicate_agrees():
    table = table_of([({"size": 0, "make": "A"}, "x"), ({"size": 100, "make": "A"}, "y")])
    found = decide(table, {"size": 1, "make": "A"}, '"x"', policy="if_new")
    assert str(found) == "Not kept: case 10 has the same solution (similarity 0.99)."
    assert not found
    other = replace(decide(table, {"size": 1, "make": "A"}, '"y"', policy="if_new"), id=12)
    assert str(other).startswith("Kept as case 12: no case with the same solution is similar enough. ")
    assert str(other).endswith(" Near-duplicates with another solution: case 10.")
    assert decide(table, {"size": 1, "make": "A"}, '"x"', policy="if_new", threshold=0.999).kept
    assert decide(table, {"size": 1}, '"x"', policy="if_new").kept  # it does not know its make


def test_if_new_takes_equal_numbers_without_a_tolerance():
    table = table_of([({"size": 0}, 3.0), ({"size": 9}, 4)])
    assert decide(table, {"size": 0}, "3.5", policy="if_new").kept
    assert not decide(table, {"size": 0}, "3.5", policy="if_new", tolerance=0.5).kept


def test_records_try_the_nearest_and_keep_everything():
    table = table_of(LINE, retired=(1,))
    found = decide(table, {"size": 1}, '"x"', policy="records", k=2)
    assert found.kept
    assert found.trials == (Trial(10, True), Trial(12, False))
    assert found.reason == "every case is kept; 2 cases proposed a solution, 1 of them correctly"
    assert decide(table_of([]), {"size": 1}, '"x"', policy="records").trials == ()


def bounds(s: int, n: int, level: float) -> tuple:
    """Wilson's interval, written once more."""
    if n == 0:
        return 0.0, 1.0
    z, p = float(ndtri(level)), s / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (p + z * z / (2 * n) - half) / (1 + z * z / n), (p + z * z / (2 * n) + half) / (1 + z * z / n)


@settings(max_examples=30)
@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 8), st.integers(0, 8), st.booleans())
def test_a_case_retires_where_ib3_drops_it(right, wrong, same, others, now_right):
    rows = [({"size": 0}, "x")] + [({"size": 50}, "x")] * (same - 1) + [({"size": 50}, "y")] * others
    table = table_of(rows)
    solution = "x" if now_right else "y"
    found = decide(
        table, {"size": 0}, json.dumps(solution), policy="records", records={10: Record(right + wrong, right)}
    )
    assert found.trials == (Trial(10, now_right),)
    _, high = bounds(right + now_right, right + wrong + 1, 0.875)
    low, _ = bounds(same + now_right, same + others + 1, 0.875)
    assert found.retired == ((10,) if high < low else ())


def test_a_bad_case_retires_in_time_and_says_so():
    rows = [({"size": 0}, "x"), ({"size": 0}, "y")] + [({"size": 9}, "x")] * 30
    table, record = table_of(rows), Record()
    trials = 0
    while not (found := decide(table, {"size": 0}, '"y"', policy="records", records={10: record})).retired:
        record, trials = record.after(False), trials + 1
        assert trials < 20
    assert found.retired == (10,)
    assert str(replace(found, id=60)).endswith("Retired: case 10.")


def test_records_are_listed():
    table = table_of([*LINE, ({"size": 7}, None)], retired=(1,))
    records = {10: Record(20, 20), 11: Record(30, 1), 12: Record(2, 1)}
    found = records_of(table, records)
    assert found.ids.tolist() == [10, 11, 12]
    assert found.tried.tolist() == [20, 30, 2]
    assert found.accuracy == pytest.approx(np.array([bounds(20, 20, 0.9), bounds(1, 30, 0.9), bounds(1, 2, 0.9)]))
    assert found.base_rate == pytest.approx(np.array([bounds(2, 3, 0.9), bounds(2, 3, 0.9), bounds(1, 3, 0.9)]))
    assert found.verdict.tolist() == ["acceptable", "poor", "mediocre"]
    lines = str(found).splitlines()
    assert lines[0] == "records of use: 3 solved cases, 3 of them used, 1 retired"
    assert lines[2].split()[0] == "11"
    assert lines[2].endswith("poor, retired")
    frame = found.frame("pandas")
    assert frame["verdict"].tolist() == found.verdict.tolist()
    assert frame["accuracy_low"].tolist() == found.accuracy[:, 0].tolist()
    assert len(found) == 3


def test_each_test_of_a_record_has_its_own_level():
    """Acceptance decides who is acceptable and dropping who is poor, whatever the other one is."""
    table = table_of([({"size": 0}, "x"), *[({"size": 1}, "y")] * 3])
    kind = {10: Record(6, 4)}
    assert records_of(table, kind, acceptance=0.6, dropping=0.99).verdict[0] == "acceptable"
    assert records_of(table, kind, acceptance=0.99, dropping=0.6).verdict[0] == "mediocre"
    bad = table_of([({"size": 0}, "x")] * 3 + [({"size": 1}, "y")])
    assert records_of(bad, {10: Record(4, 1)}, acceptance=0.99, dropping=0.6).verdict[0] == "poor"
    assert records_of(bad, {10: Record(4, 1)}, acceptance=0.6, dropping=0.99).verdict[0] == "mediocre"


def test_base_rates_of_numbers_count_who_is_near():
    table = table_of([({"size": 0}, value) for value in (0.2, 0.3, 0.4, 9)])
    found = records_of(table, {}, tolerance=0.1)
    assert found.base_rate == pytest.approx(np.array([bounds(s, 4, 0.9) for s in (2, 3, 2, 1)]))
    assert found.tried.tolist() == [0] * 4
    assert set(found.verdict) == {"mediocre"}


def test_many_records_are_cut():
    table = table_of([({"size": 0}, "x")] * 25)
    spoke = {10 + i: Record(1, 1) for i in range(22)}
    lines = str(records_of(table, spoke)).splitlines()
    assert lines[-1].strip() == "... and 2 more cases used; 3 cases never used"
    assert len(lines) == 1 + 1 + 20 + 1


def test_only_those_used_are_shown():
    table = table_of(LINE)
    lines = str(records_of(table, {11: Record(2, 1)})).splitlines()
    assert lines[0] == "records of use: 3 solved cases, 1 of them used, 0 retired"
    assert [line.split()[0] for line in lines[2:]] == ["11", "2"]
    assert lines[-1].strip() == "2 cases never used"
    assert str(records_of(table, {})).splitlines() == [
        "records of use: 3 solved cases, none of them used, 0 retired",
        "  no records yet",
        "  3 cases never used",
    ]
    assert len(records_of(table, {}).frame("pandas")) == 3


def test_nothing_is_changed_by_deciding():
    table, records = table_of(LINE), {10: Record(3, 1)}
    before = (table.ids.tolist(), table.retired.tolist(), [table.values(i) for i in range(3)])
    for policy in ("always", "if_wrong", "if_new", "records"):
        decide(table, {"size": 0}, '"x"', policy=policy, records=records)
    assert (table.ids.tolist(), table.retired.tolist(), [table.values(i) for i in range(3)]) == before
    assert records == {10: Record(3, 1)}


def test_retained_says_how_many():
    assert str(Retained(True, 3, "so", (Duplicate(1, 1.0, False), Duplicate(2, 1.0, False)), (), (4, 5))) == (
        "Kept as case 3: so. Near-duplicates with another solution: cases 1, 2. Retired: cases 4, 5."
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_stream_of_cases_kept_if_wrong_is_that_of_ib2(seed):
    """The learner of the library and the case base agree on names; one column is constant, so all are somehow alike."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (60, 4)).astype(str).astype(object)
    X[:, 3] = "same"
    y = np.where(X[:, 0] == "1", "a", np.where(X[:, 1] == "2", "b", "c"))
    y[rng.random(60) < 0.1] = "a"
    names = ("p", "q", "r", "s")
    table = CaseTable.of({name: Nominal() for name in names}, [])
    for i, (row, label) in enumerate(zip(X, y, strict=True)):
        case, solution = dict(zip(names, row, strict=True)), json.dumps(str(label))
        if decide(table, case, solution).kept:
            table.append([(i, case, solution, None)])
    assert table.ids.tolist() == IB2(ties="first").fit(X, y).ids_.tolist()
    assert len(table) < 60


# -- solutions that failed


def test_a_failure_is_news_where_the_base_would_have_proposed_it():
    table = table_of(LINE)
    kept = decide(table, {"size": 0.4}, '"x"', "false")
    assert str(replace(kept, id=13)) == "Kept as case 13: the case base would have proposed 'x', which failed."
    other = decide(table, {"size": 0.4}, '"y"', "false")
    assert str(other) == "Not kept: it failed, and the case base proposes 'x'."
    assert decide(table, {"size": 0.4}, '"x"', "0.5").kept  # no better than nothing
    assert not decide(table, {"size": 0.4}, '"x"', "0.6").kept
    assert not decide(table, {"size": 0.4}, '"x"', None).kept
    assert not decide(table_of([]), {"size": 1}, '"x"', "false").kept
    assert not decide(table_of([({"make": "A"}, "x")]), {"make": "B"}, '"x"', "false").kept
    numbers = table_of([({"size": 0}, 10), ({"size": 1}, 20)])
    assert decide(numbers, {"size": 0}, "11", "false", tolerance=2).kept
    assert not decide(numbers, {"size": 0}, "20", "false", tolerance=2).kept


def test_a_failure_that_was_kept_speaks_against_its_solution():
    rows = [*LINE, ({"size": 0.4}, "x", False)]
    again = decide(table_of(rows), {"size": 0.4}, '"x"', "false")
    assert str(again) == "Not kept: for every solution of the similar cases, failures outweigh successes."
    assert decide(table_of(rows), {"size": 0.4}, '"x"').kept  # now it is news that it helped
    assert not decide(table_of(rows), {"size": 5}, '"y"').kept  # far from there nothing has changed
    assert not decide(table_of(rows, retired=(3,)), {"size": 0.4}, '"x"').kept


def test_a_failure_is_new_where_nothing_alike_failed():
    here = {"size": 0, "make": "A"}
    worked = table_of([(here, "x"), ({"size": 100}, "y")])
    found = decide(worked, here, '"x"', "false", policy="if_new")
    assert found.kept
    assert found.reason == "case 10 has the same solution (similarity 1.00), but there it worked"
    failed = table_of([(here, "x", False), ({"size": 100}, "y")])
    assert not decide(failed, here, '"x"', "false", policy="if_new").kept
    found = decide(failed, here, '"x"', "true", policy="if_new")
    assert found.kept
    assert found.reason == "case 10 has the same solution (similarity 1.00), but there it failed"


def test_records_blame_who_spoke_for_a_failure():
    found = decide(table_of(LINE), {"size": 1}, '"x"', "false", policy="records", k=3)
    assert found.trials == (Trial(11, False), Trial(10, False))  # nothing is known of 'y'
    assert found.reason == "every case is kept; 2 cases proposed this solution, which failed"
    assert decide(table_of(LINE), {"size": 5}, '"x"', "false", policy="records").trials == ()


def test_a_solution_is_as_frequent_as_it_worked():
    rows = [({"size": 0}, "x"), ({"size": 1}, "y"), *[({"size": 9}, "x", False)] * 20]
    assert records_of(table_of(rows), {}).base_rate[0] == pytest.approx(bounds(1, 2, 0.9))
    # Right in 2 of 8 trials, while half of the solutions that worked are x: not yet surely worse.
    record = {10: Record(7, 2)}
    assert decide(table_of(rows), {"size": 0}, '"x"', "false", policy="records", records=record).retired == ()
    often = table_of([({"size": 0}, "x"), ({"size": 1}, "y"), *[({"size": 9}, "x")] * 20])
    assert decide(often, {"size": 0}, '"x"', "false", policy="records", records=record).retired == (10,)


@pytest.mark.parametrize("policy", ["if_wrong", "if_new", "records"])
def test_outcomes_in_words_need_a_reader(policy):
    words = table_of([({"size": 0}, "x", "fine"), ({"size": 1}, "y")])
    with pytest.raises(CaseBaseError, match="outcome 'fine' of case 10"):
        decide(words, {"size": 0}, '"x"', policy=policy)
    with pytest.raises(CaseBaseError, match="outcome 'bad'"):
        decide(table_of(LINE), {"size": 0}, '"x"', '"bad"', policy=policy)
    with pytest.raises(CaseBaseError, match=r"success returned 'fine'"):
        decide(words, {"size": 0}, '"x"', policy=policy, success=lambda outcome: outcome)
    read = decide(words, {"size": 0}, '"x"', '"bad"', policy=policy, success=lambda outcome: outcome == "fine")
    assert read.kept
    assert decide(words, {"size": 0}, '"x"', '"bad"', policy="always").kept
