"""Which measure an attribute gets: the default of its kind, or what a user names."""

from __future__ import annotations

from collections.abc import Mapping

from priorcase.exceptions import MeasureError
from priorcase.reasoning.kinds import CaseKind, kind_name
from priorcase.reasoning.measures.blend import is_measure
from priorcase.reasoning.measures.edit_distance import EditDistance
from priorcase.reasoning.measures.equal_text import EqualText
from priorcase.reasoning.measures.equality import Equality
from priorcase.reasoning.measures.graphs import GraphSimilarity
from priorcase.reasoning.measures.levels import Levels
from priorcase.reasoning.measures.linear import Linear
from priorcase.reasoning.measures.local_similarity import LocalSimilarity
from priorcase.reasoning.measures.mvdm import MVDM
from priorcase.reasoning.measures.one_sided import OneSided
from priorcase.reasoning.measures.own import Own
from priorcase.reasoning.measures.path_length import PathLength
from priorcase.reasoning.measures.ranks import Ranks
from priorcase.reasoning.measures.season import Season
from priorcase.reasoning.measures.sets import Containment, Dice, Jaccard, Overlap
from priorcase.reasoning.measures.tf_idf import TfIdf
from priorcase.reasoning.measures.wu_palmer import WuPalmer

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
    >>> from priorcase.reasoning.kinds import Date
    >>> names_for(Date())
    ['linear', 'less_is_better', 'more_is_better', 'equality', 'season']
    """
    return [name for name, measure in NAMES.items() if kind_name(kind) in measure.accepts]


def as_measure(given: object, kind: CaseKind, attribute: str) -> LocalSimilarity:
    """A measure as people give it: a measure, the short name of one, or a function of two values.

    An error where it does not compare attributes of this kind.

    Examples
    --------
    >>> from priorcase.reasoning.kinds import Text
    >>> as_measure("edit", Text(), "message")
    EditDistance(ignore_case=True)
    """
    measure = _found(given, kind, attribute)
    if kind_name(kind) not in measure.accepts:
        raise MeasureError.wrong_kind(given, attribute, kind_name(kind), measure.accepts, names_for(kind))
    return measure


def _found(given: object, kind: CaseKind, attribute: str) -> LocalSimilarity:
    if is_measure(given):
        return given
    if isinstance(given, str):
        if given not in NAMES:
            raise MeasureError.unknown_name(given, attribute, kind_name(kind), names_for(kind))
        return NAMES[given]
    if callable(given) and not isinstance(given, type):
        return Own(given)
    raise MeasureError.not_a_measure(given, attribute)
