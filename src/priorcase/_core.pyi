"""The compiled core: plans of differences and exact search over mixed columns."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray

def set_interrupt_check(check: Callable[[], object]) -> None:
    """Call a function every 50 ms within long calls, on their thread; they end by what it raises."""

def cpu_paths() -> list[str]:
    """Names of the code paths this CPU can run, slowest first."""

def cpu_path() -> str:
    """Name of the code path in use."""

def use_cpu_path(name: str) -> None:
    """Switch to another code path; the answers stay the same."""

def code_counts(codes: IntArray, n: int) -> IdArray:
    """How many rows hold each code from 0 to n - 1."""

def are_cells(numbers: FloatArray, levels: int, may_miss: bool) -> bool:
    """Whether numbers are finite or, where they may, missing; with levels above 0 whole and below."""

def factorise(items: NDArray[np.uint8]) -> tuple[NDArray[np.int32], IdArray]:
    """Numbers of items, rows of bytes, in the order of their first occurrence, and where that is."""

def recode(codes: IntArray, table: NDArray[np.int32], out: IntArray) -> None:
    """Write the table's entry for each code; -1 beyond it."""

def count_values(
    columns: Sequence[AnyArray],
    cuts: Sequence[FloatArray | None],
    classes: IntArray,
    starts: IdArray,
    totals: IdArray,
    sign: int,
    threads: int,
) -> None:
    """Add class-conditional counts of some rows to the totals, cells by classes."""

def normalise_rows(joint: FloatArray, scale: int, threads: int) -> FloatArray:
    """Joint logs as (log-)probabilities of the classes."""

class Scorer:
    """Log-probabilities of classes as sums of terms, one for each attribute."""

    def __init__(self, prior: FloatArray, table: FloatArray) -> None: ...
    def leave_out(self, prior: FloatArray, table: FloatArray) -> None: ...
    def add_table(self, column: int, start: int, n_slots: int, cuts: FloatArray | None) -> None: ...
    def add_density(self, column: int, parameters: FloatArray, normal: bool) -> None: ...
    def add_mixed(self, column: int, parameters: FloatArray, log_in: float, log_out: float) -> None: ...
    def score(
        self,
        columns: Sequence[AnyArray],
        translate: Sequence[NDArray[np.int32] | None],
        scale: int,
        threads: int,
        out: FloatArray,
    ) -> None: ...
    def score_cells(self, cells: FloatArray, scale: int, threads: int, out: FloatArray) -> None: ...
    def score_left_out(
        self,
        columns: Sequence[AnyArray],
        translate: Sequence[NDArray[np.int32] | None],
        own: IntArray,
        translate_own: NDArray[np.int32],
        scale: int,
        threads: int,
        out: FloatArray,
    ) -> None: ...

class Plan:
    """How two rows differ: one difference per attribute, a power and a rule for gaps."""

    def __init__(
        self,
        n_attributes: int,
        power: float,
        *,
        skip: bool = False,
        mean: bool = False,
        nothing_shared: float = inf,
        root: bool = False,
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
        coded: bool = False,
        aha: bool = False,
        f_one: float = 1.0,
        f_both: float = 1.0,
        f_unseen: float = 1.0,
    ) -> None: ...
    def periodic(
        self,
        a: int,
        periods: FloatArray,
        shares: FloatArray,
        *,
        scale: float = 0.0,
        line_share: float = 0.0,
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
        self,
        a: int,
        matrix: FloatArray,
        *,
        rows: FloatArray | None = None,
        columns: FloatArray | None = None,
        f_one: float = 1.0,
        f_both: float = 1.0,
        f_unseen: float = 1.0,
    ) -> None:
        """``f`` of each pair of values; ``rows`` and ``columns`` are cells of queries and stored numbers, ascending.

        Without ``rows`` the table is square, and cells are positions in it.
        """
    def asked(
        self,
        a: int,
        row_of: Callable[[float], FloatArray],
        *,
        columns: FloatArray | None = None,
        f_one: float = 1.0,
        f_both: float = 1.0,
        f_unseen: float = 1.0,
    ) -> None:
        """As ``table``, where ``row_of`` gives the row of a query's cell when it is needed."""
    def differences(self, query: FloatArray, rows: FloatArray) -> FloatArray:
        """``d ** power`` of each attribute between the query and each row, shape (rows, attributes)."""

