"""How alike two values of one attribute are, from 0 to 1: one measure a file, the formula first."""

from priorcase.cases.measures.blend import Blend
from priorcase.cases.measures.choosing import as_measure, default_measure, names_for
from priorcase.cases.measures.decay import Exponential, Gaussian
from priorcase.cases.measures.descriptions import describe, from_description
from priorcase.cases.measures.edit_distance import EditDistance
from priorcase.cases.measures.embedding import Embedding
from priorcase.cases.measures.equal_text import EqualText
from priorcase.cases.measures.equality import Equality
from priorcase.cases.measures.graphs import GraphSimilarity
from priorcase.cases.measures.levels import Levels
from priorcase.cases.measures.linear import Linear
from priorcase.cases.measures.local_similarity import LocalSimilarity, Prepared
from priorcase.cases.measures.mvdm import MVDM
from priorcase.cases.measures.one_sided import OneSided
from priorcase.cases.measures.own import Own
from priorcase.cases.measures.path_length import PathLength
from priorcase.cases.measures.ranks import Ranks
from priorcase.cases.measures.recency import Recency
from priorcase.cases.measures.season import Season
from priorcase.cases.measures.sets import Containment, Dice, Jaccard, Overlap
from priorcase.cases.measures.tf_idf import TfIdf
from priorcase.cases.measures.threshold import Threshold
from priorcase.cases.measures.trying import similarities
from priorcase.cases.measures.value_table import Table
from priorcase.cases.measures.wu_palmer import WuPalmer

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
