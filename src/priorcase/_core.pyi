"""The compiled core of priorcase: exact search over mixed columns, counts, moments and sums over trees."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray

def set_interrupt_check(check: Callable[[], object]) -> None:
    """Set a function that long calls run every 50 ms on the calling thread; an exception it raises ends the call."""

def cpu_paths() -> list[str]:
    """Names of the code paths this CPU can run, slowest first."""

def cpu_path() -> str:
    """Name of the code path in use."""

def use_cpu_path(name: str) -> None:
    """Switch to another code path; all paths give the same results."""

def code_counts(codes: IntArray, n: int) -> IdArray:
    """Number of rows with each code from 0 to n - 1."""

def are_cells(numbers: FloatArray, levels: int, may_miss: bool) -> bool:
    """Whether all numbers are finite, or missing if may_miss; with levels > 0, also integers from 0 to levels - 1."""

def factorise(items: NDArray[np.uint8]) -> tuple[NDArray[np.int32], IdArray]:
    """Codes of items (rows of bytes), numbered by first occurrence, and the row in which each code first occurs."""

def recode(codes: IntArray, table: NDArray[np.int32], out: IntArray) -> None:
    """Write the table's entry for each code to out; -1 for codes outside the table."""

def count_values(
    columns: Sequence[AnyArray],
    cuts: Sequence[FloatArray | None],
    classes: IntArray,
    starts: IdArray,
    totals: IdArray,
    sign: int,
    threads: int,
) -> None:
    """Add the counts of each value in each class, times sign, to the totals, slots by classes."""

def normalise_rows(joint: FloatArray, scale: int, threads: int) -> FloatArray:
    """Convert joint log-probabilities of the classes to probabilities or log-probabilities."""

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

class StoredTexts:
    """TF-IDF vectors of stored texts, with the texts that have each token.

    Each part (words, characters) has the starts of the texts, their ascending tokens, the weights of the tokens
    and the size of the vocabulary. The vectors are scaled to length 1.

    For parts with many tokens per word, ``words`` has the starts of the texts and the words of each, as often as it has
    them, and the starts of the words, their tokens, and numbers of occurrences times idf. They give bounds of cosines.
    """

    def __init__(
        self,
        parts: Sequence[tuple[IdArray, Any, FloatArray, int]],
        n_codes: int,
        words: Sequence[tuple[IdArray, Any, IdArray, Any, FloatArray] | None],
    ) -> None: ...
    def among(self, codes: IdArray) -> StoredTexts:
        """Return the same texts, with lists by token of only those that have the given codes, ascending."""
    def differences(self, parts: Sequence[tuple[IdArray, Any, FloatArray, int]], n: int) -> FloatArray:
        """1 minus the mean cosine between ``n`` texts and all texts that are listed, shape (n, texts)."""
    def differences_among(self, codes: IdArray) -> FloatArray:
        """The same between the stored texts with the given codes, shape (codes, codes)."""

class Plan:
    """How two rows differ: one difference per attribute, a power, and a rule for missing values."""

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
        """Set ``f`` for each pair of values: a row for each query value, a column for each stored value.

        ``rows`` and ``columns`` are labels in ascending order: the cells of queries, and the stored numbers. Without
        labels, cells are indices. Without ``rows`` the matrix must be square.
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
        """Like ``table``, but ``row_of`` is called to get the row of a query's cell when it is needed."""
    def texts(
        self,
        a: int,
        stored: StoredTexts,
        labels: FloatArray,
        unseen: Sequence[tuple[IdArray, Any, FloatArray, int]],
        *,
        f_one: float = 1.0,
        f_both: float = 1.0,
        f_unseen: float = 1.0,
    ) -> None:
        """``d`` is the difference between texts; the cells of queries are codes, or labels of ``unseen`` texts."""
    def differences(self, query: FloatArray, rows: FloatArray) -> FloatArray:
        """``d ** power`` of each attribute between the query and each row, shape (rows, attributes)."""

