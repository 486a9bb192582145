"""Which measure an attribute gets: the default of its kind, or what a user names."""

from __future__ import annotations

from collections.abc import Mapping

from priorcase.cases.kinds import CaseKind, kind_name
from priorcase.cases.measures.blend import is_measure
from priorcase.cases.measures.edit_distance import EditDistance
from priorcase.cases.measures.equal_text import EqualText
from priorcase.cases.measures.equality import Equality
from priorcase.cases.measures.graphs import GraphSimilarity
from priorcase.cases.measures.levels import Levels
from priorcase.cases.measures.linear import Linear
from priorcase.cases.measures.local_similarity import LocalSimilarity
from priorcase.cases.measures.mvdm import MVDM
from priorcase.cases.measures.one_sided import OneSided
from priorcase.cases.measures.own import Own
from priorcase.cases.measures.path_length import PathLength
from priorcase.cases.measures.ranks import Ranks
from priorcase.cases.measures.season import Season
from priorcase.cases.measures.sets import Containment, Dice, Jaccard, Overlap
from priorcase.cases.measures.tf_idf import TfIdf
from priorcase.cases.measures.wu_palmer import WuPalmer
from priorcase.exceptions import ParameterError, advice, listed, quoted

_DEFAULTS: Mapping[str, LocalSimilarity] = {
    "numeric": Linear(),
    "ordinal": Ranks(),
    "nominal": Equality(),
    "taxonomy": WuPalmer(),
    "set": Jaccard(),
    "date": Linear(),
    "text": TfIdf(),
    "graph": GraphSimilarity(),
}

NAMES: Mapping[str, LocalSimilarity] = {
    "linear": Linear(),
    "less_is_better": OneSided("less"),
    "more_is_better": OneSided("more"),
    "ranks": Ranks(),
    "equality": Equality(),
    "mvdm": MVDM(),
    "wu_palmer": WuPalmer(),
    "path": PathLength(),
    "levels": Levels(),
    "jaccard": Jaccard(),
    "dice": Dice(),
    "containment": Containment(),
    "overlap": Overlap(),
    "season": Season(),
    "tfidf": TfIdf(),
    "edit": EditDistance(),
    "equal_text": EqualText(),
    "graph": GraphSimilarity(),
}
"""Short names for measures that need no parameters."""


def default_measure(kind: CaseKind) -> LocalSimilarity:
    """The measure of an attribute for which none is given.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> default_measure(Numeric()), default_measure(Nominal())
    (Linear(range=None, log=False), Equality())
    """
    return _DEFAULTS[kind_name(kind)]


def names_for(kind: CaseKind) -> list[str]:
    """The short names of measures that compare attributes of a kind.

    Examples
    --------
    >>> from priorcase.cases.kinds import Date
    >>> names_for(Date())
    ['linear', 'less_is_better', 'more_is_better', 'equality', 'season']
    """
    return [name for name, measure in NAMES.items() if kind_name(kind) in measure.accepts]


def as_measure(given: object, kind: CaseKind, attribute: str) -> LocalSimilarity:
    """A measure as people give it: a measure, the short name of one, or a function of two values.

    An error where it does not compare attributes of this kind.

    Examples
    --------
    >>> from priorcase.cases.kinds import Text
    >>> as_measure("edit", Text(), "message")
    EditDistance(ignore_case=True)
    """
    measure = _found(given, kind, attribute)
    name = kind_name(kind)
    if name not in measure.accepts:
        raise ParameterError(
            f"{quoted(given)} was asked to compare attribute {attribute!r}, which is {name}; it compares "
            f"{' and '.join(measure.accepts) or 'no'} attributes. For {name} attributes take "
            f"{listed(names_for(kind), limit=99)} or a function of two values."
        )
    return measure


def _found(given: object, kind: CaseKind, attribute: str) -> LocalSimilarity:
    if is_measure(given):
        return given
    if isinstance(given, str):
        if given not in NAMES:
            names = names_for(kind)
            remedy = advice(given, names, otherwise="A measure with options is written out, such as Linear(range=10).")
            raise ParameterError(
                f"measure {quoted(given)} of attribute {attribute!r} is not known; expected one for {kind_name(kind)} "
                f"attributes: {listed(names, limit=99)}. {remedy}"
            )
        return NAMES[given]
    if callable(given) and not isinstance(given, type):
        return Own(given)
    remedy = (
        f"Write {given.__name__}() with its parentheses."
        if isinstance(given, type)
        else "For example 'tfidf', TfIdf(), or lambda asked, stored: 1.0 if asked == stored else 0.0."
    )
    raise ParameterError(
        f"{quoted(given)} was given as the measure of attribute {attribute!r}; expected a measure, the name of one, or "
        f"a function of two values. {remedy}"
    )
