"""Coverage, reachability and categories against plain sets; near-duplicates against all pairs."""

import json

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import case_competence as slow

from priorcase.cases import Duplicates, scoring
from priorcase.cases.competence import competence, near_duplicates
from priorcase.cases.scoring import Likeness, all_similarities
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError
from priorcase.schema import Nominal, Numeric, Set, Text

matplotlib.use("Agg")

ATTRIBUTES = {"size": Numeric(), "make": Nominal(), "tags": Set()}
TAGS = [("a",), ("a", "b"), ("b", "c"), ()]
VALUES = st.fixed_dictionaries(
    {
        "size": st.sampled_from([None, 0, 1, 2, 5]),
        "make": st.sampled_from([None, "A", "B"]),
        "tags": st.sampled_from([None, *TAGS]),
    }
)


def table_of(rows: list, retired: tuple = (), attributes: dict = ATTRIBUTES) -> CaseTable:
    """Cases of values, solution and, where there is one, outcome; ids from 10."""
    found = [
        (10 + i, row[0], None if row[1] is None else json.dumps(row[1]), json.dumps(row[2]) if len(row) > 2 else None)
        for i, row in enumerate(rows)
    ]
    table = CaseTable.of(attributes, found)
    if retired:
        table.retire([10 + i for i in retired])
    return table


def matrix(table: CaseTable, both: bool = False) -> list:
    """All similarities, each from the values alone."""
    like = Likeness(table)
    return [like.to(table.values(i), both=both).tolist() for i in range(len(table))]


def expected(table: CaseTable, rows: list, k: int, solves) -> tuple:
    reachable = slow.reachability(matrix(table), [row[1] for row in rows], k, solves)
    covered = slow.coverage(reachable)
    return reachable, covered, slow.categories(reachable, covered)


def same(a, b) -> bool:
    return a == b


def as_ids(places: set) -> list:
    return sorted(10 + place for place in places)


@settings(max_examples=30)
@given(st.lists(st.tuples(VALUES, st.sampled_from(["x", "y", "z"])), min_size=1, max_size=12), st.integers(1, 4))
def test_competence_is_that_of_plain_sets(rows, k):
    table = table_of(rows)
    found = competence(table, k=k)
    reachable, covered, category = expected(table, rows, k, same)
    assert [ids.tolist() for ids in found.reachability] == list(map(as_ids, reachable))
    assert [ids.tolist() for ids in found.coverage] == list(map(as_ids, covered))
    assert found.category.tolist() == category
    assert found.solves.sum() == found.solved_by.sum() <= (k + 1) * len(rows)


@settings(max_examples=40)
@given(st.lists(st.tuples(VALUES, st.sampled_from([0, 1, 1.5, 3])), min_size=1, max_size=10), st.integers(1, 3))
def test_numbers_solve_each_other_within_the_tolerance(rows, k):
    table = table_of(rows)
    found = competence(table, k=k, tolerance=1.5)
    _, covered, category = expected(table, rows, k, lambda a, b: abs(a - b) <= 1.5)
    assert [ids.tolist() for ids in found.coverage] == list(map(as_ids, covered))
    assert found.category.tolist() == category


def test_every_case_solves_itself_and_who_is_alone_is_pivotal():
    rows = [({"size": 0}, "x"), ({"size": 1}, "y"), ({"size": 10}, "x")]
    found = competence(table_of(rows))
    assert found.category.tolist() == ["pivotal"] * 3
    assert [ids.tolist() for ids in found.coverage] == [[10], [11], [12]]


