"""The compiled core: plans of differences and exact search over mixed columns."""

from math import inf

import numpy as np
from numpy.typing import NDArray

from priorcase.typing import FloatArray, IdArray

def cpu_paths() -> list[str]:
    """Names of the code paths this CPU can run, slowest first."""

def cpu_path() -> str:
    """Name of the code path in use."""

def use_cpu_path(name: str) -> None:
    """Switch to another code path; the answers stay the same."""

class Plan:
    """How two rows differ: one difference per attribute, a power and a rule for gaps."""

    def __init__(
        self, n_attributes: int, power: float, *, skip: bool = False, mean: bool = False, nothing_shared: float = inf
    ) -> None: ...
    def __len__(self) -> int: ...
    def linear(
        self,
        a: int,
        scale: float,
        *,
        low: float = 0.0,
        high: float = 0.0,
        widen: bool = False,
        cap: bool = False,
        aha: bool = False,
        f_one: float = 1.0,
        f_both: float = 1.0,
        f_unseen: float = 1.0,
    ) -> None: ...
    def curve(
        self,
        a: int,
        breaks: FloatArray,
        profiles: FloatArray,
        *,
        step: bool,
        exponent: float,
        factor: float,
        root: bool,
        f_one: float = 1.0,
        f_both: float = 1.0,
        f_unseen: float = 1.0,
    ) -> None: ...
    def overlap(
        self, a: int, *, f_differ: float = 1.0, f_one: float = 1.0, f_both: float = 1.0, f_unseen: float = 1.0
    ) -> None: ...
    def profile(
        self,
        a: int,
        profiles: FloatArray,
        factors: FloatArray,
        unseen: FloatArray | None,
        unseen_factor: float,
        f_unseen: float,
        *,
        exponent: float,
        root: bool,
        f_one: float = 1.0,
        f_both: float = 1.0,
        missing: FloatArray | None = None,
        missing_factor: float = 1.0,
    ) -> None: ...
    def table(
        self, a: int, matrix: FloatArray, *, f_one: float = 1.0, f_both: float = 1.0, f_unseen: float = 1.0
    ) -> None: ...

class Index:
    """Rows as codes and cells, searched exactly."""

    def __init__(self, coded: NDArray[np.uint8]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def append(self, ids: IdArray, rows: FloatArray) -> None: ...
    def remove(self, ids: IdArray) -> None: ...
    def holds(self, ids: IdArray) -> NDArray[np.uint8]: ...
    def organise(self, plan: Plan) -> None: ...
    def kneighbors(
        self,
        plan: Plan,
        queries: FloatArray,
        weights: FloatArray,
        k: int,
        ties: bool,
        exclude: IdArray | None,
        algorithm: int,
        threads: int,
    ) -> tuple[IdArray, IdArray, FloatArray]: ...
    def within(
        self,
        plan: Plan,
        queries: FloatArray,
        weights: FloatArray,
        limits: FloatArray,
        exclude: IdArray | None,
        algorithm: int,
        threads: int,
    ) -> tuple[IdArray, IdArray, FloatArray]: ...
    def costs(self, plan: Plan, queries: FloatArray, weights: FloatArray, ids: IdArray, threads: int) -> FloatArray: ...
