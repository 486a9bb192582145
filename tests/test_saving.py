"""Every model, saved and loaded: the same digest and the same predictions, and it learns and forgets as before."""

from __future__ import annotations

import dataclasses
import errno
import os
import re
import signal
import subprocess
import sys
import warnings
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pandas as pd
import pytest
from saved_learners import LEARNERS, name_of
from sklearn.base import clone, is_regressor
from sklearn.tree import DecisionTreeClassifier

import priorcase as pc
from priorcase.evaluation import ConformalClassifier
from priorcase.exceptions import ParameterError, PriorcaseError, UnsupportedDataError, WritingError
from priorcase.saving import MODELS, STRATEGIES, dump, load_bytes, pack, unpack

QUESTIONS = (
    "p_values",
    "predict_interval",
    "predict",
    "predict_proba",
    "kneighbors",
    "transform",
    "outlier_scores",
    "precedents",
)
ANSWERS = (
    "sample_indices_",
    "classes_",
    "ids_",
    "n_neighbors_",
    "weights_",
    "centers_",
    "loo_curve_",
    "residuals_",
    "scores_",
    "n_features_in_",
)
ANSWERS += ("feature_names_in_", "attribute_weights_", "storage_", "concept_", "selection_", "history_", "n_iter_")


def table(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Rows of all kinds with missing values, classes and numbers to predict."""
    rng = np.random.default_rng(seed)
    sizes = pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True)
    colours = rng.choice(np.array(["red", "green", "blue", None], dtype=object), n)
    frame = pd.DataFrame({"age": rng.normal(size=n), "colour": colours, "size": sizes, "doors": rng.integers(2, 6, n)})
    frame.loc[frame.index % 7 == 3, "age"] = np.nan
    classes = np.where((frame["colour"] == "red") ^ (frame["doors"] > 3), "yes", "no")
    return frame, classes, rng.normal(size=n) + frame["doors"].to_numpy()


def columns_for(learner: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers only for distances that compare nothing else."""
    return frame[["age", "doors"]] if getattr(learner, "distance", "") == "manhattan" else frame


def fitted(learner: Any) -> Any:
    """The learner fitted to the first rows, and asked once so that its caches are full."""
    X, classes, numbers = table(40, seed=1)
    learner = clone(learner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about so small a table
        learner.fit(columns_for(learner, X), numbers if is_regressor(learner) else classes)
        answers(learner)
    return learner


def answers(learner: Any) -> list[Any]:
    """What a learner says about rows it has not seen, and what it shows of itself."""
    X = columns_for(learner, table(8, seed=2)[0])
    questions = [name for name in QUESTIONS if hasattr(learner, name)]
    if getattr(learner, "bandwidth", None) == "query":
        questions.remove("kneighbors")  # each query has a number of its own
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = [getattr(learner, name)(X) for name in questions]
        asked += [learner.get_support()] if hasattr(learner, "get_support") else []
        return asked + [getattr(learner, name) for name in ANSWERS if hasattr(learner, name)]


def assert_same(ours: Any, theirs: Any) -> None:
    """The same bits, types and missing values."""
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
    return re.sub(" at 0x[0-9A-F]+", "", repr(learner) + repr(learner.get_params()))


def changed(learner: Any, change: str) -> list[Any]:
    """What a learner says after it has learned or forgotten some rows, or how it refuses to."""
    X, classes, numbers = table(9, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if change == "partial_fit":
                learner.partial_fit(columns_for(learner, X), numbers if is_regressor(learner) else classes)
            else:
                learner.forget(learner.ids_[1:4])
        except PriorcaseError as error:
            return [str(error)]
    return [*answers(learner), learner.digest()]


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
def test_a_loaded_model_answers_and_learns_like_the_original(learner: Any) -> None:
    learner = fitted(learner)
    data = dump(learner)
    other = load_bytes(data)
    assert type(other) is type(learner)
    assert parameters(other) == parameters(learner)
    if hasattr(learner, "digest"):
        assert other.digest() == learner.digest()
    assert_same(answers(learner), answers(other))
    assert dump(other) == data
    for change in ("partial_fit", "forget", "forget"):  # saved in between, with what is stale by then
        if hasattr(learner, change):
            assert_same(*(changed(each, change) for each in (learner, other)))
            other = load_bytes(dump(other))


@pytest.mark.parametrize("learner", [pc.KNNClassifier(2), pc.NaiveBayes(), pc.IB1(), pc.PEBLS(), pc.KNNRegressor()])
def test_states_between_fits_are_saved(learner: Any) -> None:
    learner = fitted(learner)
    learner.partial_fit(table(9, 3)[0], (table(9, 3)[2 if is_regressor(learner) else 1]))
    assert_same(answers(load_bytes(dump(learner))), answers(learner))
    learner.forget(learner.ids_[::2]).forget(learner.ids_)
    other = load_bytes(dump(learner))
    assert other.digest() == learner.digest()
    X, classes, numbers = table(30, 5)
    for each in (learner, other):
        each.partial_fit(X, numbers if is_regressor(learner) else classes)
    assert_same(answers(other), answers(learner))
    assert other.ids_.tolist() == learner.ids_.tolist()


def test_parameters_changed_after_fit_change_nothing_before_the_next_fit() -> None:
    X, classes, _ = table(50, 1)
    learner = pc.KNNClassifier(3, attribute_weights=[1, 2, 3, 4], vote="inverse_square").fit(X, classes)
    expected = answers(learner)
    learner.set_params(n_neighbors=9, attribute_weights=None, distance="hvdm", vote="uniform")
    other = load_bytes(dump(learner))
    assert_same(answers(other)[:2], expected[:2])
    assert parameters(other) == parameters(learner)
    assert_same(answers(other.fit(X, classes)), answers(learner.fit(X, classes)))


def test_weights_several_targets_indicators_and_declared_classes_are_kept() -> None:
    X, classes, numbers = table(40, 1)
    both = np.column_stack([numbers, numbers[::-1]])
    for learner in (
        pc.KNNRegressor(3).fit(X, both, sample_weight=np.arange(40) / 7),
        pc.NaiveBayes().fit(X, classes, sample_weight=np.ones(40)),
        pc.KNNClassifier(3).fit(X, np.column_stack([classes, classes[::-1]])),
        pc.NaiveBayes().partial_fit(X, classes, classes=["maybe", "no", "yes"]),
        pc.IB3(random_state=1).partial_fit(X, classes, classes=["maybe", "no", "yes"]),
        pc.IB2(per_class=True).fit(X, pd.DataFrame({"a": classes == "yes", "b": numbers > 3}).astype(int)),
    ):
        other = load_bytes(dump(learner))
        assert other.digest() == learner.digest()
        assert_same(other.predict(X), learner.predict(X))
        if hasattr(learner, "classes_"):
            assert_same(other.classes_, learner.classes_)


def test_conformal_models_that_are_fitted_again_for_each_row() -> None:
    X, classes, _ = table(40, 1)
    rows = np.nan_to_num(X[["age", "doors"]].to_numpy())
    model = ConformalClassifier(pc.IB2(), folds="loo").fit(rows, classes)
    assert_same(load_bytes(dump(model)).p_values(rows), model.p_values(rows))
    with pytest.raises(UnsupportedDataError, match=r"ConformalClassifier\.refitting\['X'\] is a pandas"):
        dump(model.fit(X, classes))


def test_columns_that_appear_in_mid_stream_are_kept() -> None:
    X, classes, _ = table(40, 1)
    learner = pc.IB5(random_state=0, history="replay").partial_fit(X[["age"]][:20], classes[:20])
    learner.partial_fit(X[20:], classes[20:])
    other = load_bytes(dump(learner))
    for gone in ([], [0, 22, 23]):
        assert other.forget(gone).digest() == learner.forget(gone).digest()
        assert_same(other.predict(X), learner.predict(X))


def test_every_public_learner_and_strategy_is_listed() -> None:
    listed = {name for names in MODELS.values() for name in names.split()}
    public = {name for name in pc.__all__ if hasattr(getattr(pc, name), "get_params")}
    public |= {name for name in pc.evaluation.__all__ if hasattr(getattr(pc.evaluation, name), "get_params")}
    public |= {name for name in pc.neighbors.__all__ if hasattr(getattr(pc.neighbors, name), "get_params")}
    assert public == listed == {name_of(learner) for learner in LEARNERS}
    strategies = {name for names in STRATEGIES.values() for name in names.split()}
    for home, names in STRATEGIES.items():
        module = import_module(f"priorcase.{home}")
        assert {*names.split()} <= {*module.__all__}
        for name in module.__all__:
            kind = getattr(module, name)
            hashes = isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__dataclass_params__.eq
            result = name in (
                "Coded",
                "FittedDistance",
                "Interval",
                "Relevance",
                "Precedent",
                "Uninformative",
                "DifferenceFunction",
            ) or hasattr(kind, "frame")
            assert not hashes or result or name in strategies | listed, name


@pytest.mark.parametrize("learner", [pc.KNNClassifier(3, vote="gaussian"), pc.IB3(random_state=1), pc.CNN()])
def test_an_unfitted_learner_is_saved_with_its_parameters(learner: Any) -> None:
    other = load_bytes(dump(learner))
    assert other.get_params() == learner.get_params()
    assert not hasattr(other, "n_features_in_")


LABELS = [
    [True, False, True],
    [3, 5, 3],
    np.array(["a", "b", "a"], dtype=object),
    np.array([1, 2, 1], dtype=">u2"),
    np.array([1.0, 2.0, 1.0], dtype="f4"),
    pd.Series(["a", "b", "a"], dtype="category"),
    pd.Series(["a", "b", "a"], dtype="string"),
]
if hasattr(np.dtypes, "StringDType"):
    LABELS.append(np.array(["a", "b", "a"], dtype=np.dtypes.StringDType()))


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: str(getattr(labels, "dtype", type(labels[0]).__name__)))
def test_labels_keep_their_types(labels: Any) -> None:
    X = [[0.0], [1.0], [2.0]]
    for learner in (pc.KNNClassifier(1), pc.IB1(), pc.MixtureModel(1)):
        learner.fit(X, labels)
        other = load_bytes(dump(learner))
        assert_same(learner.predict(X), other.predict(X))
        assert_same(learner.classes_, other.classes_)


def test_values_and_names_of_columns_keep_their_types() -> None:
    values = [b"raw", Fraction(1, 3), Decimal("0.1"), 2**80, True, 1, "1", (1, "a"), None]
    X = pd.DataFrame({("any", 3): pd.Series(values, dtype=object), "\ud800": list("abcabcabc")})
    learner = pc.NaiveBayes().fit(X, list("abcabcabc"))
    other = load_bytes(dump(learner))
    assert other.digest() == learner.digest()
    assert_same(learner.predict_proba(X), other.predict_proba(X))


VALUES: dict[str, Any] = {
    "literals": [1, 1.0, -0.0, True, None, "a", "\ud800", "\0", 2**63, -(2**100), 1e-310],
    "containers": [({"a": (1,), 2: [], None: {}}, set(), {1, 2}, frozenset({"b", "a"}))],
    "others": [OrderedDict(b=1, a=2), range(3, -9, -2), b"\x00raw", Fraction(-1, 3), Decimal("1.10")],
    "dates": [date(2024, 2, 29), time(23, 59), timedelta(-1, 3, 5), datetime(2024, 5, 1, fold=1, tzinfo=UTC)],
    "scalars": [np.float64(0.1), np.int8(-3), np.str_("é"), np.bool_(True), np.dtype("f4"), np.dtype(object)],
    "not finite": [float("nan"), float("inf"), float("-inf")],
    "arrays": [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.ones((2, 3))), np.arange(12, dtype=">i4")[::3]],
    "more arrays": [np.array(5, "u1"), np.empty((0, 7)), np.array(["é", ""]), np.array([True]), np.array([b"ab"])],
    "objects": [np.array([[1, "a"], [None, (2.5,)]], dtype=object)],
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values_come_back_as_they_were(value: Any) -> None:
    other = unpack(pack(value, "it"), source="it")
    for ours, theirs in zip(value, other, strict=True):
        if isinstance(ours, np.ndarray):
            assert_same(ours, theirs)
            assert theirs.flags.f_contiguous or not ours.flags.f_contiguous
        else:
            assert ours == theirs or repr(ours) == repr(theirs)
            assert type(ours) is type(theirs) or isinstance(ours, OrderedDict)


def test_random_states_go_on_where_they_were() -> None:
    state = np.random.RandomState(3)
    state.normal(size=5)
    (other,) = unpack(pack([state], "it"), source="it")
    assert other.normal(size=4).tolist() == state.normal(size=4).tolist()


# -- files


def test_a_file_is_replaced_completely_or_not_at_all(tmp_path: Any) -> None:
    path = tmp_path / "model.priorcase"
    first, second = (pc.KNNClassifier(k).fit([[0.0], [1.0]], ["a", "b"]) for k in (1, 2))
    assert first.save(path) == path
    assert second.save(str(path)) == path
    with pytest.raises(UnsupportedDataError, match=r"KNNClassifier\.save: KNNClassifier\.vote is a function"):
        pc.KNNClassifier(vote=lambda distances: distances).save(path)
    assert pc.load(path).get_params()["n_neighbors"] == 2
    assert [each.name for each in tmp_path.iterdir()] == ["model.priorcase"]
    missing = tmp_path / "none" / "model.priorcase"
    with pytest.raises(WritingError, match="No such file or directory") as raised:
        second.save(missing)
    assert raised.value.filename == str(missing)
    with pytest.raises(FileNotFoundError):
        pc.load(missing)
    for use in (second.save, pc.load):
        with pytest.raises(ParameterError, match=r"^\S*(save|load): path must be the path of a file, .* got 5"):
            use(5)
    for other in (pc.CNN(), pc.MixtureModel(), pc.AttributeSelector(), pc.IB1(), pc.KNNClassifierCV()):
        assert name_of(pc.load(other.save(path))) == name_of(other)


def test_a_full_disk_leaves_the_old_file_and_is_named(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pc.KNNClassifier(1).save(tmp_path / "model.priorcase")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    words = r"KNNClassifier\.save: .*model\.priorcase could not be written: No space left on device\. No file was"
    with pytest.raises(WritingError, match=words) as raised:
        pc.KNNClassifier(2).save(path)
    assert raised.value.errno == errno.ENOSPC
    assert pc.load(path).n_neighbors == 1
    assert [each.name for each in tmp_path.iterdir()] == ["model.priorcase"]


def test_rows_that_arrive_while_a_model_is_saved_are_all_in_it_or_none() -> None:
    learner = pc.KNNClassifier(1).fit(np.arange(20.0)[:, None], list("ab") * 10)
    thread = Thread(target=lambda: [learner.partial_fit([[float(i)]], ["a"]) for i in range(40)])
    thread.start()
    sizes = [load_bytes(dump(learner)).n_samples_fit_ for _ in range(10)]
    thread.join()
    assert sizes == sorted(sizes)
    assert sizes[0] >= 20


# -- what cannot be saved


class Mine:
    """A class of a user."""


class MyKNN(pc.KNNClassifier):
    """A learner of a user."""


class Overlap(pc.similarity.Difference):
    """A strategy of a user with a name of ours."""


def nested(levels: int) -> Any:
    deep: Any = []
    for _ in range(levels):
        deep = [deep]
    return deep


REFUSED: list[tuple[Any, str]] = [
    (pc.KNNClassifier(vote=lambda distances: distances), r"KNNClassifier\.vote is a function \(.*<lambda>\)"),
    (pc.KNNClassifier(schema={"age": Mine()}), r"KNNClassifier\.schema\['age'\] is a .*\.Mine, which cannot"),  # type: ignore[dict-item]
    (pc.KNNClassifier(schema=np.array([1j])), r"KNNClassifier\.schema is a NumPy array of complex128"),  # type: ignore[arg-type]
    (pc.KNNClassifier(schema=nested(500)), "nested more than 60 levels deep"),
    (pc.KNNClassifier(schema=range(10**8)), r"KNNClassifier\.schema is a builtins\.range"),  # type: ignore[arg-type]
    (pc.KNNClassifier(schema=2**50_000), r"KNNClassifier\.schema is a builtins\.int"),  # type: ignore[arg-type]
    (pc.KNNClassifier(schema=Overlap()), r"KNNClassifier\.schema is a .*\.Overlap"),  # type: ignore[arg-type]
    (pc.AttributeSelector(DecisionTreeClassifier()), r"AttributeSelector\.estimator is a sklearn\..*TreeClassifier"),
    (MyKNN(), "a MyKNN; expected a model of priorcase"),
    (ConformalClassifier(DecisionTreeClassifier()), r"ConformalClassifier\.estimator is a sklearn\..*TreeClassifier"),
    (3, "expected a model"),
    (None, "expected a model"),
    (pc.Numeric(), "expected a model"),
    (pc.KNNClassifier, "expected a model"),
]


@pytest.mark.parametrize(("value", "words"), REFUSED, ids=[words[:40] for _, words in REFUSED])
def test_what_cannot_be_saved_is_named(value: Any, words: str) -> None:
    with pytest.raises(UnsupportedDataError, match=words):
        dump(value)


# Writers that are killed


_KILLED = """
import os, signal, sys
import priorcase as pc
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
pc.KNNClassifier(1).fit([["the forgotten row"], ["blue"]], ["stop", "go"]).save(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks of files")
def test_what_a_killed_writer_left_is_removed_with_the_next_change(tmp_path: Path) -> None:
    path, model = tmp_path / "m.priorcase", pc.KNNClassifier(1).fit([["red"], ["blue"]], ["stop", "go"])
    others = {".m.priorcase.backup.part", ".other.priorcase.0123456789abcdef.part"}
    for name in others:
        (tmp_path / name).write_text("of somebody else")
    done = subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = {one.name for one in tmp_path.iterdir()} - others
    assert b"the forgotten row" in (tmp_path / left).read_bytes()
    model.save(path)
    assert {one.name for one in tmp_path.iterdir()} == others | {path.name}
    assert pc.load(path).predict([["red"]]).tolist() == ["stop"]


def test_writers_of_one_file_do_not_remove_what_the_other_is_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, usual, arrived, go = tmp_path / "m.priorcase", os.replace, Event(), Event()
    first, second = (pc.KNNClassifier(1).fit([[0], [1]], labels) for labels in (["a", "b"], ["c", "d"]))

    def replace(source: Any, target: Any) -> None:
        if not arrived.is_set():
            arrived.set()
            assert go.wait(60)
        usual(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with ThreadPoolExecutor(1) as pool:
        saved = pool.submit(first.save, path)
        assert arrived.wait(60)
        second.save(path)
        assert pc.load(path).classes_.tolist() == ["c", "d"]
        go.set()
        assert saved.result(60) == path
    assert pc.load(path).classes_.tolist() == ["a", "b"]
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