class Index:
    """An index of stored rows, with exact search."""

    @overload
    def __init__(self, coded: NDArray[np.uint8]) -> None: ...
    @overload
    def __init__(self, coded: NDArray[np.uint8], parts: dict[str, AnyArray], threads: int) -> None: ...
    def fork(self) -> Index:
        """An index of the same rows, which shares memory with this one but can be changed by itself."""

    def parts(self, plan: Plan | None = None, threads: int = 1) -> dict[str, AnyArray]:
        """The arrays from which the index can be made again, in order if there is a plan. The large ones are read-only.
        They share the memory of the index unless it also stores other rows or traces of removed ones."""

    def __len__(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def append(self, ids: IdArray, rows: FloatArray, threads: int = 1) -> None: ...
    def remove(self, ids: IdArray) -> None: ...
    def holds(self, ids: IdArray) -> NDArray[np.uint8]: ...
    def torn_by_fork(self) -> bool:
        """In a forked child, free the locks; return whether another thread was changing the rows at the fork."""

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
    """The log of the sum, over all spanning trees, of the product of their edge weights."""

def edge_shares(log_weights: FloatArray, nodes: int) -> FloatArray:
    """For each edge, the share of the sum over all spanning trees that comes from trees with this edge."""

def largest_tree(log_weights: FloatArray, nodes: int) -> IdArray:
    """The parent of each node in the tree with the largest product of edge weights; -1 for node 0, the root."""

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
    """Add the counts of classes, values and pairs of values, times sign, to the tables."""

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
    """ln P(class, query | rows) of each query and class, under a family of structures."""

def whole_ranks(numbers: FloatArray, most: int) -> tuple[float, int, NDArray[np.int32]] | None:
    """The smallest number, the size of the range, and the difference of each number from the smallest.

    The size is largest - smallest + 1. The difference is -1 for a missing value. None if the numbers are not all
    integers, or the size exceeds ``most``.
    """

def bit_range(numbers: FloatArray) -> tuple[int, int]:
    """Exponents of the lowest and the highest bit of some numbers, ignoring zeros and missing values."""

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
    """Add rows, times sign, to the exact sums of w, w x and w x^2 in each class, for weights w and numbers x."""

class Concept:
    """A concept description that learns one instance at a time."""

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
    """Update all descriptions with the same rows, or none; the effects on each are appended to ``results``."""

def forget_together(concepts: Sequence[Concept], names: IdArray, results: list[Any]) -> None:
    """Remove rows from all descriptions, or from none; None is appended to ``results`` for each description."""

class Exemplars:
    """PEBLS exemplars: stored rows, numbered from 0, whose record of use increases the distance to unreliable ones."""

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
    """A condensed subset: rows are added if their nearest row in the subset has another class."""

    def __init__(
        self, plan: Plan, coded: NDArray[np.uint8], cells: FloatArray, weights: FloatArray, labels: IdArray
    ) -> None: ...
    def take_in(self, first: int, last: int, threads: int) -> int: ...
    def held(self) -> NDArray[np.uint8]: ...

class Reduced:
    """A reduced subset: members are removed if no row becomes misclassified by that."""

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
    """Iterative case filtering: rows are removed if more rows solve them than they solve."""

    def __init__(
        self, plan: Plan, coded: NDArray[np.uint8], cells: FloatArray, weights: FloatArray, labels: IdArray
    ) -> None: ...
    def count(self, rows: IdArray, threads: int) -> None: ...
    def filter(self) -> int: ...
    def held(self) -> NDArray[np.uint8]: ...

class Drop:
    """Decremental reduction: rows are removed if the rows that have them as neighbors lose no accuracy in total."""

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
    """The winning class for each query, -1 for a tie that the caller must break, and the number of such ties."""

def weighted_means(indptr: IdArray, numbers: FloatArray, votes: FloatArray) -> FloatArray:
    """For each query, the mean of its voters' numbers, weighted by their votes."""

class Stream:
    """A prequential run: each row is predicted from the rows before it, then stored."""

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
    """Class probabilities by naive Bayes fitted to the voters of each query."""

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
    """Class probabilities by logistic regression on the voters of each query, and whether each fit converged."""

def ridge_rows(triangle: FloatArray, block: FloatArray) -> FloatArray:
    """The upper triangular factor R of ``[triangle; block] = Q R``; on one thread."""

def ridge_spectrum(triangle: FloatArray, targets: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of a square matrix ``U S V'``: the singular values S, descending, ``V'``, and ``U' targets``; on one thread."""

def ridge_left_out(
    rows: FloatArray, means: FloatArray, right: FloatArray, weights: FloatArray, inverses: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Fitted values ``z weights'``, leverages ``z^2 inverses'``, with ``z = (rows - means) right'``; on one thread."""

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
    """Local regressions: at each query, minimize the sum of K (y - b0 - x'b)^2 over its voters, plus ridge^2 |b|^2.

    The columns x are deviations from the query in units of `scales`. For kinds 0 (numeric) and 1 (ordinal) they are
    ``x - q``, with degree 2 also the squares and products; for kind 2 (nominal), an indicator for each value among the
    voters of positive weight, except the query's value. A missing value in a row counts as the query's value. A missing
    value in a query excludes the attribute from that query's fit.

    The voters of query i are ``rows[indptr[i]:indptr[i + 1]]``, with `weights` K (kernel times repetitions).

    The dictionary always has ``predictions`` (q, T), NaN where no voter has weight. `want`, a sum of the following
    numbers, requests more entries:

    * 2: ``weight`` sum K, ``squares`` sum K^2, ``parameters`` p_LWR, ``trace`` sum K x'Cx, ``variance`` s's, ``rank``
      (with the intercept), all (q,); ``residuals`` sum K e^2 (q, T). Where no voter has weight, `variance` and
      `residuals` are NaN, the others 0. A row with r repetitions counts as r rows: K^2 / r and s^2 / r are summed.
    * 4: ``coefficients`` (q, T, slots) in the units of the table: a slope for each numeric or ordinal attribute; for a
      nominal attribute, a coefficient for each of its codes (`values` is their number), 0 for the query's own value and
      NaN for a value that no voter has.
    * 8: ``hat`` (m,): s of each voter, summed over its repetitions; a prediction is the sum of s times the targets.
    * 16: ``loo`` (q, T): sum K (e / (1 - leverage))^2 / sum K, the local mean square of leave-one-out residuals.

    With `own`, a row for each query (-1: none), and any of 2, 8 and 16: ``own`` (q,), the s of that row; 0 if it is not
    a voter, and NaN where no voter has weight.
    """

class Stretch:
    """Leave-one-out loss of attribute weights: rows predict each other's targets by soft votes ``exp(-cost)``.

    The targets are `labels`, classes from 0 with relative frequencies `shares`, or `numbers`. `times` is how often each
    row counts in the mean loss. `loss`: 0 is the log loss, 1 the share of wrong votes, 2 the squared error.
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
        """The mean loss of some rows, each predicted from all other rows, and its gradient in the weights.

        `votes` is how many rows each row stands for as a voter. The gradient is empty if `gradient` is False.
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
    """Attribute weights for each query, fitted to the rows listed for it, each counted as often as `counts` says.

    The shape is (queries, attributes).
    """

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
    """For each row, the sum of factor times difference over the rows listed for it; shape (rows, attributes)."""

class LeftOut:
    """Leave-one-out scores of all combinations of vote rules and numbers of neighbors."""

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
    """Concatenated texts as code points: text ``i`` is ``characters[offsets[i]:offsets[i + 1]]``."""

    def __init__(self, characters: NDArray[np.uint32], offsets: IdArray) -> None: ...
    def __len__(self) -> int: ...
    def edit_distances(self, asked: NDArray[np.uint32], threads: int) -> NDArray[np.int32]:
        """The least number of insertions, deletions and substitutions of characters between `asked` and each text."""

    def edit_similarities(self, asked: NDArray[np.uint32], threads: int) -> FloatArray:
        """``1 - distance / length of the longer text``; 1 if both texts are empty."""

class Postings:
    """An inverted index: the values with term t are ``holders[starts[t]:starts[t + 1]]``, with `weights`, or 1 each."""

    def __init__(
        self, starts: IdArray, holders: NDArray[np.int32], weights: FloatArray | None, n_values: int
    ) -> None: ...
    def sums(self, terms: IdArray, term_weights: FloatArray) -> FloatArray:
        """For each value, the sum of ``term_weights`` times the terms' weights in it, added in the given order."""

    def set_similarities(self, terms: Sequence[int], asked: int, measure: int) -> FloatArray:
        """Similarity of each value, a set of terms, to a set of ``asked`` members.

        ``terms`` are the members that are terms of the index. ``measure``: 0 Jaccard, 1 Dice, 2 containment, 3 overlap.
        """

class CodedColumn:
    """The code of each case in one column, negative for a missing value. The array must not be modified later.

    ``numbers``: the number that each code stands for, if the values are numbers. ``earlier``: the same column when it
    had fewer cases; saves work, and does not change results.
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
    """Similarity ``max(0, 1 - difference / length)`` of each of the points to ``point``.

    ``side``: 0 counts all differences, 1 only those of larger points, 2 only those of smaller points.
    """

class CaseValues:
    """The codes and values of all columns; the arrays must not be modified later."""

    def __init__(self, codes: Sequence[IntArray], values: Sequence[tuple[Any, ...]]) -> None: ...
    def at(self, positions: IdArray) -> list[list[Any]]:
        """For each column, the values of the cases at the given positions; None for a missing value."""

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
    """The k most similar cases: their positions, weighted mean similarities, and similarities in each attribute.

    The last have shape (cases, attributes), and are NaN where a case has no value.
    """

def all_similarities(
    n_cases: int,
    codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    ignore: bool,
    threads: int,
) -> FloatArray:
    """The weighted mean similarity of each case."""

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
    """Positions and similarities of the k most similar cases for each query, except its own case; shape (queries, k).

    Where there are fewer than k cases, positions are -1 and similarities 0.
    """
