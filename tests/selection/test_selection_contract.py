"""What scikit-learn, frames and notebooks expect of the attribute selector."""

from __future__ import annotations

import io
import pickle
import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks.containers import CONTAINERS, NAMES, SAME_TABLE, classes, has_names, numbers, select, training_rows
from selection_tables import uniform
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.selection import AttributeSelector

mpl.use("Agg")

ROWS = training_rows(120)
HEADER = ["step", "change", "attributes", "accuracy", "rows", "compared", "evaluations"]
SEARCHES = ("forward", "backward", "race", "brace", "schemata")


@pytest.mark.parametrize("kind", SAME_TABLE)
@pytest.mark.parametrize("search", SEARCHES)
def test_containers_agree(kind: str, search: Any) -> None:
    table = CONTAINERS[kind](ROWS)
    selector = AttributeSelector(search=search).fit(table, classes(ROWS))
    plain = AttributeSelector(search=search).fit(ROWS, classes(ROWS))
    assert selector.support_.tolist() == plain.support_.tolist()
    assert selector.history_.scores.tolist() == plain.history_.scores.tolist()
    assert {0, 2} <= set(selector.get_support(indices=True).tolist())
    assert hasattr(selector, "feature_names_in_") == has_names(kind)
    assert selector.n_features_in_ == 5


@pytest.mark.parametrize("kind", SAME_TABLE)
def test_chosen_columns_come_in_the_make_of_the_table(kind: str) -> None:
    table = CONTAINERS[kind](ROWS)
    selector = AttributeSelector(KNNRegressor(), n_features=2).fit(table, numbers(ROWS))
    assert selector.get_support(indices=True).tolist() == [0, 2]
    chosen = selector.transform(table)
    if not has_names(kind):
        assert isinstance(chosen, np.ndarray)
        expected = CONTAINERS["objects"](ROWS)[:, [0, 2]] if kind == "objects" else [[row[0], row[2]] for row in ROWS]
        assert repr(chosen.tolist()) == repr(np.array(expected, dtype=object).tolist())
        return
    assert type(chosen) is type(table)
    assert chosen.equals(select(table, ["age", "colour"]))
    assert selector.get_feature_names_out().tolist() == ["age", "colour"]
    turned = selector.transform(select(table, NAMES[::-1]))
    assert turned.equals(chosen)


def test_numbers_in_lists_stay_numbers() -> None:
    X, y = uniform(60, 5, "numbers")
    chosen = AttributeSelector(n_features=2).fit(X.tolist(), y).transform(X.tolist())
    assert chosen.dtype == np.float64
    np.testing.assert_array_equal(chosen, X[:, [1, 4]])