def test_the_four_categories_on_a_line():
    """Two equal cases support each other; one at the edge adds nothing to its neighbor; one links two others."""
    rows = [({"size": value}, "x") for value in (0, 2, 5)] + [({"size": 30}, "y"), ({"size": 30}, "y")]
    rows += [({"size": 15}, "z")]
    found = competence(table_of(rows), k=1)
    by_id = dict(zip(found.ids.tolist(), found.category.tolist(), strict=True))
    assert by_id[13] == by_id[14] == "support"
    assert by_id[15] == "pivotal"
    # 0 is solved by 2, 2 by 0, 5 by 2: so 2 covers all three, 0 covers itself and 2, 5 only itself.
    assert [ids.tolist() for ids in found.coverage[:3]] == [[10, 11], [10, 11, 12], [12]]
    assert (by_id[10], by_id[11], by_id[12]) == ("auxiliary", "spanning", "auxiliary")


def test_retired_unsolved_and_failed_cases_are_left_out():
    here = {"size": 0}
    rows = [(here, "x"), (here, "x", "gone"), (here, None), (here, "x", False), (here, "x", 0.6), (here, "x", 0.5)]
    found = competence(table_of(rows, retired=(1,)))
    assert found.ids.tolist() == [10, 14]
    assert found.left_out == 3
    assert "left out: 3 cases without a successful solution" in str(found)


def test_outcomes_in_words_need_a_reader():
    table = table_of([({"size": 0}, "x", "fine"), ({"size": 1}, "x", "broke")])
    with pytest.raises(CaseBaseError, match="outcome 'fine' of case 10"):
        competence(table)
    assert competence(table, success=lambda outcome: outcome == "fine").ids.tolist() == [10]
    assert competence(table, success=None).ids.tolist() == [10, 11]
    with pytest.raises(ParameterError, match="success must be"):
        competence(table, success="yes")


def test_one_case_is_one_case():
    from matplotlib import pyplot

    found = competence(table_of([({"size": 0}, "x")]))
    assert str(found).splitlines()[0] == "competence of 1 case: 1 pivotal"
    ax = found.plot()
    assert ax.get_title() == "Competence of 1 case"
    pyplot.close(ax.figure)


def test_competence_prints_and_frames():
    rows = [({"size": i}, "x" if i < 15 else "y") for i in range(30)]
    found = competence(table_of(rows))
    assert str(found).startswith("competence of 30 cases: ")
    assert "... and 10 more" in str(found)
    frame = found.frame("pandas")
    assert list(frame.columns) == ["id", "solution", "solves", "solved_by", "category"]
    assert frame["solves"].tolist() == found.solves.tolist()
    assert sum(found.counts.values()) == len(found) == 30


def test_competence_is_drawn():
    from matplotlib import pyplot

    rng = np.random.default_rng(1)
    rows = [({"size": float(rng.normal(3 * (i % 3)))}, "xyz"[i % 3]) for i in range(60)]
    found = competence(table_of(rows))
    ax = found.plot()
    drawn = {bars.get_label(): [bar.get_height() for bar in bars] for bars in ax.containers}
    for name, count in found.counts.items():
        heights = [
            int(((found.category == name) & (found.solves == size)).sum()) for size in range(1, 1 + max(found.solves))
        ]
        assert drawn.get(f"{name} ({count})", [0] * len(heights)) == heights
    assert ax.get_title() == "Competence of 60 cases"
    pyplot.close(ax.figure)


def test_bars_of_large_coverage_hold_several_sizes():
    from matplotlib import pyplot

    rows = [({"size": 0}, "x")] * 65
    ax = competence(table_of(rows), k=64).plot()
    assert [[bar.get_height() for bar in bars] for bars in ax.containers] == [[0] * 21 + [65]]
    bar = ax.containers[0][-1]
    assert bar.get_x() < 65 < bar.get_x() + bar.get_width()
    pyplot.close(ax.figure)


