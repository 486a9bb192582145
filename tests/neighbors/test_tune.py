"""Choosing parameters of k-NN together."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from tables import COLUMNS, mixed_rows

from priorcase import KNNClassifier, KNNRegressor
from priorcase.neighbors import tune
from priorcase.neighbors.tuning import Problem, Sums, best_candidate
from priorcase.schema import Nominal
from priorcase.similarity import Gaussian

X = mixed_rows(90, seed=3)
Y = np.array([{"red": "a", "green": "b"}.get(row[1], "c") for row in X])
Z = np.array([0.0 if row[0] is None else row[0] ** 2 for row in X])
FEW: dict[str, Any] = {"n_neighbors": [1, 3, 7], "vote": ["uniform", "tricube"], "prior": [0.3, 1.0]}


def lines(tuning: Any) -> list[dict[str, Any]]:
    frame = tuning.frame("pandas").astype(object)
    return frame.where(frame.notna(), None).to_dict("records")  # type: ignore[no-any-return]


# -- what comes back


def test_the_best_is_fitted_with_the_chosen_parameters() -> None:
    tuning = tune(KNNClassifier(ties="first"), X, Y, candidates=FEW, scoring="accuracy", nested=None)
    best, top = tuning.best, lines(tuning)[0]
    assert best.tuning_ is tuning
    assert best.get_params()["ties"] == "first"
    assert {name: best.get_params()[name] for name in FEW} == {name: top[name] for name in FEW}
    assert dict(tuning.best_params).items() <= best.get_params().items()
    assert top["chosen"] is True
    assert sum(line["chosen"] for line in lines(tuning)) == 1
    assert top["accuracy"] == tuning.score == max(line["accuracy"] for line in lines(tuning))
    again = KNNClassifier(ties="first", **{name: top[name] for name in FEW}).fit(X, Y)
    assert np.array_equal(best.predict_proba(X), again.predict_proba(X))


def test_a_later_fit_drops_what_was_tuned() -> None:
    model = tune(KNNClassifier(), X, Y, candidates=FEW, nested=None).best
    assert not hasattr(clone(model), "tuning_")
    assert not hasattr(model.fit(X, Y), "tuning_")


def test_defaults_suit_tiny_mixed_tables() -> None:
    model = tune(KNNClassifier(), X[:12], Y[:12], nested=3).best
    assert max(line["n_neighbors"] for line in lines(model.tuning_)) <= 11
    assert set(model.tuning_.nested_scores) == {"log_score", "brier", "accuracy"}
    assert model.predict_proba(X).min() > 0
    assert tune(KNNRegressor(), X[:12], Z[:12], nested=None).best.predict(X).shape == (90,)


def test_nothing_given_is_changed() -> None:
    frame, base = pd.DataFrame(X, columns=list(COLUMNS)), KNNClassifier()
    before, parameters = frame.copy(), base.get_params()
    tune(base, frame, Y, candidates=FEW, nested=2)
    pd.testing.assert_frame_equal(frame, before)
    assert base.get_params() == parameters
    assert not hasattr(base, "_memory")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_taken_and_given(make: Any) -> None:
    data = {name: [row[i] for row in X] for i, name in enumerate(COLUMNS)}
    tuning = tune(KNNClassifier(), make(data), Y, candidates=FEW, nested=3)
    assert isinstance(tuning.frame(), make)
    assert tuning.nested_scores == tune(KNNClassifier(), X, Y, candidates=FEW, nested=3).nested_scores


def test_two_runs_and_pickles_are_alike() -> None:
    one, other = (tune(KNNClassifier(), X, Y, candidates=FEW, nested=3).best for _ in range(2))
    assert lines(one.tuning_) == lines(other.tuning_)
    assert one.tuning_.nested_scores == other.tuning_.nested_scores
    back = pickle.loads(pickle.dumps(one))
    assert back.tuning_.nested_score == one.tuning_.nested_score
    assert np.array_equal(back.predict_proba(X), one.predict_proba(X))


# -- honest scores


def test_nested_scores_are_those_of_rows_that_took_no_part() -> None:
    folds, losses = Problem(KNNClassifier().fit(X, Y), None, 0).folds(3).argmax(axis=1), np.zeros(len(Y))
    tuning = tune(KNNClassifier(), X, Y, candidates=FEW, nested=3)
    for fold in range(3):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        model = tune(KNNClassifier(), [X[i] for i in train], Y[train], candidates=FEW, nested=None).best
        proba = model.predict_proba([X[i] for i in test])
        losses[test] = -np.log(proba[np.arange(test.size), np.searchsorted(model.classes_, Y[test])])
    assert tuning.nested_score == pytest.approx(-losses.mean(), rel=1e-12)


def test_distances_made_from_classes_are_scored_over_folds() -> None:
    choices = {"n_neighbors": [3], "distance": ["hvdm", "heom"], "prior": [0.5]}
    tuning = tune(KNNClassifier(), X, Y, candidates=choices, nested=None)
    by = {line["distance"]: line for line in lines(tuning)}
    assert by["hvdm"]["scored_by"] == "folds"
    assert by["heom"]["scored_by"] == "leave-one-out"
    folds, losses = Problem(KNNClassifier().fit(X, Y), None, 0).folds(10).argmax(axis=1), np.zeros(len(Y))
    for fold in range(10):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        model = KNNClassifier(3, distance="hvdm", prior=0.5).fit([X[i] for i in train], Y[train])
        proba = model.predict_proba([X[i] for i in test])
        losses[test] = -np.log(proba[np.arange(test.size), np.searchsorted(model.classes_, Y[test])])
    assert by["hvdm"]["log_score"] == pytest.approx(-losses.mean(), rel=1e-12)


def test_a_column_of_names_tells_nothing() -> None:
    rng = np.random.default_rng(0)
    rows = [[f"row {i}", float(rng.normal())] for i in range(80)]
    y = rng.integers(0, 2, 80)
    choices = {"n_neighbors": [1, 3, 5], "distance": ["hvdm"], "prior": [0.5]}
    declared = KNNClassifier(schema={0: Nominal()})  # an id, which would be warned of
    tuning = tune(declared, rows, y, candidates=choices, scoring="accuracy", nested=None)
    assert tuning.score < 0.75  # each row's own value stands for its own class alone


def test_learned_weights_are_scored_over_folds() -> None:
    choices = {"n_neighbors": [3], "attribute_weights": [None, "gain_ratio"], "prior": [0.5]}
    tuning = tune(KNNClassifier(), X, Y, candidates=choices, nested=2)
    assert {line["attribute_weights"]: line["scored_by"] for line in lines(tuning)} == {
        None: "leave-one-out",
        "gain_ratio": "folds",
    }


# -- the choice


def sums(losses: Any, surprise: Any, brier: Any) -> Sums:
    """Blocks of one row each; everybody is right half of the time."""
    rows = np.asarray(losses, dtype=float)
    shape = rows.shape
    constant = {"surprise": surprise, "brier": brier, "accuracy": [0.5] * shape[1]}
    of = {name: np.tile(np.asarray(values, float), (shape[0], 1)) for name, values in constant.items()}
    return Sums({"log_score": rows, **of}, np.ones(shape[0]))


def test_a_bold_candidate_loses_to_a_row_that_may_surprise_it() -> None:
    losses = np.tile([[0.01, 0.05]], (50, 1))
    assert best_candidate(sums(losses, [30.0, 3.0], [0.1, 0.1]), "log_score", [(2, 1, 1, 1)]) == 1
    assert best_candidate(sums(losses, [4.0, 3.0], [0.1, 0.1]), "log_score", [(2, 1, 1, 1)]) == 0


def test_the_brier_score_decides_between_losses_that_their_error_cannot_tell_apart() -> None:
    noise = np.random.default_rng(0).normal(size=(100, 1))
    losses = 1.0 + np.concatenate([np.zeros((100, 1)), 0.02 + noise - noise.mean()], axis=1)  # the error is 0.1
    assert best_candidate(sums(losses, [2.0, 2.0], [0.3, 0.2]), "log_score", [(2, 1, 1, 1)]) == 1
    assert best_candidate(sums(losses, [2.0, 2.0], [0.2, 0.3]), "log_score", [(2, 1, 1, 1)]) == 0
    losses[:, 1] += 0.1
    assert best_candidate(sums(losses, [2.0, 2.0], [0.3, 0.2]), "log_score", [(2, 1, 1, 1)]) == 0


def test_so_does_accuracy() -> None:
    noise = np.random.default_rng(0).normal(size=(100, 1))
    losses = 1.0 + np.concatenate([np.zeros((100, 1)), 0.02 + noise - noise.mean()], axis=1)
    found = sums(losses, [2.0, 2.0], [0.2, 0.25])
    found.of["accuracy"][:, 1] = 0.6
    assert best_candidate(found, "log_score", [(2, 1, 1, 1)]) == 1


def test_blocks_of_any_weight_give_the_error_of_their_rows() -> None:
    losses = np.array([[1.0, 1.3], [1.0, 0.9], [1.0, 1.1], [1.0, 0.78]])
    one = sums(losses, [2.0, 2.0], [0.3, 0.2])
    double = Sums({name: 2 * array for name, array in one.of.items()}, 2 * one.weights)
    assert best_candidate(one, "log_score", [(2, 1, 1, 1)]) == best_candidate(double, "log_score", [(2, 1, 1, 1)]) == 1


def test_a_number_of_neighbors_that_shines_alone_is_not_taken() -> None:
    losses = np.tile([[1.0, 0.4, 1.0, 0.5, 0.5, 0.5]], (50, 1))
    assert best_candidate(sums(losses, [2.0] * 6, [0.2] * 6), "log_score", [(1, 6, 1, 1)]) in (4, 5)
    assert best_candidate(sums(losses, [2.0] * 6, [0.2] * 6), "log_score", [(6, 1, 1, 1)]) == 1


def test_infinite_losses_are_never_near() -> None:
    losses = np.tile([[0.5, np.inf]], (10, 1))
    assert best_candidate(sums(losses, [1.0, np.inf], [0.9, 0.1]), "log_score", [(2, 1, 1, 1)]) == 0
    lost = sums(np.full((10, 2), np.inf), [1.0, 1.0], [0.1, 0.1])
    lost.of["accuracy"][:, 1] = 0.9
    assert best_candidate(lost, "log_score", [(2, 1, 1, 1)]) == 1


@pytest.mark.parametrize(("scoring", "best"), [("squared_error", min), ("absolute_error", min)])
def test_other_scores_take_the_best(scoring: Any, best: Any) -> None:
    tuning = tune(KNNRegressor(), X, Z, candidates={"n_neighbors": [1, 2, 5, 20]}, scoring=scoring, nested=None)
    assert tuning.score == best(line[scoring] for line in lines(tuning))


# -- how it looks


def test_it_prints_as_a_table() -> None:
    tuning = tune(KNNClassifier(), X, Y, candidates=FEW, nested=None)
    text = str(tuning)
    assert text.splitlines()[0] == "12 candidates scored on 90 rows; selection by log-score"
    assert text.splitlines()[1].split() == ["n_neighbors", "vote", "prior", "log-score", "Brier", "score", "accuracy"]
    assert text.splitlines()[2].split()[0] == "chosen"
    assert text.splitlines()[-1].strip() == (
        "The best score is optimistic, since it was selected on the same rows; nested=5 gives an unbiased score."
    )
    assert "<table>" in tuning._repr_html_()
    assert repr(tuning) == text


def test_a_better_loss_below_the_chosen_one_is_explained() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2))
    tunings = [
        tune(KNNClassifier(), rows, rng.random(60) < 1 / (1 + np.exp(-rows[:, 0])), candidates=FEW, nested=None)
        for _ in range(12)
    ]
    better = [tuning.score < max(line["log_score"] for line in lines(tuning)) for tuning in tunings]
    assert set(better) == {True, False}
    for tuning, explained in zip(tunings, better, strict=True):
        assert ("may be luck" in str(tuning)) == explained
        assert all(line.startswith("  ") for line in str(tuning).splitlines()[1:])


@pytest.mark.parametrize(("n", "folds"), [(2, 0), (3, 3), (7, 5)])
def test_few_rows_make_fewer_folds(n: int, folds: int) -> None:
    y = (["a", "b"] * 4)[:n]
    model = tune(KNNClassifier(), X[:n], y, candidates={"n_neighbors": [1]}).best
    if not folds:
        assert model.tuning_.nested_score is None
    else:
        other = tune(KNNClassifier(), X[:n], y, candidates={"n_neighbors": [1]}, nested=folds).best
        assert model.tuning_.nested_scores == other.tuning_.nested_scores != {}


def test_it_says_what_strangers_would_score() -> None:
    tuning = tune(KNNRegressor(), X, Z, candidates={"n_neighbors": [1, 5]}, nested=3)
    squared, absolute = (tuning.nested_scores[name] for name in ("squared_error", "absolute_error"))
    assert str(tuning).splitlines()[-1].strip() == (
        f"Nested cross-validation: mean squared error {squared:.4g}, mean absolute error {absolute:.4g}."
    )


def test_it_is_plotted() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    choices = {**FEW, "vote": ["uniform", Gaussian(0.5)], "bandwidth": [None, 2.0]}
    ax = tune(KNNClassifier(), X, Y, candidates=choices, nested=None).plot()
    names = [line.get_label() for line in ax.get_lines()]
    assert names == ["uniform", "Gaussian(width=0.5)", "Gaussian(width=0.5), bandwidth 2", "chosen"]
    pyplot.close("all")


# -- bad input


# -- folds


def test_folds_do_not_depend_on_the_order_of_the_rows_or_on_how_they_are_repeated() -> None:
    times = np.arange(90) % 3 + 1
    repeated = np.repeat(np.arange(90), times)
    order = np.random.default_rng(4).permutation(repeated.size)
    rows = [X[i] for i in repeated[order]]
    weighted = Problem(KNNClassifier().fit(X, Y, times), None, 7).folds(4)
    single = Problem(KNNClassifier().fit(rows, Y[repeated[order]]), None, 7).folds(4)
    together = np.zeros((90, 4))
    np.add.at(together, repeated[order], single)
    contents = {repr(row): i for i, row in enumerate(X)}  # some rows are equal
    same = np.array([contents[repr(row)] for row in X])
    for column in range(4):
        np.testing.assert_array_equal(np.bincount(same, weighted[:, column]), np.bincount(same, together[:, column]))
    np.testing.assert_array_equal(weighted.sum(axis=1), times)
    assert np.ptp(weighted.sum(axis=0)) <= 1
    for label in np.unique(Y):
        assert np.ptp(weighted[label == Y].sum(axis=0)) <= 1
    assert not np.array_equal(weighted, Problem(KNNClassifier().fit(X, Y, times), None, 8).folds(4))


def test_fractions_of_rows_are_dealt_in_full() -> None:
    weights = np.random.default_rng(5).uniform(0.1, 3.0, 90)
    shares = Problem(KNNClassifier().fit(X, Y, weights), None, 0).folds(5)
    np.testing.assert_allclose(shares.sum(axis=1), weights, rtol=1e-12)
    assert (shares <= 1 + 1e-12).all()


def test_renamed_values_are_dealt_alike() -> None:
    renamed = [[row[0], None if row[1] is None else f"{len(row[1])}{row[1][::-1]}", *row[2:]] for row in X]
    folds = [Problem(KNNClassifier().fit(rows, Y), None, 0).folds(3) for rows in (X, renamed)]
    np.testing.assert_array_equal(*folds)