def test_record_batches() -> None:
    batch = pa.table({"a": [0.0, 1.0, 5.0, 6.0], "b": ["x", "y", "x", "y"]}).to_batches()[0]
    selector = AttributeSelector(KNNClassifier(1), n_features=1).fit(batch, [0, 0, 1, 1])
    assert selector.transform(batch).column_names == ["a"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("kind", SAME_TABLE)
def test_set_output(kind: str, library: str) -> None:
    table = CONTAINERS[kind](ROWS)
    selector = AttributeSelector(KNNRegressor(), n_features=2).set_output(transform=library).fit(table, numbers(ROWS))
    chosen = selector.transform(table)
    assert type(chosen) is {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    assert list(chosen.columns) == (["age", "colour"] if has_names(kind) else ["x0", "x2"])
    assert list(table.columns if hasattr(table, "columns") and kind != "pyarrow" else NAMES) == list(NAMES)
    assert chosen.shape == (120, 2)


def test_a_frame_without_text_names_is_selected_by_name() -> None:
    frame = pd.DataFrame({3: [0.0, 1.0, 5.0, 6.0], 1: [0.3, 0.1, 0.2, 0.0]})
    selector = AttributeSelector(KNNClassifier(1), n_features=1).fit(frame, [0, 0, 1, 1])
    assert list(selector.transform(frame[[1, 3]]).columns) == [3]
    assert selector.get_feature_names_out().tolist() == ["x0"]


def test_removed_columns_come_back_as_gaps() -> None:
    X, y = uniform(60, 5, "numbers")
    selector = AttributeSelector(n_features=2).fit(X, y)
    back = selector.inverse_transform(selector.transform(X))
    np.testing.assert_array_equal(back[:, [1, 4]], X[:, [1, 4]])
    assert np.isnan(back[:, [0, 2, 3]]).all()
    mixed = AttributeSelector(KNNRegressor(), n_features=2).fit(ROWS, numbers(ROWS))
    back = mixed.inverse_transform(mixed.transform(ROWS))
    assert back[:, [0, 2]].tolist() == [[row[0], row[2]] for row in ROWS]
    assert {*back[:, [1, 3, 4]].ravel().tolist()} == {None}


def test_in_a_pipeline_irrelevant_columns_do_no_harm() -> None:
    X, y = uniform(300, 12, "classes")
    pipeline = make_pipeline(AttributeSelector(search="brace"), KNNClassifier())
    assert cross_val_score(pipeline, X, y).mean() > cross_val_score(KNNClassifier(), X, y).mean() + 0.05
    frame = CONTAINERS["pandas"](ROWS)
    mixed = make_pipeline(AttributeSelector(), KNNClassifier()).fit(frame, classes(ROWS))
    assert mixed[-1].schema_.names == tuple(mixed[0].get_feature_names_out())


def test_clones_and_pickles() -> None:
    selector = AttributeSelector(KNNClassifier(3), search="brace", gamma=0.02)
    assert clone(selector).get_params()["gamma"] == 0.02
    selector.fit(ROWS, classes(ROWS))
    assert not hasattr(selector.estimator, "_memory"), "the estimator given is copied, not fitted"
    other = pickle.loads(pickle.dumps(selector))
    assert other.support_.tolist() == selector.support_.tolist()
    assert repr(other.history_) == repr(selector.history_)
    assert other.transform(ROWS).tolist() == selector.transform(ROWS).tolist()
    assert len(pickle.dumps(selector)) < 20_000, "the rows are not kept"


def test_several_targets() -> None:
    X, y = uniform(200, 5, "numbers")
    both = AttributeSelector().fit(X, np.column_stack((y, X[:, 2])))
    assert both.get_support(indices=True).tolist() == [1, 2, 4]
    labels = np.column_stack((X[:, 1] > 0.5, X[:, 3] > 0.5))
    assert AttributeSelector().fit(X, labels).get_support(indices=True).tolist() == [1, 3]


def test_targets_decide_who_answers() -> None:
    X, y = uniform(100, 5, "numbers")
    assert AttributeSelector().fit(X, y).history_.scoring == "squared_error"
    assert AttributeSelector().fit(X, y.round()).history_.scoring == "accuracy"
    assert AttributeSelector(KNNRegressor()).fit(X, y.round()).history_.scoring == "squared_error"


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_the_scale_of_the_numbers_changes_no_choice(scale: float) -> None:
    X, y = uniform(200, 5, "numbers")
    for search in SEARCHES:
        selector = AttributeSelector(KNNRegressor(), search=search).fit(X, y * scale)
        assert selector.get_support(indices=True).tolist() == [1, 4]
    found = AttributeSelector(KNNRegressor()).fit(X, y * scale).history_.scores / scale**2
    np.testing.assert_allclose(found, AttributeSelector().fit(X, y).history_.scores)


def test_a_target_that_never_changes() -> None:
    X, _ = uniform(50, 5, "numbers")
    selector = AttributeSelector(KNNRegressor()).fit(X, np.full(50, 3.5))
    assert selector.get_support(indices=True).tolist() == [0]
    assert selector.history_.scores.tolist() == [0.0, 0.0]


# -- the history


def history() -> Any:
    X, y = uniform(400, 6, "classes")
    return AttributeSelector(search="brace").fit(pd.DataFrame(X, columns=list("abcdef")), y)


def test_the_history_prints_and_frames_itself() -> None:
    selector = history()
    text = str(selector.history_)
    first = selector.history_.steps[0]
    assert text.splitlines()[0] == (
        f"brace selection by leave-one-out: {selector.n_evaluations_:,} of {selector.n_exhaustive_:,} evaluations "
        f"({selector.n_evaluations_ / selector.n_exhaustive_:.0%})"
    )
    assert text.splitlines()[1].split() == [
        "step",
        "change",
        "attributes",
        "accuracy",
        "rows",
        "compared",
        "evaluations",
    ]
    assert text.splitlines()[2].split()[:4] == ["1", "+", "abcdef"[first.attribute], "1"]
    assert text.splitlines()[-1].split()[1] == "stop"
    assert repr(selector.history_) == text
    assert "<table>" in selector.history_._repr_html_()
    frame = selector.history_.frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == [
        "step",
        "attribute",
        "kept",
        "n_attributes",
        "accuracy",
        "rows",
        "compared",
        "evaluations",
        "exhaustive",
    ]
    assert frame["attribute"].tolist()[:2] == ["abcdef"[step.attribute] for step in selector.history_.steps[:2]]
    assert frame["attribute"].isna().tolist() == [False, False, True]
    assert frame["evaluations"].sum() == selector.n_evaluations_
    assert frame["exhaustive"].sum() == selector.n_exhaustive_
    np.testing.assert_array_equal(frame["accuracy"], [1 - step.loss for step in selector.history_.steps])


def test_full_searches_do_not_boast_of_savings() -> None:
    X, y = uniform(100, 4 + 1, "classes")
    title = str(AttributeSelector().fit(X, y).history_).splitlines()[0]
    assert title.startswith("forward selection by leave-one-out: ")
    assert "%" not in title


def test_the_history_is_drawn() -> None:
    selector = history()
    ax = selector.history_.plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        *(f"+ {'abcdef'[step.attribute]}" for step in selector.history_.steps[:-1]),
        "stop",
    ]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), selector.history_.scores)
    assert ax.get_ylabel() == "leave-one-out accuracy"
    other = AttributeSelector(search="schemata").fit(ROWS, classes(ROWS)).history_
    assert other.plot(ax) is ax
    mpl.pyplot.close("all")


