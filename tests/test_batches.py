"""Sources of batches: what they may be, learning from them, what is wrong with them, and answers over them."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import priorcase as pc
from priorcase import batches
from priorcase.bayes import CutPoints
from priorcase.exceptions import PriorcaseError, ReadingError, TargetError

pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.UninformativeColumnWarning")


def table(n: int = 90, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    colours = random.choice(["red", "green", "blue"], n)
    colours[-1] = "violet"  # in the last batch alone
    sizes, hot = random.integers(0, 9, n).astype(float), random.random(n) < 0.4
    sizes[random.random(n) < 0.1] = np.nan
    label = np.where(hot ^ (colours == "red"), "yes", "no")
    return pa.table({"colour": colours, "size": pa.array(sizes, from_pandas=True), "hot": hot, "label": label})


def rows_and_labels(given: pa.Table) -> tuple[pa.Table, Any]:
    return given.drop_columns(["label"]), given["label"].to_numpy()


def written(given: pa.Table, folder: Path) -> Path:
    folder.mkdir()
    for i in range(3):
        pq.write_table(given.slice(30 * i, 30), folder / f"{i}.parquet", row_group_size=11)
    return folder


SOURCES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "folder": lambda t, p: written(t, p / "files"),
    "text": lambda t, p: str(written(t, p / "files")),
    "pattern": lambda t, p: f"{written(t, p / 'files')}/*.parquet",
    "list of files": lambda t, p: sorted(written(t, p / "files").iterdir()),
    "dataset": lambda t, p: ds.dataset(written(t, p / "files")),
    "reader": lambda t, p: t.to_reader(max_chunksize=17),
    "scanner": lambda t, p: ds.dataset(t).scanner(batch_size=17),
    "generator": lambda t, p: (batch for batch in t.to_batches(max_chunksize=17)),
    "tables": lambda t, p: [t.slice(0, 50), t.slice(50)],
    "empty batches": lambda t, p: [t.slice(0, 0), t.slice(0, 50), t.slice(5, 0), t.slice(50), t.slice(0, 0)],
    "dictionaries": lambda t, p: [
        t.slice(0, 50).set_column(0, "colour", t.slice(0, 50)["colour"].dictionary_encode()),
        t.slice(50),
    ],
    "polars": lambda t, p: pl.from_arrow(t).lazy(),
    "stream": lambda t, p: Stream(t),
    "pandas": lambda t, p: t.to_pandas(),
    "arrow": lambda t, p: t,
}
ONCE = {"reader", "scanner", "generator", "stream"}


class Stream:
    """Something that hands out an Arrow stream."""

    def __init__(self, given: pa.Table) -> None:
        self.given = given

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.given.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("keep_rows", [True, False])
def test_every_source_gives_the_same_model(name: str, keep_rows: bool, tmp_path: Path) -> None:
    given = table()
    model = pc.NaiveBayes(keep_rows=keep_rows).fit(SOURCES[name](given, tmp_path), "label")
    assert model.digest() == pc.NaiveBayes(keep_rows=keep_rows).fit(*rows_and_labels(given)).digest()
    model.partial_fit(given.to_batches(max_chunksize=40), "label")
    assert model.n_samples_fit_ == 180


DUCKDB = """
import duckdb, sys
import priorcase as pc

t = duckdb.sql(f"select * from '{sys.argv[1]}/*.parquet'")
for model in (pc.NaiveBayes(), pc.NaiveBayes(keep_rows=False), pc.AODE(keep_rows=False)):
    X, y = t.arrow().read_all().drop("label"), t.arrow().read_all()["label"]
    assert model.fit(t, "label").digest() == model.fit(X, y.to_pylist()).digest()
