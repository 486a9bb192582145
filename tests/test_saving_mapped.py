"""Large saved models are mapped: they answer by the index in the file, as the saved ones do, and nothing changes it."""

from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
import time
import warnings
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor

import priorcase as pc
from priorcase import saving
from priorcase.exceptions import ReadingError
from priorcase.neighbors import base
from priorcase.search import Index
from priorcase.similarity import Absolute

ROWS = 400


@pytest.fixture(autouse=True)
def as_if_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are mapped, and the index of few rows is saved."""
    monkeypatch.setattr(saving, "MAPPED", 1)
    monkeypatch.setattr(saving, "_LARGE", 1)
    monkeypatch.setattr(base, "WORTH_SAVING", 1)


def table(n: int, seed: int) -> tuple[pd.DataFrame, Any, Any]:
    """Rows of all kinds with missing values and ties, one column with more values than a byte has codes for."""
    rng = np.random.default_rng(seed)
    sizes = pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"age": rng.normal(size=n).round(1), "size": sizes, "doors": rng.integers(2, 6, n) * 1.0})
    frame["colour"] = rng.choice(np.array(["red", "green", "blue", None], dtype=object), n)
    frame["town"] = [f"town {i}" for i in rng.integers(0, 90, n)]
    frame.loc[frame.index % 7 == 3, "age"] = np.nan
    classes = np.where((frame["colour"] == "red") ^ (frame["doors"] > 3), "yes", "no")
    return frame, classes, frame["doors"].to_numpy() + rng.normal(size=n)


LEARNERS: dict[str, Any] = {
    "heom": pc.KNNClassifier(5),
    "hvdm": pc.KNNClassifier(5, distance="hvdm", vote="inverse_square"),
    "robust": pc.KNNClassifier(3, distance="robust", attribute_weights="relief", ties="first"),
    "bayes": pc.KNNClassifier(3, attribute_weights="bayes"),
    "std": pc.KNNRegressor(4, distance=pc.Distance(attributes={"age": Absolute("std")})),
    "gower": pc.KNNRegressor("sqrt", distance="gower", vote="tricube"),
    "graph": pc.KNNTransformer(4),
    "chosen": pc.KNNClassifierCV({"n_neighbors": (3, 5), "distance": ("heom", "hvdm")}),
    "local": pc.LocallyWeightedRegressor(30, ridge=1.0),
}


def target(learner: Any, classes: Any, numbers: Any) -> Any:
    return numbers if is_regressor(learner) else classes


def fitted(name: str) -> Any:
    X, classes, numbers = table(ROWS, 1)
    learner = clone(LEARNERS[name])
    return learner.fit(X, target(learner, classes, numbers))


def answers(learner: Any) -> list[Any]:
    X = table(12, 2)[0]
    local = isinstance(learner, pc.LocallyWeightedRegressor)
    found = [] if local else [learner.kneighbors(X), learner.kneighbors()]
    found += [getattr(learner, name)(X) for name in ("predict", "predict_proba", "transform") if hasattr(learner, name)]
    found += [learner.loo_predict()] if hasattr(learner, "loo_predict") else []
    return [*found, learner.ids_, learner.digest(), getattr(learner, "attribute_weights_", 0)]


def assert_same(ours: Any, theirs: Any) -> None:
    """The same bits."""
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(one, tuple):
            assert_same(one, other)
        elif isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes()
        else:
            assert (one != other).nnz == 0 if hasattr(one, "nnz") else one == other


def change(learner: Any) -> None:
    X, classes, numbers = table(40, 3)
    if hasattr(learner, "partial_fit"):
        learner.partial_fit(X, target(learner, classes, numbers))
        learner.partial_fit(X[:1], target(learner, classes, numbers)[:1])
    learner.forget(learner.ids_[::9])


@pytest.mark.parametrize("name", LEARNERS)
def test_a_mapped_model_answers_as_the_saved_one(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = fitted(name)
    for _ in range(2):  # the second time with rows that were removed, and some that came later
        path = learner.save(tmp_path / "model.priorcase")
        content = path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(Index, "__init__", lambda *_, **__: pytest.fail("the index is built again"))
            other = pc.load(path)
            if name != "local":
                other.kneighbors(table(3, 5)[0])
        assert saving.dump(other) == content
        assert_same(answers(other), answers(learner))
        change(other)
        change(learner)
        assert_same(answers(other), answers(learner))
        assert path.read_bytes() == content
        other = pc.load(path)
        assert other.forget(other.ids_).n_samples_fit_ == 0


def test_weights_and_statistics_are_not_learned_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, expected = tmp_path / "model.priorcase", []
    for name in ("robust", "hvdm"):
        learner = fitted(name)
        expected = learner.predict(table(20, 2)[0])
        learner.save(path)
        with monkeypatch.context() as patch:
            statistics = "priorcase.similarity.statistics"
            patch.setattr(f"{statistics}.inlier_range", lambda *_: pytest.fail("ranges again"))
            patch.setattr(f"{statistics}.Statistics.class_codes", lambda *_: pytest.fail("counts again"))
            patch.setattr("priorcase.relevance.base.LearnedWeights.learn", lambda *_: pytest.fail("weights again"))
            assert pc.load(path).predict(table(20, 2)[0]).tolist() == expected.tolist()


def test_sample_weights_are_mapped_too(tmp_path: Path) -> None:
    X, _, numbers = table(ROWS, 1)
    learner = pc.KNNRegressor(3).fit(X, numbers, sample_weight=np.arange(ROWS) % 4)
    other = pc.load(learner.save(tmp_path / "model.priorcase"))
    assert_same(answers(other), answers(learner))
    change(other)
    change(learner)
    assert_same(answers(other), answers(learner))


def test_a_saved_file_can_be_replaced_while_models_use_it(tmp_path: Path) -> None:
    path = tmp_path / "model.priorcase"
    learner = fitted("heom")
    first = pc.load(learner.save(path))
    expected = answers(first)
    second = pc.load(path)
    change(second)
    second.save(path)  # over the file that both have mapped
    assert_same(answers(first), expected)
    third = pc.load(path)
    assert_same(answers(third), answers(second))
    path.unlink()
    assert_same(answers(first), expected)
    assert_same(answers(third), answers(second))
    third.save(path)
    assert_same(answers(pc.load(path, verify=True)), answers(second))


def test_a_model_that_changes_after_it_was_saved_leaves_the_saved_state_as_it_was(tmp_path: Path) -> None:
    learner = fitted("heom")
    content = saving._Content(learner, "it")  # its arrays are those of the model
    expected = saving.dump(learner)
    change(learner)
    with (tmp_path / "model").open("w+b") as file:
        content.write(file)
    assert (tmp_path / "model").read_bytes() == expected


def test_arrays_lie_on_cache_lines_and_the_archive_is_an_ordinary_one(tmp_path: Path) -> None:
    path = fitted("heom").save(tmp_path / "model.priorcase")
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for info in archive.infolist()[1:]:
            with archive.open(info) as entry:
                array = np.lib.format.read_array(entry)
            name, extra = struct.unpack_from("<2H", data, info.header_offset + 26)
            start = info.header_offset + 30 + name + extra
            assert start % 64 == 0
            assert data[start : start + info.file_size].endswith(array.tobytes())


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells")
def test_asking_copies_nothing_of_the_file(tmp_path: Path) -> None:
    path = fitted("heom").save(tmp_path / "model.priorcase")
    other = pc.load(path)
    other.predict(table(12, 2)[0])
    regions = Path("/proc/self/smaps").read_text(encoding="utf-8").split(str(path))[1:]
    assert regions
    for region in regions:
        told = dict(re.findall(r"^(\w+): +(\d+) kB", region, re.MULTILINE)[:20])
        assert int(told["Rss"]) > 0
        assert told["Private_Dirty"] == told["Shared_Dirty"] == "0"


@pytest.mark.slow
def test_two_processes_that_save_to_one_path(tmp_path: Path) -> None:
    """The file is replaced again and again: whoever loads it gets all of one model or of the other."""
    path = tmp_path / "model.priorcase"
    learner = fitted("heom")
    learner.save(path)
    program = (
        "import sys, priorcase as pc\n"
        "from priorcase import saving\n"
        "from priorcase.neighbors import base\n"
        "saving.MAPPED = base.WORTH_SAVING = 1\n"
        "path, n = sys.argv[1], int(sys.argv[2])\n"
        "model = pc.load(path)\n"
        "model.forget(model.ids_[:n])\n"
        "for _ in range(6):\n"
        "    model.save(path)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(path), str(n)]) for n in (100, 200)]  # of the rows
    sizes = set()
    while any(writer.poll() is None for writer in writers):
        sizes.add(pc.load(path, verify=True).n_samples_fit_)
        time.sleep(0.02)
    assert [writer.wait() for writer in writers] == [0, 0]
    sizes.add(pc.load(path, verify=True).n_samples_fit_)
    assert sizes <= {ROWS, ROWS - 100, ROWS - 200, ROWS - 300}
    assert len(sizes) > 1
    assert [each.name for each in tmp_path.iterdir()] == ["model.priorcase"]


# -- damage


def use(model: Any) -> None:
    """Ask everything, learn and forget: any error is fine here, a crash is not."""
    X, classes, _ = table(12, 2)
    calls: list[Any] = [lambda: model.predict(X), lambda: model.kneighbors(X), lambda: model.kneighbors()]
    calls += [lambda: model.predict(X[:1]), lambda: model.precedents(X)]
    calls += [lambda: model.forget(model.ids_[1:5]), lambda: model.partial_fit(X, classes), lambda: model.predict(X)]
    for call in calls:
        with warnings.catch_warnings(), suppress(Exception):
            warnings.simplefilter("ignore")
            call()


def test_a_truncated_file_is_noticed_at_once(tmp_path: Path) -> None:
    path = fitted("heom").save(tmp_path / "model.priorcase")
    data = path.read_bytes()
    for length in [0, 1, 3, 4, 70, *random.Random(0).sample(range(70, len(data)), 100), len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(ReadingError):
            pc.load(path)


@pytest.mark.parametrize("tries", [30, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["heom", "hvdm", "robust"])
def test_a_damaged_file_is_refused_or_harmless(name: str, tries: int, tmp_path: Path) -> None:
    """Any byte of any part, also of arrays that are not compared with their checksum."""
    path = fitted(name).save(tmp_path / "model.priorcase")
    data, chance, refused = path.read_bytes(), random.Random(name), 0
    for i in range(tries):
        changed = bytearray(data)
        for _ in range(chance.choice([1, 1, 8])):
            at = chance.randrange(len(data))
            changed[at] = chance.choice([0, 1, 62, 63, 64, 127, 128, 255, chance.randrange(256)])
        path = tmp_path / f"{i % 2}.priorcase"  # a file that is still mapped must not be written to
        path.unlink(missing_ok=True)
        path.write_bytes(changed)
        if changed != data:
            with pytest.raises(ReadingError):
                pc.load(path, verify=True)
        try:
            model = pc.load(path)
        except ReadingError:
            refused += 1
            continue
        use(model)
    assert refused > tries // 20


def test_headers_are_always_compared_with_their_checksum(tmp_path: Path) -> None:
    path = fitted("heom").save(tmp_path / "model.priorcase")
    data = path.read_bytes()
    at = data.index(b'"n_neighbors":5')
    path.unlink()
    path.write_bytes(data[: at + 14] + b"4" + data[at + 15 :])
    with pytest.raises(ReadingError, match="checksum mismatch of an entry"):
        pc.load(path)
