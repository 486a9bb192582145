"""Every learner of the library, saved and loaded: the same answers, and it goes on learning as the original does."""

from __future__ import annotations

import re
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from saved_learners import LEARNERS, name_of
from sklearn.base import clone, is_regressor

import priorcase as pc
from priorcase.cases.saving import dump, load, load_learner, save_learner

QUESTIONS = ("predict", "predict_proba", "kneighbors", "transform")
ANSWERS = ("sample_indices_", "classes_", "ids_", "k_", "weights_", "centers_", "n_features_in_", "feature_names_in_")


def table(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Rows of all kinds with gaps, classes and numbers to predict."""
    rng = np.random.default_rng(seed)
    sizes = pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True)
    colours = rng.choice(np.array(["red", "green", "blue", None], dtype=object), n)
    frame = pd.DataFrame({"age": rng.normal(size=n), "colour": colours, "size": sizes, "doors": rng.integers(2, 6, n)})
    frame.loc[frame.index % 7 == 3, "age"] = np.nan
    classes = np.where((frame["colour"] == "red") ^ (frame["doors"] > 3), "yes", "no")
    return frame, classes, rng.normal(size=n) + frame["doors"].to_numpy()


def fitted(learner: Any) -> Any:
    """The learner fitted to the first rows, and asked once so that its caches are full."""
    X, classes, numbers = table(50, seed=1)
    learner = clone(learner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what learners say about so small a table is tested elsewhere
        y = numbers if is_regressor(learner) else classes
        if hasattr(learner, "fit"):
            learner.fit(X, y)
        else:
            learner.fit_resample(X, y)
        answers(learner)
    return learner


def answers(learner: Any) -> list[Any]:
    """What a learner says about rows it has not seen, and what it shows of itself."""
    X, *_ = table(20, seed=2)
    questions = [name for name in QUESTIONS if hasattr(learner, name)]
    if getattr(learner, "bandwidth", None) == "query":
        questions.remove("kneighbors")  # each query has a number of its own
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = [getattr(learner, name)(X) for name in questions]
        asked += [learner.get_support()] if hasattr(learner, "get_support") else []
    return asked + [getattr(learner, name) for name in ANSWERS if hasattr(learner, name)]


def assert_same(ours: Any, theirs: Any) -> None:
    """The same bits, types and gaps."""
    assert type(ours) is type(theirs)
    if isinstance(ours, list | tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(ours, np.ndarray):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        assert ours.tolist() == theirs.tolist() if ours.dtype == object else ours.tobytes() == theirs.tobytes()
    elif hasattr(ours, "toarray"):
        assert (ours != theirs).nnz == 0
    else:
        assert repr(ours) == repr(theirs)


def parameters(learner: Any) -> str:
    """All parameters as text, but where in memory a random state lies."""
    return re.sub(" at 0x[0-9A-F]+", "", repr(learner) + repr(learner.get_params()))


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
def test_a_loaded_learner_answers_and_learns_as_the_original(learner: Any) -> None:
    learner = fitted(learner)
    data = dump(learner)
    other = load(data)
    assert type(other) is type(learner)
    assert parameters(other) == parameters(learner)
    assert_same(answers(learner), answers(other))
    assert dump(other) == data
    if hasattr(learner, "digest"):
        assert other.digest() == learner.digest()
    for change in ("partial_fit", "forget"):
        if hasattr(learner, change):
            assert_same(*(changed(each, change) for each in (learner, other)))


def changed(learner: Any, change: str) -> list[Any]:
    """What a learner says after it has learned or forgotten some rows, or how it refuses to."""
    X, classes, numbers = table(9, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if change == "partial_fit":
                learner.partial_fit(X, numbers if is_regressor(learner) else classes)
            else:
                learner.forget(learner.ids_[1:4])
        except pc.exceptions.PriorcaseError as error:
            return [str(error)]
    return [*answers(learner), learner.digest()]


def test_every_public_learner_is_among_them() -> None:
    public = {name for name in pc.__all__ if hasattr(getattr(pc, name), "get_params")}
    assert public <= {name_of(learner) for learner in LEARNERS}
    assert len(public) > 30


@pytest.mark.parametrize("learner", [pc.KNNClassifier(3, vote="gaussian"), pc.IB3(random_state=1), pc.NaiveBayes()])
def test_an_unfitted_learner_is_saved_with_its_parameters(learner: Any) -> None:
    other = load(dump(learner))
    assert other.get_params() == learner.get_params()
    assert not hasattr(other, "classes_")


LABELS = [
    [True, False, True],
    [3, 5, 3],
    ["a", "b", "a"],
    np.array(["a", "b", "a"], dtype=object),
    np.array([1, 2, 1], dtype=">u2"),
    pd.Series(["a", "b", "a"], dtype="category"),
    pd.Series(["a", "b", "a"], dtype="string"),
    pd.Series([True, False, True]),
]
if hasattr(np.dtypes, "StringDType"):
    LABELS.append(np.array(["a", "b", "a"], dtype=np.dtypes.StringDType()))


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: str(getattr(labels, "dtype", type(labels[0]).__name__)))
def test_the_labels_keep_their_types(labels: Any) -> None:
    X = [[0.0], [1.0], [2.0]]
    learner = pc.KNNClassifier(1).fit(X, labels)
    other = load(dump(learner))
    assert_same(learner.predict(X), other.predict(X))
    assert_same(learner.classes_, other.classes_)


def test_values_of_a_column_keep_their_types() -> None:
    values = [b"raw", Fraction(1, 3), Decimal("0.1"), 2**80, True, 1, "1", (1, "a"), None]
    X = pd.DataFrame({"any": pd.Series(values, dtype=object)})
    learner = pc.NaiveBayes().fit(X, list("abcabcabc"))
    other = load(dump(learner))
    assert other.digest() == learner.digest()
    assert_same(learner.predict_proba(X), other.predict_proba(X))


def test_a_file_is_replaced_whole(tmp_path: Any) -> None:
    path = tmp_path / "model.priorcase"
    first, second = (pc.KNNClassifier(k).fit([[0.0], [1.0]], ["a", "b"]) for k in (1, 2))
    assert save_learner(first, path) == path
    save_learner(second, str(path))
    assert load_learner(path).get_params()["n_neighbors"] == 2
    with pytest.raises(pc.exceptions.UnsupportedDataError):
        save_learner(pc.KNNClassifier(vote=lambda distances: distances), path)
    assert load_learner(path).get_params()["n_neighbors"] == 2
    assert [each.name for each in tmp_path.iterdir()] == ["model.priorcase"]
    with pytest.raises(FileNotFoundError) as raised:
        save_learner(second, tmp_path / "none" / "model.priorcase")
    assert raised.value.filename == str(tmp_path / "none" / "model.priorcase")


def test_rows_that_come_while_a_learner_is_saved_are_in_it_whole_or_not_at_all() -> None:
    from threading import Thread

    learner = pc.KNNClassifier(1).fit(np.arange(20.0)[:, None], list("ab") * 10)
    thread = Thread(target=lambda: [learner.partial_fit([[float(i)]], ["a"]) for i in range(40)])
    thread.start()
    sizes = [load(dump(learner)).n_samples_fit_ for _ in range(10)]
    thread.join()
    assert sizes == sorted(sizes)
    assert sizes[0] >= 20
