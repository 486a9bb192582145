"""A network: centres, widths, and the weights of the output layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.learning.progress import Advance, bar
from priorcase.learning.sorted_rows import SortedRows
from priorcase.local.rbf.blas import one_thread
from priorcase.local.rbf.centers import CenterKind, find_centers, how_many
from priorcase.local.rbf.curve import Criterion, RidgeCurve
from priorcase.local.rbf.kmeans import MAX_ITER, parts
from priorcase.local.rbf.measuring import Centers, gaussian
from priorcase.local.rbf.output_layer import Spectrum, Triangle
from priorcase.local.rbf.widths import WidthRule, candidates

_MANY = 1 << 24
_LEAST_DIVISOR = 1e-12


@dataclass(frozen=True, slots=True)
class Design:
    """What a network is to be like; the parameters of the estimators."""

    n_centers: int | Literal["auto"]
    centers: CenterKind
    width: WidthRule | float
    alpha: Criterion | float
    seed: int

    @property
    def criterion(self) -> Criterion:
        """What widths and penalties are chosen by."""
        return "loo" if self.alpha == "loo" else "gcv"


SILENT = 1e-6
"""Where all centres answer less than this a query is far from the network, and what it says is its intercept."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Centres, widths and weights: ``f(x) = b + sum_u w_u exp(-d^2(x, c_u) / (2 sigma_u^2))`` (Mitchell 1997, eq. 8.8).

    Parameters
    ----------
    centers, widths
        The centres and the width of each.
    weights, intercept
        Weights of the centres, shape (centres, targets), and the intercept of each target.
    alpha
        The penalty they were found with.
    spectrum
        What the rows amount to.
    curve
        What else was tried.
    """

    centers: Centers
    widths: FloatArray
    weights: FloatArray
    intercept: FloatArray
    alpha: float
    spectrum: Spectrum
    curve: RidgeCurve

    def activations(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """How strongly each centre answers each row, shape (rows, centres)."""
        return gaussian(self.centers.squares(cells, threads=threads), self.widths)

    def outputs(self, cells: FloatArray, *, threads: int = 1) -> tuple[FloatArray, BoolArray]:
        """What the network says of each row, shape (rows, targets), and the rows of which no centre says anything."""
        result, silent = np.empty((len(cells), self.intercept.size)), np.empty(len(cells), dtype=bool)
        for part in parts(len(cells), len(self.centers)):
            answers = np.ascontiguousarray(self.activations(cells[part], threads=threads).T)
            silent[part] = answers.max(axis=0) < SILENT
            for t, intercept in enumerate(self.intercept.tolist()):
                # One centre after the other: a product of matrices adds up a row alone and in a batch differently.
                total = np.full(answers.shape[1], intercept)
                for answer, weight in zip(answers, self.weights[:, t].tolist(), strict=True):
                    total += weight * answer
                result[part, t] = total
        return result, silent

    def left_out(self, rows: SortedRows, *, threads: int = 1, whole: bool = False) -> FloatArray:
        """Residual of each row when it is left out and the weights are found without it, shape (rows, targets)."""
        result, alphas = np.empty_like(rows.targets), np.array([self.alpha])
        for part in parts(len(rows), len(self.centers)):
            phi = self.activations(rows.cells[part], threads=threads)
            with one_thread():
                found = self.spectrum.left_out(phi, rows.targets[part], rows.weights[part], alphas, whole=whole)
            result[part] = _divided(*found)[0]
        return result


def learn(
    rows: SortedRows, strata: Callable[[int], IntArray], like: Centers, design: Design, *, threads: int
) -> Network:
    """The network of some rows.

    Parameters
    ----------
    rows
        All rows, sorted.
    strata
        Classes, or groups of like targets, of the rows, given how many centres are asked for.
    like
        Any centres, for the distance.
    design
        What it is to be like.
    threads
        How many threads measure distances.
    owner
        Whose network it is, for messages.
    """
    count = how_many(design.n_centers, design.centers, rows.distinct())
    passes = 1 + (design.criterion == "loo")
    steps = MAX_ITER + 2 + passes * sum(1 for _ in _blocks(len(rows), count))
    with bar(steps, shown=len(rows) * count >= _MANY, text="network") as advance:
        groups = strata(count) if design.centers == "stratified" else np.zeros(len(rows), np.int64)
        centers, mixture = find_centers(
            design.centers, count, rows, groups, like, seed=design.seed, threads=threads, advance=advance
        )
        widths = candidates(design.width, centers, rows, mixture, threads=threads)
        advance("widths")
        spectra = _spectra(rows, centers, widths, threads, advance)
        alphas = [s.penalties() if isinstance(design.alpha, str) else np.array([design.alpha]) for s in spectra]
        if design.criterion == "gcv":
            scores = [np.array([s.gcv(a) for a in ladder.tolist()]) for s, ladder in zip(spectra, alphas, strict=True)]
        else:
            scores = _left_out_scores(rows, centers, widths, spectra, alphas, threads, advance)
    if design.alpha == 0.0 and len(widths) > 1:
        # Bumps so wide that float64 cannot tell them apart pass through nothing, however good it looks.
        scores = [np.where(s.dependent, np.inf, score) for s, score in zip(spectra, scores, strict=True)]
    return _best(centers, widths, spectra, alphas, scores, design.criterion)


def _best(
    centers: Centers,
    widths: Sequence[FloatArray],
    spectra: Sequence[Spectrum],
    alphas: Sequence[FloatArray],
    scores: Sequence[FloatArray],
    criterion: Criterion,
) -> Network:
    """The width and penalty with the lowest score."""
    of = np.repeat(np.arange(len(widths)), [ladder.size for ladder in alphas])
    tried, found = np.concatenate(alphas), np.concatenate(scores)
    chosen = int(found.argmin())
    spectrum, alpha = spectra[int(of[chosen])], float(tried[chosen])
    curve = RidgeCurve(
        criterion=criterion,
        widths=np.array([widths[i].mean() for i in of.tolist()]),
        alphas=tried,
        freedom=np.array([spectra[i].freedom(a) for i, a in zip(of.tolist(), tried.tolist(), strict=True)]),
        scores=found,
        chosen=chosen,
    )
    with one_thread():
        weights = spectrum.weights(alpha)
        intercept = spectrum.intercept(weights)
    return Network(centers, widths[int(of[chosen])], weights, intercept, alpha, spectrum, curve)


def _spectra(
    rows: SortedRows, centers: Centers, widths: Sequence[FloatArray], threads: int, advance: Advance
) -> list[Spectrum]:
    """What the rows amount to with each of some widths, in one pass."""
    triangles = [Triangle(len(centers), rows.targets.shape[1]) for _ in widths]
    for part in _blocks(len(rows), len(centers)):
        squares = centers.squares(rows.cells[part], threads=threads)
        with one_thread():
            for triangle, width in zip(triangles, widths, strict=True):
                triangle.add(gaussian(squares, width), rows.targets[part], rows.weights[part])
        advance("output layer")
    with one_thread():
        return [triangle.spectrum() for triangle in triangles]


def _left_out_scores(
    rows: SortedRows,
    centers: Centers,
    widths: Sequence[FloatArray],
    spectra: Sequence[Spectrum],
    alphas: Sequence[FloatArray],
    threads: int,
    advance: Advance,
) -> list[FloatArray]:
    """Mean squared error of rows left out, for each width and penalty, in one pass."""
    totals = [np.zeros(ladder.size) for ladder in alphas]
    for part in _blocks(len(rows), len(centers)):
        squares, weights = centers.squares(rows.cells[part], threads=threads), rows.weights[part]
        with one_thread():
            for total, width, spectrum, ladder in zip(totals, widths, spectra, alphas, strict=True):
                errors = _divided(*spectrum.left_out(gaussian(squares, width), rows.targets[part], weights, ladder))
                total += ((errors * errors).sum(axis=2) * weights).sum(axis=1)
        advance("leaving out")
    return [total / spectra[0].total for total in totals]


def _divided(residuals: FloatArray, divisors: FloatArray) -> FloatArray:
    """Residuals of rows left out; infinite where nothing but the row itself tells of its target."""
    found = np.full(residuals.shape, np.inf)
    np.divide(residuals, divisors[..., None], out=found, where=divisors[..., None] > _LEAST_DIVISOR)
    return found


def _blocks(n: int, centers: int) -> list[slice]:
    """Blocks of rows, each no smaller than what is kept of the rows before."""
    size = max(2_048, 2 * centers)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
