"""Precedents: complete, adding up, and readable."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len
from rich.console import Console
from tables import COLUMNS, labels, mixed_rows

from priorcase.neighbors import KNNClassifier, KNNRegressor, Precedent, Precedents
from priorcase.schema import Ordinal

X, Y = mixed_rows(40), labels(40)
QUERIES = [*mixed_rows(5, seed=9), [1.0, "violet", None, 0.0]]


@pytest.mark.parametrize("distance", ["heom", "hvdm", "gower", "mvdm", "euclidean", "ib"])
@pytest.mark.parametrize("weights", [None, [2.0, 1.0, 0.0, 0.5]])
def test_they_are_the_neighbors_and_their_shares_add_up(distance: str, weights: Any) -> None:
    model = KNNClassifier(4, distance=distance, ties="first", attribute_weights=weights).fit(X, Y)
    found = model.precedents(QUERIES)
    distances, ids = model.kneighbors(QUERIES)
    assert len(found) == 6
    np.testing.assert_array_equal(found.ids.reshape(6, 4), ids)
    np.testing.assert_array_equal(found.distances.reshape(6, 4), distances)
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.distances, atol=1e-12)
    assert found.rows == [tuple(X[i]) for i in found.ids]
    assert found.targets.tolist() == [Y[i] for i in found.ids]
    np.testing.assert_allclose(found.votes, 0.25)
    assert found.predictions.tolist() == model.predict(QUERIES).tolist()
    np.testing.assert_array_equal(found.probabilities, model.predict_proba(QUERIES))
    assert found.queries == [tuple(row) for row in QUERIES]


def test_every_voter_of_a_tie_is_listed() -> None:
    model = KNNClassifier(1).fit([[1.0], [1.0], [5.0]], ["a", "b", "b"])
    found = model.precedents([[1.0], [5.0]])
    assert found.indptr.tolist() == [0, 2, 3]
    assert found.ids.tolist() == [0, 1, 2]
    assert found.votes.tolist() == [0.5, 0.5, 1.0]
    assert found.query_of_entry().tolist() == [0, 0, 1]


def test_another_number_of_neighbors() -> None:
    model = KNNClassifier(1).fit(X, Y)
    found = model.precedents(QUERIES, n_neighbors=7)
    assert found.predictions.tolist() == KNNClassifier(7).fit(X, Y).predict(QUERIES).tolist()
    assert (np.diff(found.indptr) >= 7).all()


def test_votes_include_repetitions_and_kernels() -> None:
    model = KNNRegressor(3, vote="gaussian").fit(X, np.arange(40.0), sample_weight=np.arange(40) % 2 + 1)
    for one, prediction in zip(model.precedents(QUERIES), model.predict(QUERIES), strict=True):
        assert one.votes.sum() == pytest.approx(1)
        assert (one.votes * one.targets).sum() == pytest.approx(prediction)
    assert model.precedents(QUERIES).unlike == ()


def test_ten_nearest_are_listed_when_all_vote() -> None:
    model = KNNClassifier("all", vote="inverse_square").fit(X, Y)
    found = model.precedents(QUERIES)
    assert np.diff(found.indptr).tolist() == [10] * 6
    assert (found[0].votes.sum() < 1) or found[0].distances[0] == 0
    assert found.ids.reshape(6, 10).tolist() == model.kneighbors(QUERIES, 10)[1].tolist()
    assert len(model.precedents(QUERIES, n_neighbors=2)[0].ids) >= 2


def test_nearest_unlike_case() -> None:
    model = KNNClassifier(3, n_jobs=1).fit(X, Y)
    found = model.precedents(QUERIES)
    distances, ids = model.kneighbors(QUERIES, 40)
    for i, case in enumerate(found.unlike):
        assert isinstance(case, Precedent)
        rank = next(r for r in range(40) if Y[ids[i, r]] != found.predictions[i])
        assert (case.id, case.distance) == (ids[i, rank], distances[i, rank])
        assert case.target == Y[case.id] != found.predictions[i]
        assert case.row == tuple(X[case.id])
        assert case.contributions.sum() == pytest.approx(case.distance)


def test_nearest_unlike_case_is_found_however_far() -> None:
    X = np.arange(1000.0)[:, None]
    y = np.where(np.arange(1000) == 999, "rare", "common")
    model = KNNClassifier(3, distance="euclidean").fit(X, y)
    case = model.precedents([[0.0]]).unlike[0]
    assert case is not None
    assert (case.id, case.distance, case.target) == (999, 999.0, "rare")
    alone = KNNClassifier(1).fit([[1.0], [2.0]], ["a", "a"])
    assert alone.precedents([[0.0], [1.0]]).unlike == (None, None)


def test_several_targets() -> None:
    y = np.array([labels(40, seed=s) for s in (1, 2)]).T
    model = KNNClassifier(3).fit(X, y)
    found = model.precedents(QUERIES)
    assert found.targets.shape == (found.ids.size, 2)
    assert found.probabilities is None
    assert found.predictions.tolist() == model.predict(QUERIES).tolist()
    for i, case in enumerate(found.unlike):
        assert case is not None
        assert case.target != tuple(found.predictions[i].tolist())
    assert list(found.frame())[5:7] == ["target_0", "target_1"]
    assert "('" in str(found)


def test_one_query_at_a_time() -> None:
    found = KNNClassifier(3).fit(X, Y).precedents(QUERIES)
    parts = list(found)
    assert len(parts) == len(found) == 6
    np.testing.assert_array_equal(np.concatenate([part.ids for part in parts]), found.ids)
    assert found[-1].queries == [tuple(QUERIES[-1])]
    assert found[2].unlike == found.unlike[2:3]
    with pytest.raises(IndexError):
        found[6]


def test_some_queries_at_a_time() -> None:
    found = KNNClassifier(3).fit(X, Y).precedents(QUERIES)
    for part, numbers in [(found[1:3], (1, 2)), (found[::-2], (5, 3, 1)), (found[4:4], ()), (found[3:][1:], (4, 5))]:
        assert part.numbers == numbers
        assert part.queries == [found.queries[i] for i in numbers]
        assert part.unlike == tuple(found.unlike[i] for i in numbers)
        assert [one.ids.tolist() for one in part] == [found[i].ids.tolist() for i in numbers]
        assert [one.rows for one in part] == [found[i].rows for i in numbers]
        assert set(part.frame()["query"].tolist()) == set(numbers)
    assert str(found[4:4]) == "no queries"


def test_a_query_keeps_its_number() -> None:
    found = KNNClassifier(3).fit(X, Y).precedents(QUERIES)
    assert str(found[2]).startswith("query 2: ")
    assert str(found[2:]).startswith("query 2: ")
    assert "query 2: " in found[2]._repr_html_()
    terminal = Console(width=100, file=io.StringIO())
    with terminal.capture() as captured:
        terminal.print(found[2])
    assert captured.get().startswith("query 2 ")


# -- frames


def frame_of(kind: str) -> Any:
    library = pytest.importorskip(kind)
    columns = {name: [row[a] for row in X] for a, name in enumerate(COLUMNS)}
    return library.Table.from_pydict(columns) if kind == "pyarrow" else library.DataFrame(columns)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frame_is_of_the_kind_that_was_fitted(kind: str) -> None:
    frame = frame_of(kind)
    found = KNNClassifier(2, ties="first").fit(frame, Y).precedents(frame[:3])
    table = found.frame()
    assert type(table) is type(frame)
    names = list(table.column_names if kind == "pyarrow" else table.columns)
    assert names[:6] == ["query", "rank", "id", "distance", "vote", "target"]
    assert names[6:] == [*COLUMNS, *(f"contribution of {name}" for name in COLUMNS)]
    assert len(table) == 6
    assert list(np.asarray(table["rank"])) == [1, 2] * 3
    assert list(np.asarray(table["id"])) == found.ids.tolist()


def test_frame_after_arrays_is_one_of_the_library_installed() -> None:
    table = KNNRegressor(2, ties="first").fit(np.arange(6.0).reshape(3, 2), [1, 2, 3]).precedents([[0.0, 1.0]]).frame()
    assert list(table) == [
        "query",
        "rank",
        "id",
        "distance",
        "vote",
        "target",
        "x0",
        "x1",
        "contribution of x0",
        "contribution of x1",
    ]
    assert isinstance(table, pd.DataFrame)
    assert table["id"].tolist() == [0, 1]
    assert table["x1"].tolist() == [1.0, 3.0]


def test_frame_with_columns_called_like_its_own() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"id": [1.0, 2.0], "vote": ["a", "b"]})
    table = KNNClassifier(1).fit(frame, ["x", "y"]).precedents(frame).frame()
    assert table["id (value)"].tolist() == [1.0, 2.0]
    assert table["vote (value)"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (
            ("a", "contribution of a"),
            ["a", "contribution of a", "contribution of a (2)", "contribution of contribution of a"],
        ),
        (("target", "target (value)"), ["target (value)", "target (value) (2)"]),
        (("target (value)", "target"), ["target (value)", "target (value) (2)"]),
        ((1, "1"), ["1", "1 (2)", "contribution of 1", "contribution of 1 (2)"]),
        ((1, "1", "1 (2)"), ["1", "1 (2)", "1 (2) (2)"]),
    ],
    ids=str,
)
def test_frame_has_every_column_whatever_the_names(names: tuple[Any, ...], labels: list[str]) -> None:
    pd = pytest.importorskip("pandas")
    values = np.arange(2.0 * len(names)).reshape(2, -1)
    frame = pd.DataFrame(values, columns=pd.Index(names, dtype=object))
    table = KNNClassifier(1).fit(frame, ["x", "y"]).precedents(frame).frame()
    assert table.shape == (2, 6 + 2 * len(names))
    assert table.columns[6:].tolist()[: len(labels)] == labels
    np.testing.assert_array_equal(table.iloc[:, 6 : 6 + len(names)], values)


# -- in print


def small() -> Precedents:
    rows = [[31, "red", "S"], [29, None, "L"], [62, "blue", "M"]]
    model = KNNClassifier(2, ties="first", prior=None, schema={2: Ordinal(("S", "M", "L"))})
    model.fit(rows, ["no", "no", "yes"])
    return model.precedents([[30, "red", "XL"], [60, "green <b>", None]])


def test_text() -> None:
    assert str(small()) == repr(small())
    assert "no queries" not in str(small())
    first, second = str(small()).split("\n\n")
    assert first.startswith("query 0: no  (no 1.00)\n")
    assert second.startswith("query 1: ")
    for text in ("query", "31 (0.00092)", "red (0)", "unlike", "distance", "(no such level)"):
        assert text in first
    assert "?" in second


def test_html_is_escaped() -> None:
    page = small()._repr_html_()
    assert "<td>green &lt;b&gt;</td>" in page
    assert page.count("<table>") == page.count("</table>") == 2


def test_wide_and_long_results_are_shortened() -> None:
    rng = np.random.default_rng(0)
    model_rows = rng.normal(size=(50, 40)), rng.integers(0, 7, 50)
    model = KNNClassifier(30).fit(*model_rows)
    text = str(model.precedents(rng.normal(size=(8, 40))))
    assert max(map(len, text.splitlines())) <= 120
    assert "and 20 more voters and" in text
    assert "more attributes" in text
    assert text.endswith("... and 3 more queries")
    assert "and 1 more voter and" in str(KNNClassifier(11).fit(*model_rows).precedents(model_rows[0][:1]))
    assert ", ...)" in text


def test_wide_characters_stay_aligned_and_long_names_are_cut() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"市": ["東京都", "ab", "🎉🎉"], "n" * 150: [1.0, 2.0, 3.0]})
    text = str(KNNClassifier(3).fit(frame, ["a", "b", "a"]).precedents(frame[:1]))
    assert "n" * 23 + "…" in text
    lines = text.splitlines()[1:]
    assert max(map(cell_len, lines)) <= 120
    second = cell_len(lines[0][: lines[0].index("nnn")])
    for line in lines[1:]:
        start = next(i for i in range(len(line)) if cell_len(line[:i]) == second)
        assert line[start - 1] == " "
        assert line[start] != " "


def test_rich_rendering() -> None:
    terminal = Console(width=100, file=io.StringIO())
    with terminal.capture() as captured:
        terminal.print(small())
    assert "distance" in captured.get()


def test_votes_that_round_to_nothing_have_no_sign() -> None:
    found = KNNRegressor(3).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]).precedents([[1.0]])
    found = replace(found, votes=np.array([1.003, -0.001, -0.012]))  # as local fits have them
    terminal = Console(width=100, file=io.StringIO())
    with terminal.capture() as captured:
        terminal.print(found)
    for text in (str(found), captured.get()):
        assert "-0%" not in text
        assert all(f" {vote} " in text.replace("\n", " ") for vote in ("100%", "0%", "-1%"))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_frame_is_one_of_the_library_that_is_asked_for(backend):
    found = KNNRegressor(2).fit([[0.0], [1.0], [2.0]], [1, 2, 3]).precedents([[0.0]]).frame(backend)
    assert type(found).__module__.split(".")[0] == backend


def test_an_unknown_library_is_refused():
    with pytest.raises(ValueError, match="backend"):
        KNNRegressor(1).fit([[0.0], [1.0]], [1, 2]).precedents([[0.0]]).frame("panda")
