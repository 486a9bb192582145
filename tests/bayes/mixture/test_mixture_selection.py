"""How many components there are, and what is shown while they are looked for."""

from __future__ import annotations

import io
import math
import sys
from typing import Any

import numpy as np
import pytest

from priorcase.bayes import MixtureModel
from priorcase.bayes.mixture.columns import Cells
from priorcase.bayes.mixture.em import FOLDS, _folds


def clusters(k: int, n: int = 60, seed: int = 0) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(8.0 * i, 1.0, (n, 2)) for i in range(k)])


@pytest.mark.parametrize("selection", ["cheeseman_stutz", "held_out"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_as_many_components_as_clusters(k: int, selection: Any) -> None:
    model = MixtureModel(max_components=5, selection=selection, n_init=3, random_state=0).fit(clusters(k))
    # Rows left out tell too many components apart by next to nothing, and may prefer a few more.
    assert model.n_components_ == k or (selection == "held_out" and model.n_components_ > k)
    assert model.selection_.n_components.tolist() == [1, 2, 3, 4, 5]
    assert model.selection_.chosen == model.n_components_
    assert model.selection_.scores.argmax() + 1 == model.n_components_


def test_the_scores_print_as_a_table() -> None:
    model = MixtureModel(max_components=3, n_init=2, random_state=0).fit(clusters(2))
    lines = repr(model.selection_).splitlines()
    assert lines[0].split() == ["components", "cheeseman_stutz", "below", "the", "best"]
    assert [line.split()[0] for line in lines[1:]] == ["1", "2", "3"]
    assert [line.endswith("chosen") for line in lines[1:]] == [False, True, False]
    assert len(model.selection_) == 3


def test_one_number_is_scored_too_and_few_rows_bound_the_search() -> None:
    model = MixtureModel(2, selection="held_out", n_init=1, random_state=0).fit(clusters(2))
    assert (model.selection_.name, len(model.selection_)) == ("held_out", 1)
    few = MixtureModel(random_state=0).fit([[0.0], [1.0], [9.0]])
    assert few.selection_.n_components.tolist() == [1, 2, 3]


def test_held_out_scores_are_those_of_rows_left_out() -> None:
    """One component: the mean log-density of each fifth under the other four."""
    X = np.random.default_rng(1).normal(size=(50, 1))
    model = MixtureModel(1, selection="held_out", random_state=0).fit(X)
    inside = model.score(X)
    assert inside - 0.2 < model.selection_.scores[0] < inside


def test_the_class_is_what_held_out_rows_are_scored_by() -> None:
    """The second column says nothing of the class, so that two components do for the class and not for the rows."""
    rng = np.random.default_rng(2)
    X = np.column_stack([np.repeat([0.0, 9.0], 100), np.tile([0.0, 9.0], 100)]) + rng.normal(size=(200, 2))
    y = np.repeat(["a", "b"], 100)
    model = MixtureModel(max_components=4, selection="held_out", n_init=3, random_state=0).fit(X, y)
    assert (model.selection_.scores <= 0).all()
    assert model.selection_.scores[1:].max() > -0.1
    assert model.selection_.scores[0] == pytest.approx(np.log(0.5), abs=0.05)


@pytest.mark.parametrize("weights", [[1.0] * 12, [3.0, 7.0, 1.0, 0.5, 12.25, 2.0], [1.0, 1.0], [0.1] * 9])
def test_every_part_of_every_row_is_held_out_once(weights: list[float]) -> None:
    n = len(weights)
    codes = np.arange(n, dtype=np.intp)[None, :]
    cells = Cells(np.empty((0, n)), (), codes, np.zeros(n), np.array(weights))
    folds = _folds(cells, seed=0)
    assert len(folds) == min(FOLDS, int(max(sum(weights), n)))
    held = np.zeros(n)
    for train, test in folds:
        held[test.codes[0]] += test.weights
        assert len(train)
        assert len(test)
        assert train.weights.sum() + test.weights.sum() == pytest.approx(sum(weights))
    np.testing.assert_allclose(held, weights, rtol=1e-12)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    MixtureModel(2, random_state=0).fit(clusters(2))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
    monkeypatch.setenv("TERM", "xterm-256color")
    for progress, drawn in ((True, True), (False, False)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        MixtureModel(max_components=3, n_init=2, random_state=0, progress=progress).fit(clusters(2))
        assert ("component" in terminal.getvalue()) == drawn
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("classed", [False, True])
def test_criteria_are_about_the_columns_alone(classed: bool) -> None:
    """Two components of a number and a colour of three: 1 weight, 2 means, 2 variances, 2 * 2 chances; no classes."""
    X = [[x, "rgb"[i % 3]] for i, x in enumerate([0.0, 1.0, 1.5, 5.0, 6.0, 6.5, 7.5])]
    model = MixtureModel(2, random_state=0).fit(X, ["low"] * 3 + ["high"] * 3 + ["top"] if classed else None)
    likelihood = model.score_samples(X[:5]).sum()
    assert model.aic(X[:5]) == pytest.approx(-2 * likelihood + 2 * 9)
    assert model.bic(X[:5]) == pytest.approx(-2 * likelihood + 9 * math.log(5))
