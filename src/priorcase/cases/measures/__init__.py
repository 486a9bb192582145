"""Local similarities: how similar two values of one attribute are, from 0 to 1."""

from priorcase.cases.measures.base import Blend, LocalSimilarity, Own, Prepared
from priorcase.cases.measures.choosing import (
    DEFAULT_MEASURES,
    as_measure,
    describe,
    from_description,
    names_for,
    similarities,
)
from priorcase.cases.measures.names import MVDM, Equality, SimilarityTable
from priorcase.cases.measures.numbers import (
    CircularSimilarity,
    ExponentialSimilarity,
    GaussianSimilarity,
    Linear,
    OneSided,
    Ranks,
    Recency,
    Season,
    Threshold,
)
from priorcase.cases.measures.sets import Containment, Dice, Jaccard, SetOverlap
from priorcase.cases.measures.structures import GraphSimilarity, LevelSimilarity, PathLength, WuPalmer
from priorcase.cases.measures.texts import EditDistance, Embedding, EqualText, TfIdf

__all__ = [
    "DEFAULT_MEASURES",
    "MVDM",
    "Blend",
    "CircularSimilarity",
    "Containment",
    "Dice",
    "EditDistance",
    "Embedding",
    "EqualText",
    "Equality",
    "ExponentialSimilarity",
    "GaussianSimilarity",
    "GraphSimilarity",
    "Jaccard",
    "LevelSimilarity",
    "Linear",
    "LocalSimilarity",
    "OneSided",
    "Own",
    "PathLength",
    "Prepared",
    "Ranks",
    "Recency",
    "Season",
    "SetOverlap",
    "SimilarityTable",
    "TfIdf",
    "Threshold",
    "WuPalmer",
    "as_measure",
    "describe",
    "from_description",
    "names_for",
    "similarities",
]
