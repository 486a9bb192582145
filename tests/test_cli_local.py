"""The learners of the command line that fit models around the new case, and learned attribute weights."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from commands import HEADER, ROWS, answers, ask, run, split_table, write
from flat_tables import FLATS, estimate, lines, split_flats

from priorcase import (
    KNNClassifier,
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from priorcase.cli.fitting_local import LEVEL
from priorcase.cli.learners import LEARNERS, ByLocal, ByRbf
from priorcase.local.rbf.centers import CenterKind, Criterion, WidthRule
from priorcase.relevance import METHODS
from priorcase.similarity.kernels import KERNELS


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "past.csv", lines(FLATS[:50]))


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return write(tmp_path / "new.csv", lines(FLATS[50:]))


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])


NUMBERS: list[Any] = [
    ("local", (), LocallyWeightedRegressor(), {"degree": 1, "kernel": "tricube", "bandwidth": None, "level": 0.95}),
    (
        "local",
        ("--degree", 2, "--neighbors", 30, "--kernel", "gaussian", "--distance", "gower", "--weights", "relief"),
        LocallyWeightedRegressor(30, degree=2, kernel="gaussian", distance="gower", attribute_weights="relief"),
        {"neighbors": 30, "degree": 2, "kernel": "gaussian", "distance": "gower", "weights": "relief"},
    ),
    (
        "local",
        ("--bandwidth", 1.6, "--degree", 0),
        LocallyWeightedRegressor(bandwidth=1.6, degree=0),
        {"neighbors": 50, "bandwidth": 1.6, "degree": 0, "weights": "none"},
    ),
    (
        "local",
        ("--bandwidth", "loo", "--neighbors", "sqrt", "--kernel", "gaussian"),
        LocallyWeightedRegressor("sqrt", bandwidth="loo", kernel="gaussian"),
        {"neighbors": 7},
    ),
    ("local", ("--bandwidth", "query"), LocallyWeightedRegressor(bandwidth="query"), {"bandwidth": "query"}),
    ("rbf", (), RBFNetworkRegressor(), {"centers": 49, "centers_by": "kmeans", "width": "auto", "seed": 0}),
    (
        "rbf",
        ("--centers", 9, "--centers-by", "random", "--width", 1.5, "--alpha", 0.1, "--seed", 3, "--weights", "loo"),
        RBFNetworkRegressor(9, centers="random", width=1.5, alpha=0.1, random_state=3, attribute_weights="loo"),
        {"centers": 9, "centers_by": "random", "width": 1.5, "alpha": 0.1, "seed": 3, "weights": "loo"},
    ),
    (
        "rbf",
        ("--centers", "all"),
        RBFNetworkRegressor(centers="all"),
        {"centers": 49, "centers_by": None, "seed": None},
    ),
]
CLASSES: list[Any] = [
    ("local", (), LocallyWeightedClassifier(), {"model": "logistic", "prior": "frequency", "kernel": "tricube"}),
    (
        "local",
        ("--model", "naive-bayes", "--neighbors", 40, "--prior", 0.5, "--weights", "bayes"),
        LocallyWeightedClassifier(40, model="naive_bayes", prior=0.5, attribute_weights="bayes"),
        {"model": "naive-bayes", "neighbors": 40, "prior": 0.5, "weights": "bayes"},
    ),
    (
        "local",
        ("--model", "linear", "--neighbors", "all", "--bandwidth", 2, "--distance", "hvdm"),
        LocallyWeightedClassifier("all", model="linear", bandwidth=2.0, distance="hvdm"),
        {"model": "linear", "neighbors": 80, "bandwidth": 2.0, "distance": "hvdm"},
    ),
    ("rbf", ("--centers", 12), RBFNetworkClassifier(12), {"centers": 12, "centers_by": "kmeans"}),
    (
        "rbf",
        ("--centers", 12, "--centers-by", "stratified", "--alpha", "gcv", "--weights", "gain_ratio"),
        RBFNetworkClassifier(12, centers="stratified", alpha="gcv", attribute_weights="gain_ratio"),
        {"centers_by": "stratified", "weights": "gain_ratio"},
    ),
    (
        "neighbors",
        ("--weights", "mutual_information"),
        KNNClassifier(attribute_weights="mutual_information"),
        {"weights": "mutual_information", "neighbors": 5},
    ),
]


@pytest.mark.parametrize(("learner", "options", "model", "settings"), NUMBERS)
def test_numbers_are_the_librarys(
    table: Path, new: Path, learner: str, options: tuple[object, ...], model: Any, settings: dict[str, Any]
) -> None:
    document = answers(estimate("predict", table, new, "--json", "--learner", learner, *options))
    past, targets, cases = split_flats()
    model.fit(past, targets)
    assert [answer["prediction"] for answer in document["answers"]] == model.predict(cases).tolist()
    assert (document["task"], document["learner"], document["cases"]) == ("regress", learner, 50)
    assert {name: document[name] for name in settings} == settings
    if learner == "rbf":
        assert (document["centers"], document["alpha"]) == (model.n_centers_, model.alpha_)
        assert set(document["answers"][0]) == {"line", "prediction", "actual"}
    else:
        ends = zip(*model.prediction_interval(cases), strict=True)
        assert [answer["interval"] for answer in document["answers"]] == [list(pair) for pair in ends]
        assert document["neighbors"] == (None if "query" in options else model.n_neighbors_)


@pytest.mark.parametrize(("learner", "options", "model", "settings"), CLASSES)
def test_classes_are_the_librarys(
    train: Path, query: Path, learner: str, options: tuple[object, ...], model: Any, settings: dict[str, Any]
) -> None:
    document = answers(ask("predict", train, query, "--json", "--learner", learner, *options))
    past, targets, cases = split_table()
    model.fit(past, targets)
    assert [answer["prediction"] for answer in document["answers"]] == model.predict(cases).tolist()
    for answer, row in zip(document["answers"], model.predict_proba(cases), strict=True):
        assert answer["probabilities"] == dict(zip(model.classes_, row, strict=True))
        assert set(answer) == {"line", "prediction", "probabilities", "actual"}
    assert {name: document[name] for name in settings} == settings
    if document["weights"] == "none":
        assert "attribute_weights" not in document
    else:
        assert list(document["attribute_weights"].values()) == model.attribute_weights_.tolist()
        assert list(document["attribute_weights"]) == HEADER.split(",")[:-1]


def test_a_level_widens_the_intervals(table: Path, new: Path) -> None:
    options = ("predict", table, new, "--json", "--learner", "local", "--neighbors", 30)
    narrow, wide = (answers(estimate(*options, "--level", level))["answers"] for level in (0.5, 0.99))
    for one, other in zip(narrow, wide, strict=True):
        assert other["interval"][0] < one["interval"][0] < one["prediction"] < one["interval"][1] < other["interval"][1]


@pytest.mark.parametrize("degree", [0, 1])
def test_explain_gives_the_librarys_precedents_and_slopes(table: Path, new: Path, degree: int) -> None:
    options = ("--learner", "local", "--neighbors", 25, "--degree", degree)
    document = answers(estimate("explain", table, new, "--json", *options))
    past, targets, cases = split_flats()
    model = LocallyWeightedRegressor(25, degree=degree).fit(past, targets)  # type: ignore[arg-type]
    slopes = model.coefficients(cases)
    for i, (answer, one) in enumerate(zip(document["answers"], model.precedents(cases), strict=True)):
        precedents = answer["precedents"]
        assert [case["id"] for case in precedents] == one.ids.tolist()
        assert [case["vote"] for case in precedents] == one.votes.tolist()
        assert [case["kernel_weight"] for case in precedents] == one.weights.tolist()
        summed = math.fsum(case["vote"] * case["target"] for case in precedents)
        assert answer["prediction"] == pytest.approx(summed) == pytest.approx(model.predict(cases)[i])
        assert "unlike" not in answer
        if degree == 0:
            assert "slopes" not in answer
        else:
            expected = [None if math.isnan(slope) else slope for slope in slopes.slopes[i].tolist()]
            assert answer["slopes"] == dict(zip(slopes.labels, expected, strict=True))


def test_explain_gives_the_precedents_of_local_classes(train: Path, query: Path) -> None:
    document = answers(ask("explain", train, query, "--json", "--learner", "local", "--neighbors", 20))
    past, targets, cases = split_table()
    model = LocallyWeightedClassifier(20).fit(past, targets)
    for answer, one in zip(document["answers"], model.precedents(cases), strict=True):
        assert [case["id"] for case in answer["precedents"]] == one.ids.tolist()
        assert [case["vote"] for case in answer["precedents"]] == one.votes.tolist()
        assert one.unlike[0] is not None
        assert answer["unlike"]["id"] == one.unlike[0].id
        assert not {"interval", "slopes"} & set(answer)
        assert "kernel_weight" not in answer["precedents"][0]


@pytest.mark.parametrize("learner", ["local", "rbf"])
def test_gaps_unseen_values_and_no_new_cases_are_answered(train: Path, table: Path, learner: str) -> None:
    cases = [HEADER.rpartition(",")[0], "gravel,2,?,74,no,NA,worn,brand-new,", ",,,,,,,,"]
    found = answers(ask("predict", train, "-", "--json", "--learner", learner, stdin="\n".join(cases)))["answers"]
    assert [sum(answer["probabilities"].values()) for answer in found] == pytest.approx([1.0, 1.0])
    assert answers(ask("predict", train, "-", "--json", "--learner", learner, stdin=HEADER))["answers"] == []
    strange = "size,town,state\n,,\n50,z,fair\n"
    result = estimate("predict", table, "-", "--json", "--learner", learner, stdin=strange)
    assert all(math.isfinite(answer["prediction"]) for answer in answers(result)["answers"])


def test_a_single_class_is_answered(tmp_path: Path) -> None:
    table, new = write(tmp_path / "t.csv", ["x,t", "1,a", "2,a"]), write(tmp_path / "new.csv", ["x", "1"])
    for learner in ("local", "rbf"):
        options = ("--train", table, "--target", "t", "--query", new, "--learner", learner)
        assert answers(run("predict", *options, "--json"))["answers"][0]["probabilities"] == {"a": 1.0}


@pytest.mark.parametrize("learner", ["local", "rbf"])
def test_a_command_gives_the_same_answers_again(train: Path, query: Path, learner: str) -> None:
    options = ("predict", train, query, "--json", "--learner", learner, "--weights", "loo")
    assert ask(*options).stdout == ask(*options).stdout


def test_every_named_option_is_known_to_the_library() -> None:
    assert set(ByLocal.words["kernel"]) == set(KERNELS)
    for learner in ("neighbors", "local", "rbf"):
        assert LEARNERS[learner].words["weights"] == ("none", *METHODS)
    assert {*ByRbf.words["centers_by"], "all"} == set(CenterKind.__args__)  # type: ignore[attr-defined]
    assert set(ByRbf.words["width"]) == set(WidthRule.__args__)  # type: ignore[attr-defined]
    assert set(ByRbf.words["alpha"]) == set(Criterion.__args__)  # type: ignore[attr-defined]


def test_defaults_are_those_of_the_library() -> None:
    number, label, network = LocallyWeightedRegressor(), LocallyWeightedClassifier(), RBFNetworkRegressor()
    for name in ("kernel", "bandwidth", "distance"):
        assert getattr(number, name) == getattr(label, name) == getattr(ByLocal(), name)
    assert (number.n_neighbors, label.n_neighbors, number.degree) == (None, None, 1)
    assert (label.model, label.prior, LEVEL) == ("logistic", "frequency", 0.95)
    assert (network.n_centers, network.centers, network.random_state) == ("auto", "kmeans", 0)
    assert (network.width, network.alpha, network.distance) == (ByRbf.width, ByRbf.alpha, ByRbf.distance)
