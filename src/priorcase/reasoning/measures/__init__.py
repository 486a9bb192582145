"""How alike two values of one attribute are, from 0 to 1: one measure a file, the formula first."""

from priorcase.reasoning.measures.blend import Blend
from priorcase.reasoning.measures.choosing import as_measure, default_measure, names_for
from priorcase.reasoning.measures.decay import Exponential, Gaussian
from priorcase.reasoning.measures.descriptions import describe, from_description
from priorcase.reasoning.measures.edit_distance import EditDistance
from priorcase.reasoning.measures.embedding import Embedding
from priorcase.reasoning.measures.equal_text import EqualText
from priorcase.reasoning.measures.equality import Equality
from priorcase.reasoning.measures.graphs import GraphSimilarity
from priorcase.reasoning.measures.levels import Levels
from priorcase.reasoning.measures.linear import Linear
from priorcase.reasoning.measures.local_similarity import LocalSimilarity, Prepared
from priorcase.reasoning.measures.mvdm import MVDM
from priorcase.reasoning.measures.one_sided import OneSided
from priorcase.reasoning.measures.own import Own
from priorcase.reasoning.measures.path_length import PathLength
from priorcase.reasoning.measures.ranks import Ranks
from priorcase.reasoning.measures.recency import Recency
from priorcase.reasoning.measures.season import Season
from priorcase.reasoning.measures.sets import Containment, Dice, Jaccard, Overlap
from priorcase.reasoning.measures.tf_idf import TfIdf
from priorcase.reasoning.measures.threshold import Threshold
from priorcase.reasoning.measures.trying import similarities
from priorcase.reasoning.measures.value_table import Table
from priorcase.reasoning.measures.wu_palmer import WuPalmer

__all__ = [
    "MVDM",
    "Blend",
    "Containment",
    "Dice",
    "EditDistance",
    "Embedding",
    "EqualText",
    "Equality",
    "Exponential",
    "Gaussian",
    "GraphSimilarity",
    "Jaccard",
    "Levels",
    "Linear",
    "LocalSimilarity",
    "OneSided",
    "Overlap",
    "Own",
    "PathLength",
    "Prepared",
    "Ranks",
    "Recency",
    "Season",
    "Table",
    "TfIdf",
    "Threshold",
    "WuPalmer",
    "as_measure",
    "default_measure",
    "describe",
    "from_description",
    "names_for",
    "similarities",
]