"""


def test_duckdb_in_a_process_of_its_own(tmp_path: Path) -> None:
    # Where it is loaded, an allocation of any library that fails becomes an error of DuckDB.
    folder = written(table(), tmp_path / "files")
    subprocess.run([sys.executable, "-W", "ignore", "-c", DUCKDB, str(folder)], check=True)


@pytest.mark.parametrize("name", SOURCES)
def test_sources_know_whether_they_can_be_read_again(name: str, tmp_path: Path) -> None:
    model, given = pc.AODE(keep_rows=False), table()
    source = SOURCES[name](given, tmp_path)
    if name in ONCE:
        with pytest.raises(PriorcaseError, match="only once"):
            model.fit(source, "label")
    else:
        assert model.fit(source, "label").digest() == pc.AODE(keep_rows=False).fit(*rows_and_labels(given)).digest()


SEED = {"random_state": 0}
LEARNERS = [
    pc.IB1(),
    pc.IB2(),
    pc.IB3(**SEED),
    pc.IB4(**SEED),
    pc.IB5(**SEED),
    pc.PEBLS(),
    pc.KNNClassifier(3),
    pc.AODE(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_learners_that_keep_rows(learner: Any) -> None:
    given = table()
    kind, parameters = type(learner), learner.get_params(deep=False)
    whole = kind(**parameters).fit(*rows_and_labels(given))
    model = kind(**parameters).fit(iter(given.to_batches(max_chunksize=20)), "label")
    X = rows_and_labels(given)[0]
    if not isinstance(learner, pc.IB4):  # what it learns from the classes seen so far depends on the calls
        assert model.digest() == whole.digest()
        np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    digest, wrong = model.digest(), given.slice(0, 9).set_column(1, "size", pa.array(["a"] * 9))
    with pytest.raises(PriorcaseError, match="'size'"):
        model.partial_fit([given.slice(0, 20), given.slice(20, 20), wrong], "label")
    assert model.digest() == digest
    np.testing.assert_array_equal(
        model.predict(X), kind(**parameters).fit(given.to_batches(max_chunksize=20), "label").predict(X)
    )


def broken_file(given: pa.Table, folder: Path) -> Path:
    """The last file is cut off in the middle of its rows, the end of it being there."""
    path = sorted(written(given, folder / "files").iterdir())[-1]
    content = bytearray(path.read_bytes())
    content[4:200] = bytes(196)
    path.write_bytes(bytes(content))
    return path.parent


def truncated_file(given: pa.Table, folder: Path) -> Path:
    path = sorted(written(given, folder / "files").iterdir())[-1]
    path.write_bytes(path.read_bytes()[:-100])
    return path.parent


def flipped_bit(given: pa.Table, folder: Path) -> Path:
    """The last file has checksums of its pages, and one value is another one."""
    path = sorted(written(given, folder / "files").iterdir())[-1]
    plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    pq.write_table(given.slice(60), path, write_page_checksum=True, **plain)
    content = bytearray(path.read_bytes())
    content[content.index(b"blue")] ^= 1
    path.write_bytes(bytes(content))
    return path.parent


def file_of_another_schema(given: pa.Table, folder: Path) -> Path:
    path = sorted(written(given, folder / "files").iterdir())[-1]
    pq.write_table(given.slice(60).drop_columns(["hot"]), path)
    return path.parent


def sizes(values: list[str], *, ordered: bool = True) -> pa.DictionaryArray:
    """Forty rows of sizes, with these categories in this order."""
    return pa.DictionaryArray.from_arrays(pa.array([0, 1] * 20, "int8"), pa.array(values), ordered=ordered)


def failing(given: pa.Table) -> Any:
    yield given.slice(0, 40)
    raise RuntimeError("the line is down")


@pytest.mark.parametrize(
    ("later", "message"),
    [
        (sizes(["L", "S"]), "batch 1 .*ordered categories 'L', 'S', but earlier batches have 'S', 'L'"),
        (sizes(["S", "L"], ordered=False), "'width' of type dictionary"),
    ],
)
def test_ordered_categories_of_another_order_are_refused(later: pa.DictionaryArray, message: str) -> None:
    parts = [table().slice(0, 40).append_column("width", part) for part in (sizes(["S", "L"]), later)]
    with pytest.raises(PriorcaseError, match=message):
        pc.NaiveBayes(keep_rows=False).fit(parts, "label")


@pytest.mark.parametrize("keep_rows", [True, False])
@pytest.mark.parametrize(
    ("source", "target", "error", "message"),
    [
        (lambda t, p: broken_file(t, p), "label", PriorcaseError, "2.parquet' is not a valid Parquet file"),
        (lambda t, p: flipped_bit(t, p), "label", PriorcaseError, "2.parquet' is not a valid Parquet file"),
        (lambda t, p: truncated_file(t, p), "label", PriorcaseError, "2.parquet"),
        (lambda t, p: file_of_another_schema(t, p), "label", PriorcaseError, "no column 'hot'"),
        (lambda t, p: [t.slice(0, 40), t.slice(40).drop_columns(["hot"])], "label", PriorcaseError, "'hot'"),
        (lambda t, p: [t.slice(0, 40), t.slice(40).append_column("x", t["hot"][40:])], "label", PriorcaseError, "'x'"),
        (lambda t, p: [t.slice(0, 40), pa.table({"label": [1]})], "label", PriorcaseError, "'colour'"),
        (
            lambda t, p: [t.append_column("label", t["label"])],
            "label",
            PriorcaseError,
            "more than one column .*'label'",
        ),
        (
            lambda t, p: [t.slice(0, 40), t.slice(40).append_column("hot", t["hot"][40:])],
            "label",
            PriorcaseError,
            "several columns 'hot'",
        ),
        (lambda t, p: [t.slice(0, 40), "text"], "label", PriorcaseError, "Expected 2D array"),
        (lambda t, p: t.to_batches(), "lable", PriorcaseError, "no target column 'lable' in the list of batches"),
        (lambda t, p: iter([t.slice(0, 40), "text"]), "label", PriorcaseError, "expected Arrow record batches"),
        (lambda t, p: t.to_batches(), "labels", PriorcaseError, "Did you mean 'label'"),
        (lambda t, p: [t.slice(0, 0)], "label", PriorcaseError, "no rows"),
        (lambda t, p: iter([]), "label", PriorcaseError, "no batches"),
        (lambda t, p: p, "label", PriorcaseError, "without .parquet files"),
        (lambda t, p: p / "nowhere.parquet", "label", PriorcaseError, "no file or folder"),
        (lambda t, p: failing(t), "label", RuntimeError, "the line is down"),
        (
            lambda t, p: [t.slice(0, 40), t.slice(40).set_column(3, "label", pa.nulls(50, "string"))],
            "label",
            PriorcaseError,
            "missing value",
        ),
    ],
)
def test_what_is_wrong_with_a_source_changes_nothing(
    source: Any, target: str, error: type[Exception], message: str, keep_rows: bool, tmp_path: Path
) -> None:
    given = table()
    model = pc.NaiveBayes(keep_rows=keep_rows).fit(*rows_and_labels(given))
    digest = model.digest()
    for learn in (model.fit, model.partial_fit):
        folder = tmp_path / learn.__name__
        folder.mkdir()
        with pytest.raises(error, match=message):
            learn(source(given, folder), target)
        assert model.digest() == digest


@pytest.mark.parametrize("keep_rows", [True, False])
def test_dictionaries_with_unsigned_codes(keep_rows: bool) -> None:
    given = table().set_column(0, "colour", pa.array(["red", None, "blue"] * 30))
    coded = given["colour"].combine_chunks().dictionary_encode()
    expected = pc.NaiveBayes(keep_rows=keep_rows).fit(*rows_and_labels(given))
    for width in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        column = pa.DictionaryArray.from_arrays(coded.indices.cast(width), coded.dictionary)
        narrow = given.set_column(0, "colour", column)
        parts = [narrow.slice(0, 40), narrow.slice(40)]
        assert pc.NaiveBayes(keep_rows=keep_rows).fit(parts, "label").digest() == expected.digest()
        X, _ = rows_and_labels(narrow)
        np.testing.assert_array_equal(expected.predict_proba(X), expected.predict_proba(rows_and_labels(given)[0]))


@pytest.mark.parametrize("order", [1, -1])
def test_files_whose_types_differ_are_read_as_the_wider_type_in_any_order(order: int, tmp_path: Path) -> None:
    given = table()
    halves = given.set_column(1, "size", pa.array(np.arange(90) / 2))
    parts = [
        halves.slice(0, 30).set_column(0, "colour", pa.nulls(30)),
        given.slice(30, 30).set_column(1, "size", pa.array(range(30))),
        halves.slice(60),
    ][::order]
    for i, part in enumerate(parts):
        pq.write_table(part, tmp_path / f"{i}.parquet")
    whole = pa.concat_tables(parts, promote_options="permissive")
    assert pc.NaiveBayes().fit(tmp_path, "label").digest() == pc.NaiveBayes().fit(*rows_and_labels(whole)).digest()


def test_folders_named_after_values_are_a_column(tmp_path: Path) -> None:
    given = table()
    pq.write_to_dataset(given, tmp_path, partition_cols=["colour"])
    model = pc.NaiveBayes(keep_rows=False).fit(tmp_path, "label")
    assert set(model.feature_names_in_) == {"colour", "size", "hot"}
    X, y = rows_and_labels(given)
    X = X.select(model.feature_names_in_.tolist())
    np.testing.assert_array_equal(model.predict_proba(X), pc.NaiveBayes().fit(X, y).predict_proba(X))


LEARNERS_OF_DAMAGED = [
    pc.NaiveBayes(keep_rows=False),
    pc.NaiveBayes(),
    pc.AODE(keep_rows=False),
    pc.KNNClassifier(1),
    pc.KNNClassifier(1, distance="hvdm"),
    pc.IB1(),
    pc.PEBLS(),
]


@pytest.mark.parametrize("learner", LEARNERS_OF_DAMAGED, ids=repr)
@pytest.mark.parametrize("column", ["colour", "label"])
@pytest.mark.parametrize("damaged", [0, 2])
def test_codes_beyond_their_dictionary_are_refused(learner: Any, column: str, damaged: int) -> None:
    """Arrow does not check what it reads as dictionaries: one wrong byte of a page may change a code."""

    def batch(code: int) -> pa.RecordBatch:
        columns = {}
        for name, values in {"colour": ["red", "blue"], "label": ["a", "b"]}.items():
            codes = pa.array([0, 1, code if name == column else 1, 0] * 30, pa.int32())
            columns[name] = pa.DictionaryArray.from_arrays(codes, pa.array(values), safe=False)
        return pa.record_batch(columns)

    batches = [batch(2 if i == damaged else 1) for i in range(4)]
    with pytest.raises(ReadingError, match="damaged"):
        clone(learner).fit(batches, "label")
    if column == "colour":
        model = clone(learner).fit([batch(1)], "label")
        with pytest.raises(ReadingError, match="damaged"):
            model.predict(pa.table({"colour": batches[damaged].column("colour")}))


def test_counts_that_wait_to_be_merged_take_bounded_memory() -> None:
    """Batches of other dictionaries, each with many integers and classes."""
    rng = np.random.default_rng(0)
    labels = [f"class {i}" for i in range(20)]

    def batches(n: int) -> Iterator[pa.RecordBatch]:
        for _ in range(n):
            numbers = {f"n{a}": rng.integers(0, 60_000, 400).astype(np.int32) for a in range(4)}
            yield pa.record_batch({**numbers, "label": pa.array(rng.permutation(labels * 20)).dictionary_encode()})

    def peak(n: int) -> int:
        tracemalloc.start()
        pc.NaiveBayes(keep_rows=False, numeric=CutPoints((1000,))).fit(batches(2), "label")
        pc.NaiveBayes(keep_rows=False).fit(list(batches(n)), "label")
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    assert peak(24) < 1.5 * peak(6)


def test_values_of_explanations_are_text_in_every_batch() -> None:
    X = pa.table({"c": ["u", "v", None, "v"], "d": ["s", None, None, "t"]})
    model = pc.NaiveBayes(keep_rows=False).fit(X, ["a", "b", "a", "b"])
    found = pa.Table.from_batches(batches.explain(model, X.to_batches(max_chunksize=1)))
    assert found.schema.field("value").type == pa.string()


@pytest.mark.parametrize("order", [1, -1])
def test_integers_that_float64_lacks_are_refused_in_any_batch(order: int) -> None:
    def batch(number: int) -> pa.RecordBatch:
        label = pa.array(["a", "b"] * 20).dictionary_encode()
        return pa.record_batch({"n": pa.array([number, None] * 20, pa.int64()), "label": label})

    given = [batch(1), batch(2), batch(2**53 + 1)][::order]
    with pytest.raises(PriorcaseError, match=r"float64|exactly"):
        pc.NaiveBayes(keep_rows=False, numeric=CutPoints((1.5,))).fit(given, "label")


@pytest.mark.parametrize("learner", [pc.KNNClassifier(1), pc.IB1(), pc.NaiveBayes(), pc.PEBLS()], ids=repr)
def test_missing_targets_of_dictionaries_are_refused(learner: Any) -> None:
    given = pa.table({"c": ["u", "v"] * 3, "y": pa.array(["a", "b", "a", "b", "a", None]).dictionary_encode()})
    for y in (given["y"], given["y"].combine_chunks()):
        with pytest.raises(TargetError, match="missing"):
            clone(learner).fit(given.select(["c"]), y)


def test_a_lazy_frame_that_cannot_be_read_is_one_of_our_errors(tmp_path: Path) -> None:
    written(table(), tmp_path / "parts")
    lazy = pl.scan_parquet(tmp_path / "parts" / "*.parquet")
    broken = tmp_path / "parts" / "2.parquet"
    broken.write_bytes(broken.read_bytes()[:-20])
    with pytest.raises(ReadingError, match="the lazy frame could not be read"):
        pc.NaiveBayes(keep_rows=False).fit(lazy, "label")


def test_a_folder_named_like_another_type_of_a_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "size=7").mkdir()
    pq.write_table(table().set_column(1, "size", pa.array(["x"] * 90)), tmp_path / "size=7" / "0.parquet")
    with pytest.raises(PriorcaseError):
        pc.NaiveBayes(keep_rows=False).fit(tmp_path, "label")


def test_files_of_a_write_that_was_not_completed_are_ignored(tmp_path: Path) -> None:
    for name in ("part.parquet", "_temporary/part.parquet", ".hidden/deep/part.parquet", "_part.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table(), tmp_path / name)
    assert pc.NaiveBayes(keep_rows=False).fit(tmp_path, "label").n_samples_fit_ == 90


@pytest.mark.parametrize("least", [3, 100])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint32", "int64"])
def test_integers_outside_the_range_of_the_first_batch(dtype: str, least: int) -> None:
    """Also those whose distance from its smallest number does not fit into 32 bits."""
    limits, labels = np.iinfo(dtype), np.array(["a", "b"] * 40)
    low, high = max(limits.min, -(2**52)), min(limits.max, 2**52)  # float64 has them
    first = np.tile(np.arange(least, least + 8, dtype=dtype), 10)
    last = np.resize(np.array([low, high, 3, 74, 75, 76, 10], dtype), 80)

    def batch(numbers: np.ndarray) -> pa.RecordBatch:
        return pa.record_batch({"n": numbers, "label": pa.array(labels).dictionary_encode()})

    batches = [batch(first), batch(first), batch(last), batch(first)]
    whole = pc.NaiveBayes().fit(pa.table({"n": np.concatenate([first, first, last, first])}), np.tile(labels, 4))
    model = pc.NaiveBayes(keep_rows=False).fit(batches, "label")
    queries = pa.table({"n": np.unique(last)})
    np.testing.assert_array_equal(model.predict_proba(queries), whole.predict_proba(queries))


def test_sample_weights_do_not_go_with_batches() -> None:
    with pytest.raises(PriorcaseError, match="sample_weight"):
        pc.NaiveBayes().fit(table().to_batches(), "label", sample_weight=[1.0])
    with pytest.raises(PriorcaseError, match="shuffle"):
        pc.IB2(shuffle=True).fit(table().to_batches(), "label")


# -- answers

ANSWERING = [
    pc.NaiveBayes(keep_rows=False),
    pc.AODE(),
    pc.KNNClassifier(3),
    pc.IB3(),
    pc.PEBLS(),
    pc.StackedClassifier(),
]


@pytest.mark.parametrize("model", ANSWERING, ids=lambda model: type(model).__name__)
def test_answers_are_those_of_all_rows_at_once(model: Any) -> None:
    given = table()
    X, y = rows_and_labels(given)
    model = type(model)(**model.get_params(deep=False)).fit(X, y)
    predictions = list(batches.predict(model, given.to_batches(max_chunksize=25)))
    assert [batch.num_rows for batch in predictions] == [25, 25, 25, 15]
    assert pa.Table.from_batches(predictions)["prediction"].to_pylist() == model.predict(X).tolist()
    found = pa.Table.from_batches(batches.predict_proba(model, iter(given.to_batches(max_chunksize=25))))
    assert found.column_names == model.classes_.tolist()
    np.testing.assert_array_equal(np.column_stack([of.to_numpy() for of in found.columns]), model.predict_proba(X))


def test_neighbors_and_explanations(tmp_path: Path) -> None:
    given = table()
    X, y = rows_and_labels(given)
    model = pc.KNNClassifier(3).fit(X, y)
    found = pa.Table.from_batches(batches.kneighbors(model, written(given, tmp_path / "files"), 2))
    distances, ids = model.kneighbors(X, 2)
    assert found.column_names == ["query", "rank", "id", "distance"]
    assert found["query"].to_pylist() == np.repeat(np.arange(90), 2).tolist()
    assert found["rank"].to_pylist() == [1, 2] * 90
    assert found["id"].to_pylist() == ids.ravel().tolist()
    assert found["distance"].to_pylist() == distances.ravel().tolist()
    bayes = pc.NaiveBayes().fit(X, y)
    long = pa.Table.from_batches(batches.explain(bayes, X.to_batches(max_chunksize=40)))
    whole = bayes.explain(X).frame("pyarrow")
    for name in ("query", "prediction", "column", "contribution"):
        assert long[name].to_pylist() == whole[name].to_pylist()
    assert long["value"][1].as_py() == str(X["colour"][0])


def test_counts_are_explained_without_past_cases() -> None:
    given = table()
    X, y = rows_and_labels(given)
    counts, rows = pc.NaiveBayes(keep_rows=False).fit(X, y), pc.NaiveBayes().fit(X, y)
    long = pa.Table.from_batches(batches.explain(counts, X.to_batches(max_chunksize=40)))
    whole = rows.explain(X).frame("pyarrow")
    for name in ("query", "prediction", "column", "contribution"):
        assert long[name].to_pylist() == whole[name].to_pylist()
    one = pa.table({"colour": ["mauve"], "size": [1.0], "hot": [True]})
    for explained in (counts.explain(one), rows.explain(one)):
        assert explained.unseen.tolist() == [[True, False, False]]
    assert counts.explain(one).precedents is None
    assert counts.explain(one, data=(X, y)).precedents is not None
    for needs_rows in (lambda: counts.explain(one, target="yes"), lambda: pc.counterfactuals(counts, one)):
        with pytest.raises(PriorcaseError, match=r"data=\(X, y\)"):
            needs_rows()


def test_frames_are_a_single_batch() -> None:
    given = table()
    X, y = rows_and_labels(given)
    model = pc.NaiveBayes().fit(X, y)
    for frame in (X, X.to_pandas(), pl.from_arrow(X)):
        (found,) = batches.predict(model, frame)
        assert found["prediction"].to_pylist() == model.predict(X).tolist()


def test_wrong_questions() -> None:
    given = table()
    model = pc.NaiveBayes().fit(*rows_and_labels(given))
    with pytest.raises(PriorcaseError, match="no method kneighbors"):
        batches.kneighbors(model, given.to_batches())
    with pytest.raises(PriorcaseError, match="source of batches"):
        batches.predict(model, 3)
    with pytest.raises(PriorcaseError, match="colour"):
        list(batches.predict(model, given.drop_columns(["colour"]).to_batches()))


def test_memory_is_bounded_by_a_batch() -> None:
    given, held = table(), []

    def source() -> Any:
        for batch in given.to_batches(max_chunksize=10):
            held.append(batch.num_rows)
            yield batch

    answers = batches.predict(pc.NaiveBayes().fit(*rows_and_labels(given)), source())
    next(answers)
    assert held == [10]
    whole = pd.concat([batch.to_pandas() for batch in answers])
    assert len(whole) == 80


@pytest.mark.parametrize(("kind", "rows"), [("numbers", 20), ("lists", 10)])
def test_batches_of_very_wide_files_have_fewer_rows(
    kind: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file can contain a thousand runs of the same number."""
    monkeypatch.setattr(batches, "_BATCH_VALUES", 1_000)
    model = pc.NaiveBayes().fit(pd.DataFrame({"c0": [0.0, 1.0]}), ["a", "b"])
    column: Any = np.zeros(100, np.int8) if kind == "numbers" else [[0] * 99] * 100
    columns: dict[str, Any] = {f"c{at}": np.zeros(100, np.int8) for at in range(1 if kind == "lists" else 50)}
    columns["last" if kind == "lists" else "c0"] = column
    pq.write_table(pa.table(columns), tmp_path / "wide.parquet")
    found = [batch.num_rows for batch in batches.predict(model, tmp_path / "wide.parquet")]
    assert max(found) == rows
    assert sum(found) == 100