@settings(max_examples=30)
@given(st.lists(st.tuples(VALUES, st.sampled_from(["x", "y", None])), max_size=12), st.sampled_from([0.5, 0.8, 1.0]))
def test_duplicates_are_those_of_all_pairs(rows, threshold):
    table = table_of(rows)
    found = near_duplicates(table, threshold=threshold)
    similarities = matrix(table, both=True)
    pairs, groups = slow.duplicate_groups(similarities, threshold)
    assert sorted((a - 10, b - 10) for a, b in found.pairs.tolist()) == pairs
    assert [[id - 10 for id in group] for group in found.groups] == groups
    assert found.similarities.tolist() == [similarities[b - 10][a - 10] for a, b in found.pairs.tolist()]
    assert sorted(found.similarities, reverse=True) == found.similarities.tolist()
    assert found.agree.tolist() == [rows[a - 10][1] == rows[b - 10][1] for a, b in found.pairs.tolist()]


def test_each_pair_is_compared_once(monkeypatch):
    compared = []

    def counting(codes, *args, **kwargs):
        compared.append(len(codes[0]))
        return all_similarities(codes, *args, **kwargs)

    monkeypatch.setattr(scoring, "all_similarities", counting)
    rows = [({"size": i % 3, "make": "AB"[i % 2]}, "x") for i in range(20)]
    near_duplicates(table_of(rows))
    assert sum(compared) == 20 * 19 // 2


def test_a_case_that_says_more_is_no_duplicate():
    table = table_of([({"size": 1, "make": "A", "tags": ("a",)}, "x"), ({"size": 1, "make": "A"}, "x")])
    assert len(near_duplicates(table, threshold=0.7)) == 0
    assert near_duplicates(table, threshold=0.6).similarities == pytest.approx([2 / 3])
    ignoring = near_duplicates(table, likeness=Likeness(table, unknown="ignore"))
    assert ignoring.similarities.tolist() == [1.0]


def test_duplicates_of_numbers_agree_within_the_tolerance():
    table = table_of([({"size": 1}, 10.0), ({"size": 1}, 10.1), ({"size": 1}, 11)], retired=(2,))
    assert near_duplicates(table).agree.tolist() == [False]
    assert near_duplicates(table, tolerance=0.1).agree.tolist() == [True]


def test_listing_is_bounded_and_the_rest_counted():
    table = table_of([({"size": 1}, "x")] * 8)
    found = near_duplicates(table, most=5)
    assert (len(found), found.more) == (5, 28 - 5)
    assert str(found).splitlines()[0] == "near-duplicates, similarity at least 0.95: 28 pairs in 1 group"
    assert str(found).splitlines()[-1].strip() == "... and 23 more pairs"


def test_duplicates_print_and_frame():
    attributes = {"text": Text()}
    rows = [({"text": "paper jam"}, "open the tray"), ({"text": "paper jam"}, None), ({"text": "no light"}, "plug in")]
    found = near_duplicates(table_of(rows, attributes=attributes))
    assert str(found).splitlines()[0] == "near-duplicates, similarity at least 0.95: 1 pair in 1 group"
    assert "open the tray" in str(found)
    frame = found.frame("pandas")
    assert frame.to_dict("records") == [
        {
            "id": 10,
            "other": 11,
            "similarity": 1.0,
            "solution": "open the tray",
            "other_solution": None,
            "agree": False,
        }
    ]
    nothing = near_duplicates(CaseTable.of(attributes, []))
    assert (len(nothing), nothing.groups) == (0, [])
    assert str(nothing) == "near-duplicates, similarity at least 0.95: none\n  no pair of cases is this similar"
    assert len(nothing.frame("pandas")) == 0


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=25))
def test_groups_hold_each_thing_once_and_no_pair_parts(pairs):
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    same = np.ones(len(pairs))
    groups = Duplicates(found, same, (("x", "x"),) * len(pairs), same > 0, 0.9).groups
    flat = [thing for group in groups for thing in group]
    assert sorted(flat) == sorted({thing for pair in pairs for thing in pair})
    where = {thing: place for place, group in enumerate(groups) for thing in group}
    assert all(where[a] == where[b] for a, b in pairs)
    assert all(group == sorted(group) for group in groups)
