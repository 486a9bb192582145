"""Hand-written loops, compiled for this machine: counting, predicting and condensing without optimizations."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.machine import THREADS


@dataclass(frozen=True)
class Loops:
    """Loops over one table of byte codes of shape (attributes, rows)."""

    columns: npt.NDArray[np.int8]
    classes: npt.NDArray[np.int8]
    n_values: int
    n_classes: int

    def count(self) -> npt.NDArray[np.int64]:
        """Count the rows by attribute, class and value."""
        attributes, rows = self.columns.shape
        counts = np.zeros((attributes, self.n_classes, self.n_values), np.int64)
        sizes = [rows, attributes, self.n_values, self.n_classes]
        _library().count(
            _at(self.columns), _at(self.classes), *map(ctypes.c_size_t, sizes), _at(counts), ctypes.c_size_t(THREADS)
        )
        return counts

    def predict(self, prior: npt.NDArray[np.float64], logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return class probabilities from log-probabilities by attribute, class and value."""
        attributes, rows = self.columns.shape
        out = np.empty((rows, self.n_classes))
        sizes = [rows, attributes, self.n_values, self.n_classes]
        _library().predict(
            _at(self.columns), *map(ctypes.c_size_t, sizes), _at(prior), _at(logs), _at(out), ctypes.c_size_t(THREADS)
        )
        return out


def condense(
    cells: npt.NDArray[np.float64], classes: npt.NDArray[np.int8], nominal: npt.NDArray[np.int8]
) -> npt.NDArray[np.int64]:
    """Return the rows that IB2 stores, on one thread; each new row is compared with every stored row."""
    rows, width = cells.shape
    stored = np.empty(rows, np.int64)
    work = _library().condense
    work.restype = ctypes.c_size_t
    sizes = map(ctypes.c_size_t, (rows, width))
    return stored[: work(_at(cells), _at(classes), *sizes, _at(nominal), _at(stored))]


def _at(array: npt.NDArray[np.generic]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@cache
def _library() -> ctypes.CDLL:
    folder = Path(tempfile.mkdtemp(prefix="priorcase-loops-"))
    source, built = Path(__file__).with_name("loops.cpp"), folder / "loops.so"
    compiler = os.environ.get("CXX", "c++")
    options = ["-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-pthread"]
    subprocess.run([compiler, *options, str(source), "-o", str(built)], check=True)
    return ctypes.CDLL(str(built))
