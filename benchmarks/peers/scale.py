"""Naive Bayes from Parquet files larger than memory, compared with incremental fits of scikit-learn."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.memory import MIB, _peak
from benchmarks.report import Row
from benchmarks.sizes import Sizes

NAMES, NUMBERS, FILES = 16, 4, 4
TARGET = "class"
MOST_MEMORY = 600  # MiB


def run(sizes: Sizes) -> list[Row]:
    """Run each program in its own process, in turn; the best time and the worst memory count.

    A first call on a small table, which imports all modules, is not measured.
    """
    rows = sizes.rows(20_000_000)
    with tempfile.TemporaryDirectory(prefix="priorcase-scale-") as folder:
        text = write(Path(folder) / "large", rows)
        write(Path(folder) / "small", 10_000 * FILES)
        found: dict[str, list[dict[str, float]]] = {"read": [], "fit": [], "peer": []}
        for turn in range(sizes.repeats):
            for who, measured in found.items():
                if who != "peer" or turn == 0:
                    command = [sys.executable, "-m", "benchmarks.peers.scale", who, folder]
                    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                    measured.append(json.loads(done.stdout))
    seconds = {who: min(one["seconds"] for one in measured) for who, measured in found.items()}
    peak = max(one["peak"] for one in found["fit"]) / MIB
    name = f"naive Bayes from Parquet, {rows:,} x {NAMES + NUMBERS} ({text / 1e9:.2g} GB as CSV), counts only"
    alone, peer = "reading the same batches with pyarrow", "scikit-learn OrdinalEncoder, CategoricalNB.partial_fit"
    return [
        Row(f"{name}: fit", alone, seconds["fit"], seconds["read"], 1 / 1.3, note="at most 1.3 times its time"),
        Row(f"{name}: fit", peer, seconds["fit"], seconds["peer"], 5, note="over the same batches"),
        Row(f"{name}: memory of the process, at its peak", f"{MOST_MEMORY} MiB", peak, MOST_MEMORY, 1, "MiB"),
    ]


def write(folder: Path, rows: int) -> float:
    """Write a table in parts and return the number of bytes it would take as CSV."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(exist_ok=True)
    random, text = np.random.default_rng(0), 0.0
    values = [pa.array([f"v{i:03d}" for i in range(4 + 3 * a)]) for a in range(NAMES)]
    part = max(1, min(1_000_000, rows // FILES))
    for file in range(FILES):
        writer = None
        for start in range(file * rows // FILES, (file + 1) * rows // FILES, part):
            n = min(part, (file + 1) * rows // FILES - start)
            classes = random.integers(0, 5, n)
            columns: dict[str, Any] = {}
            for a, held in enumerate(values):
                codes = (random.integers(0, len(held), n) + classes * (a % 3 == 0)) % len(held)
                columns[f"name{a}"] = held.take(pa.array(codes))
                text += 5.0 * n
            for a in range(NUMBERS):
                columns[f"number{a}"] = pa.array((random.integers(0, 50 + 200 * a, n) + 7 * classes).astype(np.int32))
                text += 3.5 * n
            columns[TARGET] = pa.array(list("abcde")).take(pa.array(classes))
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(folder / f"part{file}.parquet", table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
    return text


def _batches(folder: str) -> Iterator[Any]:
    from priorcase.batches import open_batches

    opened = open_batches(folder)
    assert opened is not None
    return iter(opened)


def _read(folder: str) -> None:
    """Read the same batches with PyArrow alone, with the options that our reader uses."""
    import pyarrow.parquet as pq

    from priorcase.batches import BATCH_ROWS

    texts = [*(f"name{a}" for a in range(NAMES)), TARGET]
    for path in sorted(Path(folder).glob("*.parquet")):
        with pq.ParquetFile(path, read_dictionary=texts, pre_buffer=False, page_checksum_verification=True) as file:
            for batch in file.iter_batches(BATCH_ROWS):
                assert batch.num_rows


def _fit(folder: str) -> None:
    import priorcase as pc
    from benchmarks.machine import THREADS

    pc.NaiveBayes(keep_rows=False, n_jobs=THREADS).fit(folder, TARGET)


def _peer(folder: str) -> None:
    """Fit scikit-learn to category codes, learned from the first batch, which contains all categories."""
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.preprocessing import OrdinalEncoder

    encoder, model, classes = None, None, list("abcde")
    for batch in _batches(folder):
        frame = batch.to_pandas()
        y, X = frame.pop(TARGET).astype(str).to_numpy(), frame
        names = [name for name in X if name.startswith("name")]
        if encoder is None or model is None:
            encoder = OrdinalEncoder().fit(X[names])
            sizes = [len(held) for held in encoder.categories_] + [1000] * NUMBERS
            model = CategoricalNB(min_categories=sizes)
        codes = np.column_stack([encoder.transform(X[names]), X.drop(columns=names).to_numpy()])
        model.partial_fit(codes, y, classes=classes)


if __name__ == "__main__":
    import sklearn.preprocessing  # noqa: F401

    _, who, where = sys.argv
    work = {"read": _read, "fit": _fit, "peer": _peer}[who]
    work(f"{where}/small")
    began = time.perf_counter()
    work(f"{where}/large")
    print(json.dumps({"seconds": time.perf_counter() - began, "peak": _peak()}))