class Index:
    """Rows as codes and cells, searched exactly."""

    @overload
    def __init__(self, coded: NDArray[np.uint8]) -> None: ...
    @overload
    def __init__(self, coded: NDArray[np.uint8], parts: dict[str, AnyArray], threads: int) -> None: ...
    def parts(self) -> dict[str, AnyArray]:
        """The arrays that it consists of, read-only and shared with it; from them it can be made again."""

    def __len__(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def append(self, ids: IdArray, rows: FloatArray, threads: int = 1) -> None: ...
    def remove(self, ids: IdArray) -> None: ...
    def holds(self, ids: IdArray) -> NDArray[np.uint8]: ...
    def torn_by_fork(self) -> bool:
        """In a forked child: free the lock; whether another thread was changing the rows at the fork."""

    def organise(self, plan: Plan, threads: int) -> None: ...
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
    def poll(
        self,
        plan: Plan,
        query: FloatArray,
        weights: FloatArray,
        k: int,
        ties: bool,
        vote: int,
        power: float,
        root: bool,
        algorithm: int,
    ) -> tuple[IdArray, FloatArray, FloatArray] | None: ...
    def winner(
        self,
        plan: Plan,
        query: FloatArray,
        weights: FloatArray,
        k: int,
        ties: bool,
        vote: int,
        power: float,
        root: bool,
        algorithm: int,
        ids: IdArray,
        codes: IntArray,
        of_code: IdArray,
        n_classes: int,
        vote_ties: int,
    ) -> int: ...
    def costs(self, plan: Plan, queries: FloatArray, weights: FloatArray, ids: IdArray, threads: int) -> FloatArray: ...

def log_tree_sum(log_weights: FloatArray, nodes: int) -> float:
    """The log of the sum over all spanning trees of the product of their edges' weights."""

def edge_shares(log_weights: FloatArray, nodes: int) -> FloatArray:
    """For each edge the share of that sum that the trees with it have."""

def largest_tree(log_weights: FloatArray, nodes: int) -> IdArray:
    """The parent of each node in the tree of the largest product; -1 for node 0."""

def count_pairs(
    columns: NDArray[np.int32],
    classes: NDArray[np.int32],
    weights: FloatArray | None,
    sign: float,
    sizes: IdArray,
    class_counts: FloatArray,
    singles: FloatArray,
    pairs: FloatArray,
    threads: int,
) -> None:
    """Add counts of classes, values and pairs of values to the tables."""

def tree_joint_logs(
    family: str,
    class_counts: FloatArray,
    singles: FloatArray,
    pairs: FloatArray,
    sizes: IdArray,
    class_weights: FloatArray,
    totals: FloatArray,
    weights: FloatArray,
    unseen: FloatArray,
    log_weights: FloatArray,
    least: float,
    codes: NDArray[np.int32],
    own: NDArray[np.int32] | None,
    leave: FloatArray | None,
    threads: int,
) -> FloatArray:
    """ln P(class, query | rows) of each query and class, averaged over a family of structures."""

def whole_ranks(numbers: FloatArray, most: int) -> tuple[float, int, NDArray[np.int32]] | None:
    """The smallest of some whole numbers, how many there could be up to the largest, and their distances from it.

    The distance is -1 for missing. None where they are not whole, or their range is larger than ``most``.
    """

def bit_range(numbers: FloatArray) -> tuple[int, int]:
    """Exponents of the lowest and the highest bit of some numbers, 0 and missing left out."""

def add_moments(
    columns: Sequence[FloatArray],
    codes: NDArray[np.int32],
    weights: FloatArray | None,
    sign: int,
    sums: NDArray[np.int64],
    bases: NDArray[np.int64],
    widths: NDArray[np.int64],
    threads: int,
) -> None:
    """Add rows to the exact sums of weights, of numbers and of their squares in each class."""

class Concept:
    def __init__(
        self,
        plan: Plan,
        coded: NDArray[np.uint8],
        ranged: NDArray[np.uint8],
        *,
        rule: int,
        ties: int,
        z_accept: float,
        z_drop: float,
        weighted: bool,
        known_only: bool,
        weight_power: float,
        window: int,
        decay: float,
        seed: int,
    ) -> None: ...
    def learn(
        self, names: IdArray, cells: FloatArray, labels: IdArray, trace: bool
    ) -> tuple[IdArray, IntArray | None, IdArray | None, IdArray | None, IdArray | None, IdArray | None]: ...
    def nearest(self, cells: FloatArray, threads: int) -> tuple[IdArray, IdArray, IdArray, FloatArray]: ...
    def nearest_with(
        self, cells: FloatArray, label: int, threads: int
    ) -> tuple[IdArray, IdArray, IdArray, FloatArray]: ...
    def forget(self, names: IdArray) -> None: ...
    def records(
        self,
    ) -> tuple[IdArray, IdArray, FloatArray, FloatArray, IdArray, NDArray[np.uint8], NDArray[np.uint8]]: ...
    def counts(self) -> tuple[FloatArray, float]: ...
    def ranges(self) -> tuple[FloatArray, FloatArray]: ...
    def weights(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]: ...
    def state(self) -> bytes: ...
    def restore(self, state: bytes) -> None: ...
    def __len__(self) -> int: ...
    @property
    def n_seen(self) -> int: ...
    @property
    def n_dropped(self) -> int: ...

def learn_together(
    concepts: Sequence[Concept],
    names: IdArray,
    cells: FloatArray,
    labels: Sequence[IdArray],
    trace: bool,
    threads: int,
    progress: Callable[[int], None] | None,
    results: list[Any],
) -> None:
    """Let descriptions learn the same rows, all or none of them; what each did is appended to ``results``."""

def forget_together(concepts: Sequence[Concept], names: IdArray, results: list[Any]) -> None:
    """Take rows out of all descriptions, or of none; None for each is appended to ``results``."""

class Exemplars:
    """Rows of symbols whose records of use push the unreliable ones away; numbered from 0 as they are stored."""

    def __init__(self, plan: Plan, weights: FloatArray) -> None: ...
    def __len__(self) -> int: ...
    def arrive(self, rows: FloatArray, labels: IdArray, inherit: bool) -> None: ...
    def store(self, rows: FloatArray, labels: IdArray, used: IdArray, correct: IdArray) -> None: ...
    def sweep(self, rows: FloatArray, first: int) -> None: ...
    def records(self) -> tuple[IdArray, IdArray]: ...
    def kneighbors(
        self, queries: FloatArray, k: int, ties: bool, exclude: IdArray | None, threads: int
    ) -> tuple[IdArray, IdArray, FloatArray]: ...

class Condensed:
    """Rows taken in because the nearest one before them got them wrong."""

    def __init__(
        self, plan: Plan, coded: NDArray[np.uint8], cells: FloatArray, weights: FloatArray, labels: IdArray
    ) -> None: ...
    def take_in(self, first: int, last: int, threads: int) -> int: ...
    def held(self) -> NDArray[np.uint8]: ...

class Reduced:
    """Members that leave where no row becomes wrong by that."""

    def __init__(
        self,
        plan: Plan,
        coded: NDArray[np.uint8],
        cells: FloatArray,
        weights: FloatArray,
        labels: IdArray,
        members: NDArray[np.uint8],
    ) -> None: ...
    def fill(self, first: int, last: int, threads: int) -> None: ...
    def consider(self, first: int, last: int) -> None: ...
    def held(self) -> NDArray[np.uint8]: ...

class CaseFilter:
    """Rows that leave where more rows solve them than they solve."""

    def __init__(
        self, plan: Plan, coded: NDArray[np.uint8], cells: FloatArray, weights: FloatArray, labels: IdArray
    ) -> None: ...
    def count(self, rows: IdArray, threads: int) -> None: ...
    def filter(self) -> int: ...
    def held(self) -> NDArray[np.uint8]: ...

class Drop:
    """Rows that leave where those that rely on them lose nothing."""

    def __init__(
        self,
        plan: Plan,
        coded: NDArray[np.uint8],
        cells: FloatArray,
        weights: FloatArray,
        labels: IdArray | None,
        targets: FloatArray | None,
        *,
        k: int,
        nearest_breaks_ties: bool,
        alpha: float,
        stay_on: bool,
    ) -> None: ...
    def fill(self, first: int, last: int, threads: int) -> None: ...
    def enemy_costs(self, rows: IdArray, threads: int) -> FloatArray: ...
    def consider(self, order: IdArray, noise_only: bool) -> None: ...
    def held(self) -> NDArray[np.uint8]: ...

def elect(
    indptr: IdArray,
    classes: IdArray,
    votes: FloatArray,
    distances: FloatArray,
    n_classes: int,
    class_weights: FloatArray | None,
    ties: int,
) -> tuple[IdArray, int]:
    """The class that the votes on each query are for, and how many are open (-1): tied, to be decided otherwise."""

def weighted_means(indptr: IdArray, numbers: FloatArray, votes: FloatArray) -> FloatArray:
    """The mean of the voters' numbers on each query, weighted by their votes."""

class Stream:
    """Rows that are each answered from those before, then stored."""

    def __init__(
        self,
        plan: Plan,
        ranged: NDArray[np.uint8],
        low: FloatArray,
        high: FloatArray,
        weights: FloatArray,
        k: int,
        ties: bool,
        vote: int,
        power: float,
        root: bool,
        algorithm: int,
    ) -> None: ...
    def classify(
        self,
        index: Index,
        cells: FloatArray,
        ids: IdArray,
        stored: IdArray,
        codes: IdArray,
        starts: IdArray,
        class_weights: FloatArray,
        ties: int,
    ) -> tuple[IdArray, int, int]: ...
    def average(
        self, index: Index, cells: FloatArray, ids: IdArray, stored: IdArray, targets: FloatArray
    ) -> tuple[FloatArray, int, int]: ...

def local_bayes(
    indptr: IdArray,
    rows: IdArray,
    weights: FloatArray,
    codes: IdArray,
    class_prior: FloatArray,
    cells: FloatArray,
    queries: FloatArray,
    kinds: NDArray[np.uint8],
    scales: FloatArray,
    sizes: IdArray,
    *,
    value_prior: float,
    student: bool,
    strength: float,
    degrees: float,
    smoothing: float,
    threads: int,
) -> FloatArray:
    """Class probabilities by naive Bayes over the voters of each query."""

def local_logistic(
    indptr: IdArray,
    rows: IdArray,
    weights: FloatArray,
    codes: IdArray,
    n_classes: int,
    cells: FloatArray,
    queries: FloatArray,
    kinds: NDArray[np.uint8],
    scales: FloatArray,
    *,
    ridge: float,
    max_iter: int,
    tol: float,
    threads: int,
) -> tuple[FloatArray, NDArray[np.uint8]]:
    """Class probabilities by a logistic fit to the voters of each query, and whether its steps came to an end."""

def ridge_rows(triangle: FloatArray, block: FloatArray) -> FloatArray:
    """The upper triangle R of ``[R; block] = Q R'``, on one thread."""

def ridge_spectrum(triangle: FloatArray, targets: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Singular values S of a square matrix ``U S V'``, descending, its ``V'``, and ``U' targets``, on one thread."""

def ridge_left_out(
    rows: FloatArray, means: FloatArray, right: FloatArray, weights: FloatArray, inverses: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """With ``z = (rows - means) right'``, on one thread: ``z weights'`` and ``z^2 inverses'``."""

def local_fits(
    indptr: IdArray,
    rows: IdArray,
    weights: FloatArray,
    repetitions: FloatArray | None,
    cells: FloatArray,
    queries: FloatArray,
    kinds: NDArray[np.uint8],
    scales: FloatArray,
    targets: FloatArray,
    *,
    degree: int,
    ridge: float,
    rcond: float,
    want: int,
    threads: int,
    own: IdArray | None = None,
    values: IdArray | None = None,
) -> dict[str, FloatArray]:
    """Regressions fitted around each query: the sum of K (y - b0 - x'b)^2 + ridge^2 |b|^2 over its voters is least.

    The columns x are deviations from the query in units of `scales`: ``x - q`` for kinds 0 (numeric) and 1 (ordinal),
    of degree 2 their squares and products too; for kind 2 (nominal) an indicator for each value but the query's among
    voters of positive weight. A missing value in a row is no deviation; one in a query leaves the attribute
    out of its fit.

    The voters of query i are ``rows[indptr[i]:indptr[i + 1]]``, with `weights` K (kernel times repetitions).

    Always ``predictions`` (q, T), NaN where no voter has weight. What else is in the dictionary depends on `want`:

    * 2: ``weight`` sum K, ``squares`` sum K^2, ``parameters`` p_LWR, ``trace`` sum K x'Cx, ``variance`` s's, ``rank``
      (with the intercept), all (q,); ``residuals`` sum K e^2 (q, T). Without weight `variance` and `residuals` are NaN,
      the others 0. A row that stands for r counts as r rows: K^2 / r and s^2 / r are summed.
    * 4: ``coefficients`` (q, T, slots) in the table's units: a slope for each numeric or ordinal attribute, for a
      nominal one a number for each of its `values` (how many codes it has): 0 for the query's own, NaN where none is
      among the voters.
    * 8: ``hat`` (m,): s of each voter, all its repetitions together; a prediction is the sum of s times the targets.
    * 16: ``loo`` (q, T): sum K (e / (1 - leverage))^2 / sum K, the local mean square of leave-one-out residuals.

    With `own`, a row for each query (-1: none), and any of 2, 8 and 16: ``own`` (q,), that row's s; 0 without a vote.
    """

class Stretch:
    """Rows that tell each other's targets by soft votes ``exp(-cost)``; `times` is how often each counts.

    `labels` are classes from 0, `shares` their shares; or `numbers` are told. `loss`: 0 the log loss, 1 the share of
    wrong votes, 2 the squared error.
    """

    def __init__(
        self,
        plan: Plan,
        coded: NDArray[np.uint8],
        cells: FloatArray,
        labels: IdArray | None,
        numbers: FloatArray | None,
        times: FloatArray,
        shares: FloatArray,
        loss: int,
    ) -> None: ...
    def evaluate(
        self, weights: FloatArray, rows: IdArray, votes: FloatArray, threads: int, gradient: bool
    ) -> tuple[float, FloatArray]:
        """The mean loss of some rows, each told by all others as often as `votes` says, and its slope by the weights.

        The gradient is empty where it is not wanted.
        """

def local_weights(
    plan: Plan,
    coded: NDArray[np.uint8],
    cells: FloatArray,
    labels: IdArray | None,
    numbers: FloatArray | None,
    shares: FloatArray,
    loss: int,
    indptr: IdArray,
    rows: IdArray,
    counts: FloatArray,
    weights: FloatArray,
    *,
    stiffness: float,
    steps: int,
    threads: int,
) -> FloatArray:
    """Weights of each query, shape (queries, attributes), fitted to the rows listed for it, weighted by counts."""

def relief_sums(
    plan: Plan,
    coded: NDArray[np.uint8],
    cells: FloatArray,
    rows: IdArray,
    indptr: IdArray,
    others: IdArray,
    factors: FloatArray,
    *,
    power: float,
    threads: int,
) -> FloatArray:
    """The sum of factor times difference over the others listed for each row, shape (rows, attributes)."""

class LeftOut:
    """Rows to be left out one by one, and the votes and numbers of neighbors to try."""

    def __init__(
        self,
        index: Index,
        plan: Plan,
        queries: FloatArray,
        own: IdArray,
        times: FloatArray,
        attribute_weights: FloatArray,
        stored: IdArray,
        row_weights: FloatArray | None,
        power: float,
        root: bool,
        algorithm: int,
        threads: int,
        whole_ties: bool,
        ks: IdArray,
        votes: IdArray,
        parameters: FloatArray,
        bandwidths: FloatArray,
        blocks: IdArray,
    ) -> None: ...
    def classes(
        self,
        stored: IdArray,
        asked: IdArray,
        n_classes: IdArray,
        class_weights: FloatArray,
        priors: FloatArray,
        temperatures: FloatArray,
        left_out: FloatArray,
        ties: int,
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, IdArray]: ...
    def numbers(self, stored: FloatArray, asked: FloatArray) -> tuple[FloatArray, FloatArray, IdArray]: ...

class PackedTexts:
    """Texts as code points, one behind the other: text ``i`` is ``characters[offsets[i]:offsets[i + 1]]``."""

    def __init__(self, characters: NDArray[np.uint32], offsets: IdArray) -> None: ...
    def __len__(self) -> int: ...
    def edit_distances(self, asked: NDArray[np.uint32], threads: int) -> NDArray[np.int32]:
        """How many characters must be put in, left out or exchanged to make each text of the one asked about."""

    def edit_similarities(self, asked: NDArray[np.uint32], threads: int) -> FloatArray:
        """``1 - edits / length of the longer text``; 1 for two empty ones."""

class Postings:
    """By term, the values that have it: ``holders[starts[t]:starts[t + 1]]``, with ``weights`` there, or 1."""

    def __init__(
        self, starts: IdArray, holders: NDArray[np.int32], weights: FloatArray | None, n_values: int
    ) -> None: ...
    def sums(self, terms: IdArray, term_weights: FloatArray) -> FloatArray:
        """For each value the sum over the terms, in their order, of the term's weight times its weight there."""

    def set_similarities(self, terms: Sequence[int], asked: int, measure: int) -> FloatArray:
        """Similarity of a set of ``asked`` members, some of which are terms, to each value as a set of its terms.

        By ``measure`` Jaccard (0), Dice (1), containment (2) or overlap (3).
        """

class CodedColumn:
    """The codes of the cases in one column, below 0 where a value is missing; the array must not change any more.

    ``numbers`` are those of the values, if they are numbers. ``earlier`` is the same column when it had fewer cases: it
    saves work and changes nothing.
    """

    def __init__(
        self,
        codes: IntArray,
        n_values: int,
        numbers: FloatArray | None = None,
        earlier: CodedColumn | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...

def falling(points: FloatArray, point: float, length: float, side: int) -> FloatArray:
    """``max(0, 1 - difference / length)``: of all differences (0), or only of larger (1) or of smaller (2) points."""

class CaseValues:
    """The codes and values of all columns; the arrays must not change any more."""

    def __init__(self, codes: Sequence[IntArray], values: Sequence[tuple[Any, ...]]) -> None: ...
    def at(self, positions: IdArray) -> list[list[Any]]:
        """For each column the values of the cases at some positions, None where one is missing."""

def best_cases(
    n_cases: int,
    columns: Sequence[CodedColumn],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    mask: NDArray[np.uint8] | None,
    k: int,
    ignore: bool,
    threads: int,
) -> tuple[IdArray, FloatArray, FloatArray]:
    """Positions and weighted means of similarities of the k cases where these are greatest.

    And by attribute their similarities, shape (cases, attributes); NaN where a case has no value.
    """

def all_similarities(
    n_cases: int,
    codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    ignore: bool,
    threads: int,
) -> FloatArray:
    """Weighted means of similarities of all cases."""

def best_cases_many(
    n_cases: int,
    codes: Sequence[IntArray],
    query_codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    own: IdArray,
    mask: NDArray[np.uint8] | None,
    k: int,
    ignore: bool,
    threads: int,
) -> tuple[IdArray, FloatArray]:
    """The same for many queries, each without its own case: shape (queries, k), -1 and 0 where there are fewer."""
