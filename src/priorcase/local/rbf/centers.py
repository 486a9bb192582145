"""Centers of RBF networks, found by k-means or EM or drawn from the rows, and the widths of the centers.

Centers are not always stored rows, because their numeric values can be means. All distances are computed with the
fitted distance of the estimator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from priorcase._locks import cached_property
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.mixture.columns import Cells, Layout, lay_out
from priorcase.bayes.mixture.em import Parameters, Search, responsibilities, select
from priorcase.exceptions import ParameterError, TooFewRowsError, TooLargeError
from priorcase.instances import Instances
from priorcase.learning.resampling import Advance
from priorcase.learning.sorted_rows import SortedRows
from priorcase.schema import Circular, Date, Nominal, Ordinal, Set, Text
from priorcase.schema.kinds import identity
from priorcase.search import Index
from priorcase.similarity import FittedDistance
from priorcase.similarity.computed import Computation

CenterKind: TypeAlias = Literal["kmeans", "em", "random", "stratified", "all"]
WidthRule: TypeAlias = Literal["auto", "common", "neighbors", "em"]
Criterion: TypeAlias = Literal["gcv", "loo"]
Strata: TypeAlias = Callable[[int], IntArray]  # groups of the rows, given the number of centers
MAX_CENTERS = 4_000  # a matrix of this size is decomposed
KMEANS_ITERATIONS = 10  # the output layer compensates for centers that have not fully converged
_KMEANS_ROWS = 10_000  # for larger tables, this many evenly spaced sorted rows are clustered
_ENTRIES = 1 << 21
_CANDIDATES = 50  # values of a cluster that may become its center
_MIDDLES = (Circular, Date, Set, Text)  # columns that a mixture splits into parts or words


class Design(NamedTuple):
    """Parameters for fitting a network."""

    n_centers: int | Literal["auto"]
    centers: CenterKind
    width: WidthRule | float
    alpha: Criterion | float
    seed: int


@dataclass(frozen=True, eq=False)
class Centers:
    """Encoded centers, shape (centers, attributes), with methods for the distances of rows from the centers."""

    instances: Instances
    fitted: FittedDistance
    attribute_weights: FloatArray | None
    cells: FloatArray

    def __len__(self) -> int:
        return len(self.cells)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_index", "_among_centers")}

    def at(self, cells: FloatArray) -> Centers:
        """Return centers with other values, but with the same stored rows and distance."""
        return replace(self, cells=np.ascontiguousarray(cells))

    def distances(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """Return the distance of each row from each center, shape (rows, centers)."""
        ids, weights = np.arange(len(self)), self.attribute_weights
        fitted = self._among_centers
        return fitted.finish(self._index.costs(fitted, cells, weights=weights, ids=ids, threads=threads))

    def squares(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """Return squared distances, which are infinite if the squares overflow."""
        distances = self.distances(cells, threads=threads)
        with np.errstate(over="ignore"):
            return distances * distances

    @cached_property
    def _among_centers(self) -> FittedDistance:
        """The distance, prepared for comparing rows with the centers only."""
        terms = list(self.fitted.terms)
        for a, term in enumerate(terms):
            if isinstance(term, Computation) and term.numbers is None:
                codes = self.cells[:, a]
                terms[a] = term.among(codes[~np.isnan(codes)].astype(np.int64))
        return replace(self.fitted, terms=tuple(terms))

    @cached_property
    def _index(self) -> Index:
        for a, term in enumerate(self.fitted.terms):
            if isinstance(term, Computation) and not term.answers_stored(self.cells[:, a]):
                raise ParameterError(
                    f"{term.label} is compared by {term.difference!r}, which compares stored rows only. "
                    "Use centers='random', 'stratified' or 'all'."
                )
        index = Index(self.instances, self._among_centers, np.empty(0, np.int64))
        index.take(np.arange(len(self)), self.cells)
        return index


def gaussian(squares: FloatArray, widths: FloatArray | float) -> FloatArray:
    """Return the activations ``exp(-d^2 / (2 sigma^2))`` for squared distances (Mitchell 1997, eq. 8.9)."""
    with np.errstate(over="ignore"):
        scaled: FloatArray = squares / widths
        scaled /= widths  # not by the square, which may underflow
    scaled *= -0.5
    return np.exp(scaled, out=scaled)


def row_blocks(n: int, width: int) -> Iterator[slice]:
    """Yield slices of ``n`` rows that are small enough to keep ``width`` numbers per row in memory."""
    size = max(1, _ENTRIES // max(width, 1))
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


# -- centers


def center_count(asked: int | Literal["auto"], kind: CenterKind, rows: SortedRows) -> int:
    """Return the number of centers; ``asked`` is the parameter ``n_centers``, and all ``rows`` are distinct."""
    available = len(rows)
    if kind == "all":
        count = available
    elif asked == "auto":
        root = math.isqrt(int(min(max(float(rows.weights.sum()), available), 1e9)))
        count = min(available, max(100, min(4 * root, 200)))
    else:
        count = asked
    if count > available:
        raise TooFewRowsError(
            f"n_centers must be at most {available}, the number of distinct rows (n_samples = {available}), got "
            f"{count}. Use fewer centers, or 'auto'."
        )
    if count > MAX_CENTERS:
        raise TooLargeError(
            f"{count} centers are more than the maximum of {MAX_CENTERS}. Use centers='kmeans' or 'random' with "
            "n_centers in the hundreds, which is much faster and usually about as accurate."
        )
    return count


def find_centers(
    design: Design, count: int, rows: SortedRows, strata: Strata, like: Centers, threads: int, advance: Advance
) -> tuple[Centers, Mixture | None]:
    """Find at most ``count`` centers; return them with their mixture (None if they are not found by EM)."""
    kind, seed = design.centers, design.seed
    distinct = rows.distinct()
    if kind == "em" and len(distinct) > 1:
        mixture = Mixture.fit(rows, count, seed=seed, threads=threads)
        return like.at(mixture.cells(like.fitted)), mixture
    if kind == "kmeans" and count < len(distinct):
        cells = _kmeans(distinct, count, like, seed, threads, advance)
    elif kind in ("random", "stratified") and count < len(distinct):
        groups = strata(count) if kind == "stratified" else np.zeros(len(rows), np.int64)
        cells = _stratified(rows, groups, count, np.random.default_rng(seed))
    else:
        cells = distinct.cells
    # Distinct centers, in order.
    _, first = np.unique(np.where(np.isnan(cells), np.inf, cells + 0.0), axis=0, return_index=True)
    return like.at(cells[np.sort(first)]), None


def _kmeans(rows: SortedRows, count: int, like: Centers, seed: int, threads: int, advance: Advance) -> FloatArray:
    """Return the values of at most ``count`` k-means centers."""
    if len(rows) > _KMEANS_ROWS:
        rows = rows.take(np.linspace(0, len(rows) - 1, _KMEANS_ROWS).astype(np.int64))
    centers = _kmeans_start(rows, count, like, np.random.default_rng(seed), threads)
    advance("k-means")
    owners = np.full(len(rows), -1)
    for _ in range(KMEANS_ITERATIONS):
        current, nearest = like.at(centers), np.empty(len(rows), np.int64)
        for part in row_blocks(len(rows), len(centers)):
            nearest[part] = current.distances(rows.cells[part], threads=threads).argmin(axis=1)
        if np.array_equal(nearest, owners):
            break
        owners = nearest
        centers = _middles(rows, owners, centers, like.fitted)
        advance("k-means")
    return centers


def _kmeans_start(rows: SortedRows, count: int, like: Centers, rng: np.random.Generator, threads: int) -> FloatArray:
    """Draw initial centers by k-means++, taking row weights into account."""
    chosen, everything = list[int](), like.at(rows.cells)
    nearest, chances = np.full(len(rows), np.inf), rows.weights
    while len(chosen) < count:
        bounds = np.cumsum(chances)
        row = min(int(np.searchsorted(bounds, rng.random() * bounds[-1], side="right")), len(rows) - 1)
        chosen.append(row)
        squares = everything.squares(rows.cells[row : row + 1], threads=threads)[0]
        np.minimum(nearest, squares, out=nearest)
        nearest[row] = 0.0  # with missing values the distance of a row from itself may be positive
        finite = np.isfinite(nearest)
        # Rows infinitely far from all centers come first.
        scaled = np.where(finite, nearest / (float(nearest.max()) or 1.0), 0.0) if finite.all() else ~finite
        chances = rows.weights * scaled
        if not chances.any():  # every row is at a center
            break
    return rows.cells[chosen]


def _middles(rows: SortedRows, owners: IntArray, before: FloatArray, fitted: FittedDistance) -> FloatArray:
    """Return the new center of each cluster; an empty cluster keeps its center from ``before``."""
    centers = before.copy()
    filled = np.bincount(owners, minlength=len(before)) > 0
    for a, (kind, term) in enumerate(zip(rows.instances.schema.kinds, fitted.terms, strict=True)):
        known = ~np.isnan(rows.cells[:, a])
        column, of, weights = rows.cells[known, a], owners[known], rows.weights[known]
        given = column, of, weights, len(before)
        if not column.size:
            middle = np.full(len(before), np.nan)
        elif isinstance(kind, Nominal):
            codes, ranks = column.astype(np.int64), rows.value_ranks[a]
            middle = (
                _medoids(term, codes, *given[1:], ranks)
                if isinstance(term, Computation)
                else _modes(codes, *given[1:], ranks)
            )
        elif isinstance(kind, Circular):
            middle = _circular_means(*given, kind.period)
        else:
            middle = (_medians if isinstance(kind, Ordinal) else _means)(*given)
        centers[filled, a] = middle[filled]
    return centers


def _circular_means(column: FloatArray, of: IntArray, weights: FloatArray, count: int, period: float) -> FloatArray:
    """Return the circular mean of each cluster, from 0 to the period."""
    angles = column % period * (2.0 * np.pi / period)
    across = np.bincount(of, weights * np.cos(angles), minlength=count)
    up = np.bincount(of, weights * np.sin(angles), minlength=count)
    found = np.arctan2(up, across) / (2.0 * np.pi) * period % period
    return np.where(np.bincount(of, minlength=count) > 0, found, np.nan)


def _means(column: FloatArray, of: IntArray, weights: FloatArray, count: int) -> FloatArray:
    """Return the mean of each cluster; to avoid overflow, the column is centered and scaled before summation."""
    low, high = float(column.min()), float(column.max())
    center, unit = low / 2 + high / 2, (high / 2 - low / 2) or 1.0
    total = np.bincount(of, weights, minlength=count)
    sums = np.bincount(of, weights * ((column - center) / unit), minlength=count)
    with np.errstate(invalid="ignore"):
        return np.clip(center + sums / total * unit, low, high)


def _medians(column: FloatArray, of: IntArray, weights: FloatArray, count: int) -> FloatArray:
    """Return the weighted lower median of each cluster."""
    result = np.full(count, np.nan)
    order = np.lexsort((column, of))
    of, column = of[order], column[order]
    reached = np.cumsum(weights[order])
    first = np.flatnonzero(np.diff(of, prepend=-1))
    before = np.concatenate(([0.0], reached))[first]
    last = np.append(first[1:], of.size) - 1
    middle = np.searchsorted(reached, (before + reached[last]) / 2)
    result[of[first]] = column[np.clip(middle, first, last)]
    return result


def _modes(column: IntArray, of: IntArray, weights: FloatArray, count: int, ranks: IntArray) -> FloatArray:
    by_rank = np.argsort(ranks)
    counts = np.bincount(of * ranks.size + ranks[column], weights, minlength=count * ranks.size)
    counts = counts.reshape(count, ranks.size)
    return np.where(counts.any(axis=1), by_rank[counts.argmax(axis=1)].astype(np.float64), np.nan)


def _medoids(
    term: Computation, column: IntArray, of: IntArray, weights: FloatArray, count: int, ranks: IntArray
) -> FloatArray:
    """Return the medoid of the most frequent values of each cluster."""
    by_rank, found = np.argsort(ranks), np.full(count, np.nan)
    for cluster in np.unique(of).tolist():
        here = of == cluster
        held = np.bincount(ranks[column[here]], weights[here], minlength=ranks.size)
        frequent = np.sort(np.argsort(-held, kind="stable")[: min(_CANDIDATES, np.count_nonzero(held))])
        codes = by_rank[frequent]
        differences = term.between_pairs(codes) @ held[frequent]
        found[cluster] = codes[int(differences.argmin())]
    return found


def _stratified(rows: SortedRows, strata: IntArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Draw distinct rows from strata in proportion to the weights of the strata, at least one row from each."""
    members = [rows.take(np.flatnonzero(strata == stratum)).distinct() for stratum in np.unique(strata)]
    weights, sizes = np.array([float(m.weights.sum()) for m in members]), np.array([len(m) for m in members])
    quotas, drawn = np.minimum(sizes, 1), []
    while quotas.sum() < count and (quotas < sizes).any():
        # One by one to the stratum farthest below its share.
        short = np.where(quotas < sizes, weights / weights.sum() * count - quotas, -np.inf)
        quotas[int(short.argmax())] += 1
    for member, quota in zip(members, quotas.tolist(), strict=True):
        # Drawn without replacement, heavier rows more likely: the largest ln(u) / w (Efraimidis & Spirakis 2006).
        keys = np.log1p(-rng.random(len(member))) / member.weights
        drawn.append(member.cells[np.sort(np.argsort(-keys, kind="stable")[:quota])])
    return np.concatenate(drawn)


