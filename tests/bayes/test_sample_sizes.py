"""The measurement behind the default of prior runs, and the default is better than one row where rows are few."""

from __future__ import annotations

import priorcase as pc
from benchmarks.models import sample_sizes


def test_the_default_is_better_than_one_row_on_the_built_in_table() -> None:
    grids = sample_sizes.measure(["repairs"], None, runs=1, folds=5, draws=2)
    assert len(grids) == 8
    for grid in grids:
        assert grid.columns == ("", "1.0", "5.0", "10.0", "20.0", "50.0", "auto")
        scores = [float(cell) for cell in grid.lines[0][1:]]
        assert scores[3] > scores[0]
        assert grid.lines[-1][1] == "1"


def test_the_default() -> None:
    assert {model._default_prior for model in sample_sizes.MODELS} == {pc.bayes.BDeu(20.0)}