# -- long work


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("search", SEARCHES)
def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(
    search: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("priorcase.selection.selector._MANY_LOSSES", 500)
    X, y = uniform(100, 5, "classes")
    AttributeSelector(search=search).fit(X, y)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
    monkeypatch.setenv("TERM", "xterm-256color")
    for rows, drawn in ((100, True), (99, False)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        AttributeSelector(search=search).fit(X[:rows], y[:rows])
        assert (search in terminal.getvalue()) == drawn
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("search", SEARCHES)
def test_an_interrupted_fit_leaves_everything_as_it_was(search: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = uniform(100, 5, "classes")
    selector = AttributeSelector(search=search).fit(X, y)
    before = selector.support_.tolist(), selector.n_evaluations_
    fresh = AttributeSelector(search=search)
    calls = 0

    def interrupted(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 2 == 0:
            raise KeyboardInterrupt
        return ranked(*args)

    from priorcase.selection.leave_one_out import LeaveOneOutLosses

    ranked = LeaveOneOutLosses._neighbors
    monkeypatch.setattr(LeaveOneOutLosses, "_neighbors", interrupted)
    for each in (selector, fresh):
        with pytest.raises(KeyboardInterrupt):
            each.fit(X[:80, :4], y[:80])
    assert (selector.support_.tolist(), selector.n_evaluations_) == before
    assert selector.n_features_in_ == 5
    assert not [name for name in vars(fresh) if name.endswith("_")]
