"""Measures written down, and read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from priorcase.cases.measures.blend import Blend
from priorcase.cases.measures.decay import Exponential, Gaussian
from priorcase.cases.measures.edit_distance import EditDistance
from priorcase.cases.measures.equal_text import EqualText
from priorcase.cases.measures.equality import Equality
from priorcase.cases.measures.graphs import GraphSimilarity
from priorcase.cases.measures.levels import Levels
from priorcase.cases.measures.linear import Linear
from priorcase.cases.measures.local_similarity import LocalSimilarity
from priorcase.cases.measures.mvdm import MVDM
from priorcase.cases.measures.one_sided import OneSided
from priorcase.cases.measures.path_length import PathLength
from priorcase.cases.measures.ranks import Ranks
from priorcase.cases.measures.recency import Recency
from priorcase.cases.measures.season import Season
from priorcase.cases.measures.sets import Containment, Dice, Jaccard, Overlap
from priorcase.cases.measures.tf_idf import TfIdf
from priorcase.cases.measures.threshold import Threshold
from priorcase.cases.measures.value_table import Table
from priorcase.cases.measures.wu_palmer import WuPalmer
from priorcase.exceptions import ParameterError, quoted

_WRITTEN: Mapping[str, type[Any]] = {
    measure.__name__: measure
    for measure in (
        Blend,
        Containment,
        Dice,
        EditDistance,
        EqualText,
        Equality,
        Exponential,
        Gaussian,
        GraphSimilarity,
        Jaccard,
        Levels,
        Linear,
        MVDM,
        OneSided,
        Overlap,
        PathLength,
        Ranks,
        Recency,
        Season,
        Table,
        TfIdf,
        Threshold,
        WuPalmer,
    )
}


def describe(measure: LocalSimilarity) -> dict[str, Any]:
    """A measure as plain values that JSON can write down; an error where it holds a function or a model.

    Examples
    --------
    >>> describe(Linear(range=10))
    {'measure': 'Linear', 'range': 10, 'log': False}
    """
    name = type(measure).__name__
    if _WRITTEN.get(name) is not type(measure):
        raise ParameterError(
            f"{quoted(measure)} holds a function or a model, which cannot be written down. Give it again as "
            "measures={attribute: ...} wherever it is used."
        )
    if isinstance(measure, Blend):
        return {"measure": name, "measures": [[describe(part), share] for part, share in measure.measures.items()]}
    found = {field.name: getattr(measure, field.name) for field in fields(measure)}  # type: ignore[arg-type]
    if isinstance(measure, Table):
        found["pairs"] = [[first, second, similar] for (first, second), similar in measure.pairs.items()]
    elif isinstance(measure, Levels) and measure.weights is not None:
        found["weights"] = dict(measure.weights)
    elif isinstance(measure, TfIdf):
        found["ngrams"] = list(measure.ngrams)
        found["stop_words"] = None if measure.stop_words is None else list(measure.stop_words)
    return {"measure": name, **found}


def from_description(found: Mapping[str, Any]) -> LocalSimilarity:
    """The measure that `describe` wrote down; an error for anything else.

    Examples
    --------
    >>> from_description({"measure": "Linear", "range": 10, "log": False})
    Linear(range=10, log=False)
    """
    if not isinstance(found, Mapping) or not isinstance(found.get("measure"), str):
        raise _not_described(found, "it names no measure")
    name = found["measure"]
    if name not in _WRITTEN:
        raise _not_described(found, f"there is no measure {name!r}")
    given = {key: value for key, value in found.items() if key != "measure"}
    known = {field.name for field in fields(_WRITTEN[name])}
    if strange := [key for key in given if key not in known]:
        raise _not_described(found, f"{name} has no parameter {strange[0]!r}")
    try:
        measure: LocalSimilarity = _WRITTEN[name](**_read(name, given))
    except ParameterError as error:
        if str(error).startswith("from_description"):  # that of a measure within this one
            raise
        raise _not_described(found, str(error).rstrip(".")) from None
    except (TypeError, KeyError, ValueError):
        raise _not_described(found, f"{name} lacks parameters or has malformed ones") from None
    return measure


def _not_described(found: object, problem: str) -> ParameterError:
    return ParameterError(
        f"from_description got {quoted(found)}: {problem}. Descriptions are what describe(measure) returns, such as "
        "{'measure': 'Linear', 'range': 10}."
    )


def _read(name: str, given: dict[str, Any]) -> dict[str, Any]:
    if name == "Table":
        return {**given, "pairs": {(first, second): similar for first, second, similar in given["pairs"]}}
    if name == "Blend":
        return {"measures": {from_description(part): share for part, share in given["measures"]}}
    if name == "TfIdf" and "ngrams" in given:
        return {**given, "ngrams": tuple(given["ngrams"])}
    return given
