"""New cases whose solution failed, stored ones that failed, and outcomes that say neither."""

import json
import math

import pytest
from scipy.special import ndtri

from priorcase.cases.retain import Record, Trial, decide, records_of
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError
from priorcase.schema import Nominal, Numeric

ATTRIBUTES = {"size": Numeric(), "make": Nominal()}
LINE = [({"size": 0}, "x"), ({"size": 1}, "x"), ({"size": 5}, "y")]


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


def bounds(s: int, n: int, level: float) -> tuple:
    """Wilson's interval, written once more."""
    if n == 0:
        return 0.0, 1.0
    z, p = float(ndtri(level)), s / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (p + z * z / (2 * n) - half) / (1 + z * z / n), (p + z * z / (2 * n) + half) / (1 + z * z / n)


def test_a_failure_is_news_where_the_base_would_have_proposed_it():
    table = table_of(LINE)
    kept = decide(table, {"size": 0.4}, '"x"', "false")
    assert str(kept.done(13)) == "Kept as case 13: the base would have answered 'x', which failed."
    other = decide(table, {"size": 0.4}, '"y"', "false")
    assert str(other.done(None)) == "Not kept: it failed, and the base answers 'x'."
    assert decide(table, {"size": 0.4}, '"x"', "0.5").keep  # no better than nothing
    assert not decide(table, {"size": 0.4}, '"x"', "0.6").keep
    assert not decide(table, {"size": 0.4}, '"x"', None).keep
    assert not decide(table_of([]), {"size": 1}, '"x"', "false").keep
    assert not decide(table_of([({"make": "A"}, "x")]), {"make": "B"}, '"x"', "false").keep
    numbers = table_of([({"size": 0}, 10), ({"size": 1}, 20)])
    assert decide(numbers, {"size": 0}, "11", "false", tolerance=2).keep
    assert not decide(numbers, {"size": 0}, "20", "false", tolerance=2).keep


def test_a_failure_that_was_kept_speaks_against_its_solution():
    rows = [*LINE, ({"size": 0.4}, "x", False)]
    again = decide(table_of(rows), {"size": 0.4}, '"x"', "false")
    assert str(again.done(None)) == "Not kept: similar cases support no solution more than they contradict it."
    assert decide(table_of(rows), {"size": 0.4}, '"x"').keep  # now it is news that it helped
    assert not decide(table_of(rows), {"size": 5}, '"y"').keep  # far from there nothing has changed
    assert not decide(table_of(rows, retired=(3,)), {"size": 0.4}, '"x"').keep


def test_a_failure_is_new_where_nothing_alike_failed():
    here = {"size": 0, "make": "A"}
    worked = table_of([(here, "x"), ({"size": 100}, "y")])
    found = decide(worked, here, '"x"', "false", policy="if_new")
    assert found.keep
    assert found.reason == "case 10 with the same solution is 1.00 similar, but there it helped"
    failed = table_of([(here, "x", False), ({"size": 100}, "y")])
    assert not decide(failed, here, '"x"', "false", policy="if_new").keep
    found = decide(failed, here, '"x"', "true", policy="if_new")
    assert found.keep
    assert found.reason == "case 10 with the same solution is 1.00 similar, but there it failed"


def test_records_blame_who_spoke_for_a_failure():
    found = decide(table_of(LINE), {"size": 1}, '"x"', "false", policy="records", k=3)
    assert found.trials == (Trial(11, False), Trial(10, False))  # nothing is known of 'y'
    assert found.reason == "every case is kept; 2 cases proposed it, and it failed"
    assert decide(table_of(LINE), {"size": 5}, '"x"', "false", policy="records").trials == ()


def test_a_solution_is_as_frequent_as_it_worked():
    rows = [({"size": 0}, "x"), ({"size": 1}, "y"), *[({"size": 9}, "x", False)] * 20]
    assert records_of(table_of(rows), {}).base_rate[0] == pytest.approx(bounds(1, 2, 0.9))
    # Right in 2 of 8 trials, while half of the solutions that worked are x: not yet surely worse.
    record = {10: Record(7, 2)}
    assert decide(table_of(rows), {"size": 0}, '"x"', "false", policy="records", records=record).retire == ()
    often = table_of([({"size": 0}, "x"), ({"size": 1}, "y"), *[({"size": 9}, "x")] * 20])
    assert decide(often, {"size": 0}, '"x"', "false", policy="records", records=record).retire == (10,)


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
    assert read.keep
    assert decide(words, {"size": 0}, '"x"', '"bad"', policy="always").keep
