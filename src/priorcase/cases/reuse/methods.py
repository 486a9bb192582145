"""Reuse methods: copy, vote, mean, local regression and composition of retrieved solutions."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from scipy import stats
from sklearn.utils._param_validation import Interval

from priorcase._numbers import number
from priorcase._parameters import check_fields, choices_text
from priorcase._typing import AnyArray, Name
from priorcase.cases.checks import check_known
from priorcase.cases.kinds import CaseKind, check, kind_name, written
from priorcase.cases.reuse.proposal import Candidate, Proposal, Source, Spread, value_text
from priorcase.cases.reuse.sources import (
    HALF,
    SUCCESS,
    WEIGHTS,
    SourceCase,
    Sources,
    Success,
    Weights,
    called,
    degree,
    effective,
    weigh,
)
from priorcase.cases.table import number_of
from priorcase.exceptions import CaseBaseError, ParameterError, advice, listed, misspelt, named, quoted
from priorcase.local import LocallyWeightedRegressor
from priorcase.schema import Nominal, Numeric
from priorcase.schema.kinds import canonical, plain

_Share: TypeAlias = tuple[SourceCase, float]  # a case, and its share in the proposal
_Offer: TypeAlias = tuple[float, SourceCase]  # similarity in the attributes of a part, and a case that has the part

MethodName: TypeAlias = Literal["auto", "copy", "null", "vote", "mean", "local", "compose"]

_DIGITS = 12  # decimal places to which probabilities are compared
_ALONE = 1e-6  # an effective number of cases up to 1 + this counts as one case: there is no interval
_TOLD = 3
_SAME = 1e-9
_FITTED = ("numeric", "ordinal", "nominal", "date")
_NOTHING_IN_COMMON = "no retrieved case has anything in common with the query"
_POSITIVE = Interval(Real, 0, None, closed="left")
_LEVEL = Interval(Real, 0, 1, closed="neither")


@runtime_checkable
class Method(Protocol):
    """Protocol of the reuse methods, which propose a solution from retrieved cases."""

    name: ClassVar[str]
    adapts: ClassVar[bool]

    def propose(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        """Return a proposal from the retrieved cases."""


class _Base:
    """Base class of the methods: checks parameters and solutions, and proposes nothing if all similarities are 0."""

    name: ClassVar[str]
    adapts: ClassVar[bool] = True
    needs: ClassVar[str] = "one kind"
    _parameter_constraints: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        weights = getattr(self, "weights", None)
        if isinstance(weights, Mapping):
            raise ParameterError(
                f"weights must be 'similarity', 'uniform' or 'inverse_square', got {quoted(weights)}. These "
                "weights apply to cases; pass attribute weights to retrieve, and the result of retrieve to reuse."
            )
        check_fields(self)

    def propose(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        """Return a proposal from the retrieved cases."""
        kind = sources.of_one_kind() if self.needs else ""
        if self.needs in ("number", "mapping") and kind != self.needs:
            hint = "Use method='vote' for solutions of any type, method='compose' for mappings."
            if self.needs == "mapping":
                hint = "Store solutions as mappings from parts to values, or use method='copy'."
            raise CaseBaseError(
                f"got method={self.name!r} and {kind} solutions such as {quoted(sources.cases[0].solution)}; expected "
                f"{self.needs}s. {hint}"
            )
        if not any(case.similarity > 0 for case in sources.cases):
            how = _NOTHING_IN_COMMON[0].upper() + _NOTHING_IN_COMMON[1:]
            return Proposal(None, self.name, how, notes=(_NOTHING_IN_COMMON,))
        return self._proposed(sources, query)

    def _proposed(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        raise NotImplementedError

    def _degree(self, case: SourceCase) -> float:
        return degree(case.outcome, self.success, id=case.id)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Copy(_Base):
    """Propose the solution of the most similar case that did not fail.

    Copying is the first step of transformational adaptation: rules and critics can change the copy, and the differences
    between the query and the case are listed. Ties go to the case with the lower id. Nothing is proposed if all cases
    with a similarity above 0 failed.

    Parameters
    ----------
    success
        How outcomes are interpreted. With ``"outcome"``, outcomes are booleans or numbers from 0 to 1, and an outcome
        of 1/2 or less is a failure. If ``success`` is a function, it converts an outcome to such a value. None ignores
        outcomes. A missing outcome counts as 1.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     ages = [{"age": 1}, {"age": 2}, {"age": 9}]
    ...     _ = base.add_many(ages, solution=["oil", "swap", "look"], outcome=[False, True, True])
    ...     [base.reuse({"age": 1}, pc.cases.Copy(success)).solution for success in ("outcome", None)]
    ['swap', 'oil']
    """

    name: ClassVar[str] = "copy"
    needs: ClassVar[str] = ""
    _parameter_constraints: ClassVar[dict[str, Any]] = {"success": SUCCESS}

    success: Success = "outcome"

    def _proposed(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        similar = [case for case in sources.cases if case.similarity > 0]
        for failed, case in enumerate(similar):
            if self._degree(case) > HALF:
                which = "one that did not fail" if failed else "one"
                how = f"The solution of case {case.id}, the most similar {which}{'' if self.adapts else ', unchanged'}"
                of, notes = (_source(case, 1.0),), _failed(failed)
                return Proposal(case.solution, self.name, how, case.similarity, case.id, of, notes=notes)
        all_of = len(similar) == len(sources.cases)
        which = "retrieved cases" if all_of else "cases with anything in common with the query"
        return Proposal(None, self.name, f"All {which} failed", notes=_failed(len(similar)))


@dataclass(frozen=True)
class Null(Copy):
    """Propose the same solution as `Copy`, without adaptation (null adaptation, Kolodner 1993, chapter 11).

    Passing rules raises an error, and problems that critics find are reported but not repaired. Check the listed
    differences between the query and the case before you use the solution.
    """

    name: ClassVar[str] = "null"
    adapts: ClassVar[bool] = False


@dataclass(frozen=True)
class Vote(_Base):
    """Propose the solution with the most votes; each solution gets a probability.

    A case with weight ``w`` whose solution worked to the degree ``u`` counts ``w u`` for its solution and ``w (1 - u)``
    against it. A solution has ``v_s = max(0, sum w u - sum w (1 - u))`` votes and the probability ``(v_s + a) / (V + a
    (K + 1))``, where ``V`` is the total number of votes, ``K`` the number of distinct solutions and ``a`` the prior.
    The remaining probability, ``a / (V + a (K + 1))``, is the probability that none of these solutions is right. Ties
    go to the solution of the more similar case. Nothing is proposed if no solution has a vote, or if all similarities
    are 0.

    Parameters
    ----------
    weights
        ``"similarity"`` (the weight of a case is its similarity ``s``), ``"uniform"`` (1) or ``"inverse_square"`` (``1
        / (1 - s)^2``, scaled so that the most similar case has weight 1).
    prior
        The prior ``a`` of the formula: with 0, probabilities are shares of the votes; with 1 (Laplace), three of three
        votes give a probability of 4/5.
    success
        See `Copy`; with None, every case votes for its solution.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add_many([{"age": 1}, {"age": 2}, {"age": 3}], solution=["oil", "oil", "swap"])
    ...     found = base.retrieve({"age": 1}, k=2)
    ...     base.reuse(found, pc.cases.Vote("uniform", prior=1)).confidence
    0.75
    """

    name: ClassVar[str] = "vote"
    _parameter_constraints: ClassVar[dict[str, Any]] = {"weights": WEIGHTS, "prior": [_POSITIVE], "success": SUCCESS}

    weights: Weights = "similarity"
    prior: float = 0.0
    success: Success = "outcome"

    def _proposed(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        cases = sources.cases
        weights = weigh([case.similarity for case in cases], self.weights)
        degrees = [self._degree(case) for case in cases]
        solutions = [case.solution for case in cases]
        candidates, unseen = tally([case.id for case in cases], solutions, weights, degrees, self.prior)
        how = f"The vote of {len(cases):,} case{'s' * (len(cases) != 1)}, weights {self.weights!r}"
        how += f", prior {self.prior:g}" if self.prior else ""
        if not any(candidate.votes for candidate in candidates):
            doubt = "no solution has more votes for it than against it"
            return Proposal(None, self.name, f"{how}: {doubt}", candidates=candidates, unseen=unseen)
        winner = candidates[0]
        shares = [(case, w * u) for case, w, u in zip(cases, weights, degrees, strict=True) if case.id in winner.cases]
        total = math.fsum(share for _, share in shares)
        shares = [(case, share / total) for case, share in shares if share]
        base = shares[0][0]
        return Proposal(
            winner.solution, self.name, how, winner.probability, base.id, _ranked(shares), candidates, unseen
        )


def tally(
    ids: Sequence[int], solutions: Sequence[Any], weights: Sequence[float], degrees: Sequence[float], prior: float = 0.0
) -> tuple[tuple[Candidate, ...], float]:
    """Return the candidates of a vote, the most probable first, and the probability that no candidate is right."""
    voters: dict[str, list[int]] = {}
    for i, solution in enumerate(solutions):
        voters.setdefault(written(plain(solution)), []).append(i)  # 5 and 5.0 are one solution
    found = []
    for voting in voters.values():
        support = math.fsum(weights[i] * degrees[i] for i in voting)
        against = math.fsum(weights[i] * (1.0 - degrees[i]) for i in voting)
        found.append(Candidate(solutions[voting[0]], 0.0, support, against, tuple(ids[i] for i in voting)))
    unit = max(prior, 1.0)  # no overflow, however large the prior
    prior /= unit
    whole = math.fsum([*(candidate.votes / unit for candidate in found), prior * (len(found) + 1)])
    if not whole:
        return tuple(found), 0.0
    found = [replace(each, probability=(each.votes / unit + prior) / whole) for each in found]
    # Ignores rounding errors; the sort is stable, so on ties the solution of the more similar case comes first.
    found.sort(key=lambda candidate: -round(candidate.probability, _DIGITS))
    return tuple(found), prior / whole


class _Numbers(_Base):
    """Base class of the methods that propose a number and its spread."""

    needs: ClassVar[str] = "number"
    weights: Weights
    success: Success

    def _shares(self, sources: Sources) -> list[_Share]:
        """Return the cases with a weight above 0 and their weights, scaled to add up to 1."""
        weights = weigh([case.similarity for case in sources.cases], self.weights)
        raw = [w * self._degree(case) for case, w in zip(sources.cases, weights, strict=True)]
        total = math.fsum(raw)
        if not total:
            which = "the retrieved case has" if len(raw) == 1 else f"all {len(raw)} retrieved cases have"
            raise CaseBaseError(
                f"got method={self.name!r}, but {which} weight 0, since the similarity is 0 or the solution failed. "
                "Pass weights='uniform' and success=None to use every case."
            )
        return [(case, w / total) for case, w in zip(sources.cases, raw, strict=True) if w]

    def _number(
        self, value: float, how: str, spread: Spread | None, shares: Sequence[_Share], sources: Sources, *notes: str
    ) -> Proposal:
        n = len(sources.cases) - len(shares)
        left_out = (f"{n} {'case has' if n == 1 else 'cases have'} weight 0",) * bool(n)
        base, ranked = shares[0][0].id, _ranked(shares)
        return Proposal(value, self.name, how, base=base, sources=ranked, spread=spread, notes=(*left_out, *notes))


@dataclass(frozen=True)
class Mean(_Numbers):
    """Propose the weighted mean of numeric solutions, with a prediction interval.

    The mean of solutions ``y`` with weights ``w`` is ``m = sum w y / sum w`` (Mitchell 1997, eq. 8.4). With ``p = w /
    sum w`` and the effective number of cases ``n = 1 / sum p^2``, the deviation is ``sqrt(n / (n - 1) sum p (y -
    m)^2)``, and the prediction interval with coverage ``level`` is ``m +- t_(n-1) deviation sqrt(1 + 1/n)``. A case
    whose solution worked to the degree ``u`` has the weight ``u w``. There is no interval if only one case has a weight
    above 0. For ``weights`` and ``success`` see `Vote`.

    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add_many([{"age": 1}, {"age": 2}, {"age": 9}], solution=[900, 700, 50])
    ...     base.reuse({"age": 1.5}, pc.cases.Mean("uniform"), k=2).solution
    800.0
    """

    name: ClassVar[str] = "mean"
    _parameter_constraints: ClassVar[dict[str, Any]] = {"weights": WEIGHTS, "success": SUCCESS, "level": [_LEVEL]}

    weights: Weights = "similarity"
    success: Success = "outcome"
    level: float = 0.95

    def _proposed(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        shares = self._shares(sources)
        numbers, unit = _in_units(shares)
        pairs = [(share, number) for (_, share), number in zip(shares, numbers, strict=True)]
        n = effective([share for _, share in shares])
        mean = math.fsum(share * number for share, number in pairs)
        spread = None
        if n > 1 + _ALONE:
            sigma = math.sqrt(n / (n - 1) * math.fsum(share * (number - mean) ** 2 for share, number in pairs))
            half = float(stats.t.ppf((1 + self.level) / 2, n - 1)) * sigma * math.sqrt(1 + 1 / n) if sigma else 0.0
            interval = ((mean - half) * unit, (mean + half) * unit)
            spread = Spread(sigma * unit, sigma * math.sqrt(1 / n) * unit, interval, self.level, n)
        how = f"The mean of {len(shares):,} case{'s' * (len(shares) != 1)}, weights {self.weights!r}"
        return self._number(mean * unit, how, spread, shares, sources)


@dataclass(frozen=True)
class Local(_Numbers):
    """Propose a number by local regression on the retrieved cases.

    The proposal is the intercept ``b0`` of the model that minimizes ``sum w (y - b0 - b'(x - q))^2``, where ``x`` are
    the values of the cases and ``q`` are the values of the query. The model is the same as in
    `LocallyWeightedRegressor` (Atkeson, Moore & Schaal 1997; Mitchell 1997, section 8.3), but weighted by similarity
    instead of a kernel. Numbers, dates and ranks of levels are centered at the query; nominal values are encoded by an
    indicator for each value other than the query's value. Attributes that are missing in the query, or constant in the
    cases, are ignored. Weights are scaled to add up to the effective number of cases; ``degree=0`` gives the result of
    `Mean`. There must be more cases than coefficients.

    Parameters
    ----------
    using
        The attributes to fit; None for all numeric, ordinal, nominal and date attributes.
    degree
        0 fits a mean, 1 a plane, 2 a quadratic.
    ridge
        The strength ``lambda`` of the ridge penalty ``lambda^2 |b|^2``. Attributes are scaled to unit standard
        deviation.
    weights, success, level
        See `Mean`.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add_many([{"age": age} for age in range(6)], solution=[1000 - 100 * age for age in range(6)])
    ...     round(base.reuse({"age": 2.5}, pc.cases.Local(), k=6).solution)
    750
    """

    name: ClassVar[str] = "local"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "degree": [Interval(Integral, 0, 2, closed="both")],
        "ridge": [_POSITIVE],
        **Mean._parameter_constraints,
    }

    using: Sequence[str] | None = None
    degree: Literal[0, 1, 2] = 1
    ridge: float = 0.0
    weights: Weights = "similarity"
    success: Success = "outcome"
    level: float = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.using is not None and not _are_names(self.using):
            raise ParameterError(
                f"using must be None or a list of attributes, got {quoted(self.using)}. For example using=['size', "
                "'age']."
            )
        if self.degree == 0 and (self.using is not None or self.ridge):
            name = "using" if self.using is not None else "ridge"
            raise ParameterError(
                f"{name} must not be set if degree=0, got {quoted(getattr(self, name))}. A mean has no slopes; use "
                "degree=1."
            )

    def _proposed(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        shares = self._shares(sources)
        cases, n = [case for case, _ in shares], effective([share for _, share in shares])
        table = _design(cases, query, sources.kinds, self.using if self.degree else ())
        count = f"{len(cases):,} case{'s' * (len(cases) != 1)}"
        if self.degree and not table.names:
            problem = f", but no attribute that can be fitted differs between the {count}"
            if len(cases) == 1:
                problem = " with only one case"
            raise CaseBaseError(
                f"got method='local'{problem}. Use method='mean'; a fit needs several cases that differ in numeric, "
                "ordinal, nominal or date attributes of the query."
            )
        numbers, unit = _in_units(shares)
        model = LocallyWeightedRegressor(
            "all", kernel="uniform", degree=self.degree, ridge=float(self.ridge), schema=table.schema, n_jobs=1
        )
        model.fit(table.rows, np.array(numbers), sample_weight=np.array([share for _, share in shares]) * n)
        value, deviation = (float(array[0]) for array in model.predict(table.query, return_std=True))
        if not math.isfinite(deviation):
            wanted = f"fit {named('attribute', table.names)}" if table.names else "estimate a spread"
            raise CaseBaseError(
                f"got method='local' with {count} (effectively {number(n, 3)}), too few to {wanted}. Retrieve more "
                "cases (k=), use fewer attributes (using=), or use method='mean'."
            )
        low, high = model.predict_interval(table.query, self.level)[0].tolist()
        inner = float(np.diff(model.confidence_interval(table.query, self.level))[0, 0])
        # The intervals' widths are the same multiple of the standard error and of the deviation of a new case.
        error = deviation * inner / (high - low) if high > low else 0.0
        sigma = math.sqrt(max(0.0, deviation**2 - error**2))
        spread = Spread(sigma * unit, error * unit, (low * unit, high * unit), self.level, n)
        fit = {0: "mean", 1: "plane", 2: "quadratic"}[self.degree]
        how = f"A {fit} fitted to {len(cases):,} cases{' using ' * bool(table.names)}{', '.join(table.names)}"
        return self._number(value * unit, how, spread, shares, sources, *table.notes)


class _Design(NamedTuple):
    """The cases and the query as tables for a local fit; dates are converted to days, and ordinal levels to ranks."""

    names: list[str]
    rows: AnyArray
    query: AnyArray
    schema: dict[Name, Numeric | Nominal]
    notes: list[str]


def _design(
    cases: Sequence[SourceCase], query: Mapping[str, Any], kinds: Mapping[str, CaseKind], using: Iterable[str] | None
) -> _Design:
    """Return a table of the attributes that are known in the query, differ between the cases, and can be fitted."""
    columns: dict[str, list[Any]] = {}
    asked: dict[str, Any] = {}
    notes = []
    for name, kind in _fitted_kinds(kinds, using).items():
        mine, column = _cell(kind, query.get(name), name), [_cell(kind, case.get(name), name) for case in cases]
        known = {cell for cell in column if cell is not None}
        if mine is None or len(known) < 2:
            continue
        if isinstance(kind, Nominal) and mine not in known:
            notes.append(f"no case has {name} {value_text(query[name])}, so {name} is not used in the fit")
            continue
        if not isinstance(kind, Nominal) and not min(known) <= mine <= max(known):
            notes.append(f"the query is outside the range of the cases in {name}")
        columns[name], asked[name] = column, mine
    if _change_together(columns, asked):
        notes.append(f"some of {', '.join(columns)} are collinear in these cases")
    names = list(columns)
    if not names:  # a mean needs rows, whatever is in them
        columns, asked = {"": [0.0] * len(cases)}, {"": 0.0}
    schema: dict[Name, Numeric | Nominal] = {
        place: Nominal() if isinstance(mine, str) else Numeric() for place, mine in enumerate(asked.values())
    }
    rows = np.array(list(columns.values()), dtype=object).T
    return _Design(names, rows, np.array([list(asked.values())], dtype=object), schema, notes)


def _fitted_kinds(kinds: Mapping[str, CaseKind], using: Iterable[str] | None) -> dict[str, CaseKind]:
    """Return the requested attributes, or by default all attributes that can be fitted, with their kinds."""
    if using is None:
        return {name: kind for name, kind in kinds.items() if kind_name(kind) in _FITTED}
    check_known(using, kinds)
    for name in using:
        if kind_name(kinds[name]) not in _FITTED:
            raise CaseBaseError(
                f"got the {kind_name(kinds[name])} attribute {name!r} in using; expected numeric, ordinal, nominal or "
                "date attributes. Omit the attribute from using; it still affects the similarity, and thereby the "
                "weights."
            )
    return {name: kinds[name] for name in using}


def _cell(kind: CaseKind, value: Any, name: str) -> Any:
    """Convert a value for the fit: to a number or, if the attribute is nominal, to a unique string."""
    stored: Any = check(kind, value, attribute=name)
    if stored is None:
        return None
    return canonical(stored).hex() if isinstance(kind, Nominal) else number_of(kind)(stored)


def _change_together(columns: Mapping[str, Sequence[Any]], asked: Mapping[str, Any]) -> bool:
    """Return whether the columns are collinear in the cases, so that a fit cannot separate their effects."""
    deviations = []
    for name, column in columns.items():
        mine = asked[name]
        if isinstance(mine, str):
            others = sorted({cell for cell in column if cell not in (None, mine)})
            deviations += [[float(cell == other) for cell in column] for other in others]
        else:
            deviations.append([0.0 if cell is None else cell - mine for cell in column])
    if not deviations or len(deviations) >= len(deviations[0]):
        return False  # too few cases for any fit, which is reported elsewhere
    centered = np.array(deviations) - np.mean(deviations, axis=1, keepdims=True)
    centered /= np.maximum(np.abs(centered).max(axis=1, keepdims=True), np.finfo(float).tiny)
    return bool(np.linalg.matrix_rank(centered, tol=_SAME * len(centered[0])) < len(deviations))


@dataclass(frozen=True)
class Compose(_Base):
    """Compose a solution from parts of different cases.

    Solutions are mappings from parts to values. Each part comes from the case that is most similar in the attributes
    relevant to that part. The similarity is ``sum_a w_a s_a / sum_a w_a`` over the relevant attributes, or 0 if all of
    them are missing in the query. Combinations of parts are tried in order of their sum of similarities, largest first,
    and the first compatible combination is proposed. Cases that failed (outcomes up to 1/2) are not used. Nothing is
    proposed if no combination is compatible, or if all similarities are 0.

    Parameters
    ----------
    parts
        Mapping from parts of the solution to lists of relevant attributes; for a part, None or an empty list stands for
        all attributes. If ``parts`` is None, every part that occurs in a case is used, with the similarity in all
        attributes.
    compatible
        A function that takes a mapping from parts to values and returns True, False, or a description of the conflict.
    success
        See `Copy`.
    tries
        Maximum number of combinations to try.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add({"room": "hall", "guests": 90}, solution={"tables": 12, "light": "dim"})
    ...     _ = base.add({"room": "tent", "guests": 20}, solution={"tables": 3, "light": "lanterns"})
    ...     parts = {"tables": ["guests"], "light": ["room"]}
    ...     base.reuse({"room": "tent", "guests": 85}, pc.cases.Compose(parts)).solution
    {'tables': 12, 'light': 'lanterns'}
    """

    name: ClassVar[str] = "compose"
    needs: ClassVar[str] = "mapping"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "compatible": [callable, None],
        "success": SUCCESS,
        "tries": [Interval(Integral, 1, None, closed="left")],
    }

    parts: Mapping[str, Sequence[str] | None] | None = None
    compatible: Callable[[dict[str, Any]], bool | str] | None = None
    success: Success = "outcome"
    tries: int = 10_000

    def __post_init__(self) -> None:
        super().__post_init__()
        named = self.parts.items() if isinstance(self.parts, Mapping) else ()
        right = all(isinstance(part, str) and (names is None or _are_names(names)) for part, names in named)
        if self.parts is not None and not (named and right):
            raise ParameterError(
                f"parts must be None or a mapping from parts to lists of attributes, got {quoted(self.parts)}. For "
                "example {'pump': ['flow', 'height'], 'pipe': ['flow']}."
            )

    def _proposed(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        worked = [case for case in sources.cases if self._degree(case) > HALF]
        notes = [*_failed(len(sources.cases) - len(worked))]
        if not worked:
            return Proposal(None, self.name, "All retrieved cases failed", notes=tuple(notes))
        offers = self._offers(worked, sources.kinds)
        chosen, tried, conflicts = self._first_compatible(offers)
        told = [f"rejected: {text}" for text in conflicts[:_TOLD]]
        if len(conflicts) > _TOLD:
            n = len(conflicts) - _TOLD
            told.append(f"rejected: {n} other combination{'s' * (n != 1)}")
        how = f"{len(offers)} part{'s' * (len(offers) != 1)}, each from the most similar case that has this part"
        if chosen is None:
            choices = math.prod(map(len, offers.values()))
            seen = f"none of {choices}" if tried == choices else f"none of the best {tried} of {choices}"
            problem = f"{seen} combinations of parts is compatible"
            if choices == 1:
                problem = "the only combination of parts is not compatible"
            return Proposal(None, self.name, how, problems=(problem,), notes=(*notes, *told))
        how += " and is compatible with the other parts" if conflicts else ""
        notes += [
            f"no case has anything in common with the query in the attributes of {part!r}"
            for part, (similarity, _) in chosen.items()
            if not similarity
        ]
        base = min((case for _, case in chosen.values()), key=lambda case: (-case.similarity, case.id))
        return Proposal(
            {part: case.solution[part] for part, (_, case) in chosen.items()},
            self.name,
            how,
            min(similarity for similarity, _ in chosen.values()),
            base.id,
            tuple(replace(_source(case, 1.0), similarity=s, part=part) for part, (s, case) in chosen.items()),
            notes=(*notes, *told),
        )

    def _offers(self, cases: Sequence[SourceCase], known: Collection[str]) -> dict[str, list[_Offer]]:
        """Return the candidates for each part: the most similar case with each distinct value, best first."""
        there = sorted({part for case in cases for part in case.solution})
        offers: dict[str, list[_Offer]] = {}
        for part, names in (dict.fromkeys(there) if self.parts is None else self.parts).items():
            check_known(names or (), known)
            if part not in there:
                remedy = misspelt([part], there) or "Retrieve more cases (k=), or omit the part."
                raise CaseBaseError(
                    f"got the part {part!r}, which no successful retrieved case has; the parts of these cases are "
                    f"{listed(there)}. {remedy}"
                )
            having = [(_part_similarity(case, names), case) for case in cases if part in case.solution]
            having.sort(key=lambda offer: (-offer[0], -offer[1].similarity, offer[1].id))
            distinct: dict[str, _Offer] = {}
            for offer in having:
                distinct.setdefault(written(offer[1].solution[part]), offer)
            offers[part] = list(distinct.values())
        return offers

    def _first_compatible(self, offers: Mapping[str, list[_Offer]]) -> tuple[dict[str, _Offer] | None, int, list[str]]:
        """Return the best compatible combination or None, the number of combinations tried, and the conflicts found."""
        conflicts: list[str] = []
        for tried, offered in enumerate(_best_first(list(offers.values())), 1):
            chosen = dict(zip(offers, offered, strict=True))
            verdict = self._verdict({part: case.solution[part] for part, (_, case) in chosen.items()})
            if verdict is True:
                return chosen, tried, conflicts
            which = ", ".join(f"{part} of case {case.id}" for part, (_, case) in chosen.items())
            conflicts.append(f"{which}{': ' if verdict else ''}{verdict or ''}")
            if tried == self.tries:
                break
        return None, len(conflicts), conflicts

    def _verdict(self, parts: dict[str, Any]) -> bool | str:
        owner = "parameter 'compatible'"
        found: object = True if self.compatible is None else called(self.compatible, parts, owner=owner)
        if isinstance(found, bool) or (isinstance(found, str) and found):
            return found
        raise CaseBaseError(f"compatible returned {quoted(found)}; expected True, False, or the conflict as a string.")


def _best_first(offers: Sequence[list[_Offer]]) -> Iterator[tuple[_Offer, ...]]:
    """Yield all combinations of one case for each part, the largest sum of similarities first."""

    def entry(ranks: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return -math.fsum(of[rank][0] for of, rank in zip(offers, ranks, strict=True)), ranks

    first = (0,) * len(offers)
    queue, seen = [entry(first)], {first}
    while queue:
        ranks = heapq.heappop(queue)[1]
        yield tuple(of[rank] for of, rank in zip(offers, ranks, strict=True))
        for place, rank in enumerate(ranks):
            after = (*ranks[:place], rank + 1, *ranks[place + 1 :])
            if rank + 1 < len(offers[place]) and after not in seen:
                seen.add(after)
                heapq.heappush(queue, entry(after))


def _part_similarity(case: SourceCase, names: Sequence[str] | None) -> float:
    if not names:
        return case.similarity
    parts = [case.contributions[name] for name in dict.fromkeys(names) if name in case.contributions]
    known = [(similarity, weight) for similarity, weight, _ in parts if similarity is not None]
    total = math.fsum(weight for _, weight in known)
    return math.fsum(weight * similarity for similarity, weight in known) / total if total else 0.0


# -- methods by name


METHODS: dict[str, type[Any]] = {method.name: method for method in (Copy, Null, Vote, Mean, Local, Compose)}


def check_method(method: object, options: Mapping[str, object]) -> Method | None:
    """Return the method with this name and options, or the method object that was passed; None for ``"auto"``."""
    if isinstance(method, Method) and not isinstance(method, type):
        if options:
            raise CaseBaseError(
                f"got {named('option', sorted(options))} in addition to a method object ({method.name!r}). Pass "
                "options when you create the object."
            )
        return method
    names = ("auto", *METHODS)
    if not isinstance(method, str) or method not in names:
        hint = "'auto' uses mean for numbers, vote for repeated strings or booleans, copy otherwise."
        raise ParameterError(
            f"method must be {choices_text(names)}, or a method object such as Vote(prior=1), got {quoted(method)}. "
            f"{advice(method, names, otherwise=hint)}"
        )
    known = ["success"] if method == "auto" else [field.name for field in fields(METHODS[method])]
    if unknown := [name for name in options if name not in known]:
        remedy = misspelt(unknown, known) or f"The options are {listed(known, limit=12)}."
        raise CaseBaseError(
            f"got {named('option', unknown)} with method={method!r}, which has no such option. {remedy}"
        )
    made: Method = METHODS["copy" if method == "auto" else method](**options)
    return None if method == "auto" else made


def automatic(sources: Sources, options: Mapping[str, Any]) -> tuple[Method, str]:
    """Return the method for ``"auto"`` and the reason: mean for numbers, vote for repeated labels, otherwise copy."""
    kind = sources.of_one_kind()
    if kind == "number":
        return Mean(**options), "Solutions are numbers, so their mean is used"
    n, distinct = len(sources.cases), len({written(case.solution) for case in sources.cases})
    if kind in ("text", "boolean") and distinct < n:
        if distinct == 1:
            return Vote(**options), f"All {n} similar cases have the same solution"
        return Vote(**options), f"{n} similar cases have {distinct} distinct solutions, so they vote"
    if n == 1:
        return Copy(**options), "The solution of the only similar case is copied"
    distinct_only = kind in ("text", "boolean")
    why = "No solution occurs twice among the similar cases" if distinct_only else f"Solutions are {kind}s"
    return Copy(**options), f"{why}, so the solution of the most similar case is copied"


# -- shared functions


def _source(case: SourceCase, weight: float) -> Source:
    return Source(case.id, weight, case.similarity, case.solution, case.outcome)


def _ranked(shares: Sequence[_Share]) -> tuple[Source, ...]:
    return tuple(_source(case, share) for case, share in sorted(shares, key=lambda pair: -pair[1]))


def _failed(n: int) -> tuple[str, ...]:
    if not n:
        return ()
    return ("1 case that failed was ignored" if n == 1 else f"{n} cases that failed were ignored",)


def _in_units(shares: Sequence[_Share]) -> tuple[list[float], float]:
    """Divide the solutions by a power of two, so that squares do not overflow; return the quotients and the power."""
    numbers = [float(case.solution) for case, _ in shares]
    unit = math.ldexp(1.0, math.frexp(max(map(abs, numbers)))[1] - 1)
    return [number / unit for number in numbers], unit


def _are_names(value: object) -> bool:
    listed = isinstance(value, Collection) and not isinstance(value, (str, Mapping))
    return listed and all(isinstance(name, str) for name in value)  # type: ignore[attr-defined]