def quantile_groups(targets: FloatArray, weights: FloatArray, groups: int) -> IntArray:
    """Divide rows into ranges of the first target with about equal total weight; return the group of each row."""
    of = np.unique(targets[:, 0], return_inverse=True)[1]
    heavy = np.bincount(of, weights)
    before = np.cumsum(heavy) - heavy
    return np.asarray(np.floor(before / float(heavy.sum()) * groups).astype(np.int64)[of])


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Mixture fitted to the inputs by EM (Mitchell 1997, section 8.4), whose components become centers."""

    layout: Layout
    parameters: Parameters
    rows: SortedRows

    @classmethod
    def fit(cls, rows: SortedRows, count: int, *, seed: int, threads: int) -> Mixture:
        """Fit a mixture of ``count`` components to the rows.

        The rows are encoded again, because their current codes may include values of removed rows.
        """
        instances = Instances(rows.instances.schema)
        instances.append(instances.schema.read(rows.instances.decode(rows.positions)), weights=rows.weights)
        layout, cells, _ = lay_out(instances)
        search = Search(weight=1.0, n_init=1, max_iter=100, tol=1e-5, seed=seed, threads=threads, progress=False)
        run, _ = select(layout, cells, [count], "cheeseman_stutz", search)
        return cls(layout, run.parameters.sorted(), rows)

    def cells(self, fitted: FittedDistance) -> FloatArray:
        """Return one encoded center for each component.

        The center consists of the means of numbers, and the most probable nominal values and ordinal levels. For dates,
        circular numbers, texts and sets, the k-means center of the rows assigned to the component is used. If no row is
        assigned to the component, the value in its most probable row is used.
        """
        layout, rows, parameters = self.layout, self.rows, self.parameters
        kinds, values = rows.instances.schema.kinds, rows.instances.values
        if any(isinstance(kind, _MIDDLES) for kind in kinds):
            shares = responsibilities(parameters, self._encoded())[0]
            cells = _middles(rows, shares.argmax(axis=0), rows.cells[shares.argmax(axis=1)], fitted)
        else:
            cells = np.full((len(parameters), len(kinds)), np.nan)
        for column, kind in enumerate(kinds):
            a = layout.attributes_of(column)[0]
            if isinstance(kind, _MIDDLES):
                continue
            if a in layout.numeric:
                j = layout.numeric.index(a)
                cells[:, column] = layout.scales[j].original(parameters.means[j])
            elif a in layout.constant:
                cells[:, column] = np.nan if layout.constant[a] is None else layout.constant[a]
            elif layout.values[j := layout.discrete.index(a)]:
                codes = {identity(value): code for code, value in enumerate(values(column))}
                best = parameters.tables[j][:, :-2].argmax(axis=1).tolist()
                cells[:, column] = [codes[identity(layout.values[j][i])] for i in best]
        return cells

    def _encoded(self) -> Cells:
        """Return the rows in the format of the mixture."""
        rows, reader = self.rows, self.layout.table_reader
        table = reader.schema.read(rows.instances.decode(rows.positions))
        return self.layout.encode(self.layout.matrix(table), None, rows.weights)

    def widths(self, centers: Centers, *, threads: int) -> FloatArray:
        """Return the width of each component: the root mean square distance of its rows from its center, per attribute.

        The squared width is ``sigma_u^2 = sum_i r_iu d^2(x_i, c_u) / (A sum_i r_iu)``, where ``r_iu`` is the
        responsibility of component u for row i and A is the number of attributes. If all columns are numeric, this is
        the mean of their variances in the component, in units of the distance. The width is 0 if all rows are at the
        center.
        """
        total, reached, rows = np.zeros(len(centers)), np.zeros(len(centers)), self.rows
        encoded = self._encoded()
        for part in encoded.blocks(len(centers)):
            shares = responsibilities(self.parameters, encoded.take(part))[0].T * encoded.weights[part, None]
            squares = centers.squares(rows.cells[part], threads=threads)
            known = np.isfinite(squares)
            total += (shares * np.where(known, squares, 0.0)).sum(axis=0)
            reached += (shares * known).sum(axis=0)
        attributes = len(rows.instances.schema)
        return np.sqrt(np.divide(total, attributes * reached, out=np.zeros(len(centers)), where=reached > 0))


# -- widths

# Candidate widths of "auto", in units of the root mean square distance of rows from centers. The mean of the widths by
# "neighbors" is added: with few columns, centers are close together, and only narrow functions can follow targets that
# differ between adjacent centers.
_WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)


def candidate_widths(
    rule: WidthRule | float, centers: Centers, rows: SortedRows, mixture: Mixture | None, *, threads: int
) -> list[FloatArray]:
    """Return candidate widths, narrowest first; each candidate has a width for every center."""
    count = len(centers)
    if not isinstance(rule, str):
        return [np.full(count, float(rule))]
    between = centers.distances(centers.cells, threads=threads)
    np.fill_diagonal(between, np.nan)  # with missing values the distance of a center from itself may be positive
    # d_max / sqrt(2 k) for k centers with d_max the largest distance between two of them; 1 if that is 0.
    common = float(between[np.isfinite(between)].max(initial=0.0)) / math.sqrt(2.0 * count) or 1.0
    if rule == "auto":
        unit, near = _typical_distance(centers, rows, threads=threads), _neighbor_widths(between)
        near = near[np.isfinite(near) & (near > 0)]
        ladder = {factor * unit for factor in _WIDTHS} | set(near.mean(keepdims=True).tolist() if near.size else ())
        return [np.full(count, width) for width in sorted(ladder)]
    if rule == "common":
        return [np.full(count, common)]
    if rule == "em":
        widths = np.zeros(count) if mixture is None else mixture.widths(centers, threads=threads)
    else:
        widths = _neighbor_widths(between)
    return [np.where(np.isfinite(widths) & (widths > 0), widths, common)]


def _neighbor_widths(between: FloatArray) -> FloatArray:
    """Return the mean distance of each center from its two nearest centers (Moody & Darken 1989)."""
    nearest = np.sort(between, axis=1)[:, : min(2, len(between) - 1)]  # NaN comes last
    return np.asarray(nearest.sum(axis=1) / max(nearest.shape[1], 1))


def _typical_distance(centers: Centers, rows: SortedRows, *, threads: int) -> float:
    """Return the root mean square of the finite distances between rows and centers, or 1 if all are 0."""
    total = reached = largest = 0.0
    for part in row_blocks(len(rows), len(centers)):
        distances = centers.distances(rows.cells[part], threads=threads)
        finite = np.isfinite(distances)
        biggest = float(np.where(finite, distances, 0.0).max(initial=0.0))
        if biggest > largest:  # relative to the largest, whose square may overflow
            total, largest = total * (largest / biggest) ** 2, biggest
        relative = np.where(finite, distances, 0.0) / (largest or 1.0)
        total += float((rows.weights[part] * (relative * relative).sum(axis=1)).sum())
        reached += float((rows.weights[part] * finite.sum(axis=1)).sum())
    return largest * math.sqrt(total / reached) if total else 1.0
