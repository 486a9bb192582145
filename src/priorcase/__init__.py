"""Answers from precedents: predictions, honest probabilities and the past cases that speak for them.

The names below are loaded when first used, so that ``import priorcase`` and the command line start at once.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from priorcase import (
        bayes,
        concepts,
        datasets,
        evaluation,
        exceptions,
        local,
        papers,
        plots,
        reasoning,
        reduction,
        relevance,
        search,
        selection,
        similarity,
    )
    from priorcase.bayes import (
        AODE,
        MixtureModel,
        NaiveBayes,
        SubsetAveragedBayes,
        SuperParentAveragedBayes,
        TreeAugmentedBayes,
        TreeAveragedBayes,
    )
    from priorcase.concepts import IB1, IB2, IB3, IB4, IB5, PEBLS
    from priorcase.datasets import load_repairs, make_led, make_waveform
    from priorcase.evaluation import brier_score, calibration_table, log_score, zero_one_score
    from priorcase.instances import Instances
    from priorcase.local import (
        LocallyWeightedClassifier,
        LocallyWeightedRegressor,
        RBFNetworkClassifier,
        RBFNetworkRegressor,
    )
    from priorcase.neighbors import (
        KNNClassifier,
        KNNRegressor,
        KNNTransformer,
        Precedents,
        Tuning,
        attribute_weights,
        tune,
    )
    from priorcase.reasoning import (
        Case,
        CaseBase,
        Date,
        FunctionGraph,
        Graph,
        Set,
        Taxonomy,
        Text,
        load_learner,
        save_learner,
    )
    from priorcase.reduction import CNN, DROP1, DROP2, DROP3, DROP4, DROP5, ENN, ICF, RENN, RNN, AllKNN, reduction_curve
    from priorcase.reporting import report
    from priorcase.schema import Nominal, Numeric, Ordinal, Schema
    from priorcase.search import Neighbors
    from priorcase.selection import AttributeSelector
    from priorcase.similarity import Distance

_HOMES = {
    "KNNClassifier": "neighbors",
    "KNNRegressor": "neighbors",
    "KNNTransformer": "neighbors",
    "Precedents": "neighbors",
    "tune": "neighbors",
    "Tuning": "neighbors",
    "attribute_weights": "neighbors",
    "LocallyWeightedRegressor": "local",
    "LocallyWeightedClassifier": "local",
    "RBFNetworkRegressor": "local",
    "RBFNetworkClassifier": "local",
    "AttributeSelector": "selection",
    "IB1": "concepts",
    "IB2": "concepts",
    "IB3": "concepts",
    "IB4": "concepts",
    "IB5": "concepts",
    "PEBLS": "concepts",
    "CNN": "reduction",
    "RNN": "reduction",
    "ENN": "reduction",
    "RENN": "reduction",
    "AllKNN": "reduction",
    "DROP1": "reduction",
    "DROP2": "reduction",
    "DROP3": "reduction",
    "DROP4": "reduction",
    "DROP5": "reduction",
    "ICF": "reduction",
    "reduction_curve": "reduction",
    "NaiveBayes": "bayes",
    "SubsetAveragedBayes": "bayes",
    "TreeAveragedBayes": "bayes",
    "TreeAugmentedBayes": "bayes",
    "SuperParentAveragedBayes": "bayes",
    "AODE": "bayes",
    "MixtureModel": "bayes",
    "CaseBase": "reasoning",
    "Case": "reasoning",
    "Text": "reasoning",
    "Set": "reasoning",
    "Date": "reasoning",
    "Taxonomy": "reasoning",
    "Graph": "reasoning",
    "FunctionGraph": "reasoning",
    "save_learner": "reasoning",
    "load_learner": "reasoning",
    "Distance": "similarity",
    "Neighbors": "search",
    "Schema": "schema",
    "Numeric": "schema",
    "Ordinal": "schema",
    "Nominal": "schema",
    "Instances": "instances",
    "load_repairs": "datasets",
    "make_led": "datasets",
    "make_waveform": "datasets",
    "log_score": "evaluation",
    "zero_one_score": "evaluation",
    "brier_score": "evaluation",
    "calibration_table": "evaluation",
    "report": "reporting",
}
_FOLDERS = (
    "local",
    "relevance",
    "selection",
    "concepts",
    "reduction",
    "bayes",
    "reasoning",
    "similarity",
    "search",
    "evaluation",
    "plots",
    "papers",
    "datasets",
    "exceptions",
)

__version__ = _version("priorcase")

__all__ = [  # in reading order, the same as _HOMES and _FOLDERS
    "KNNClassifier",
    "KNNRegressor",
    "KNNTransformer",
    "Precedents",
    "tune",
    "Tuning",
    "attribute_weights",
    "LocallyWeightedRegressor",
    "LocallyWeightedClassifier",
    "RBFNetworkRegressor",
    "RBFNetworkClassifier",
    "AttributeSelector",
    "IB1",
    "IB2",
    "IB3",
    "IB4",
    "IB5",
    "PEBLS",
    "CNN",
    "RNN",
    "ENN",
    "RENN",
    "AllKNN",
    "DROP1",
    "DROP2",
    "DROP3",
    "DROP4",
    "DROP5",
    "ICF",
    "reduction_curve",
    "NaiveBayes",
    "SubsetAveragedBayes",
    "TreeAveragedBayes",
    "TreeAugmentedBayes",
    "SuperParentAveragedBayes",
    "AODE",
    "MixtureModel",
    "CaseBase",
    "Case",
    "Text",
    "Set",
    "Date",
    "Taxonomy",
    "Graph",
    "FunctionGraph",
    "save_learner",
    "load_learner",
    "Distance",
    "Neighbors",
    "Schema",
    "Numeric",
    "Ordinal",
    "Nominal",
    "Instances",
    "load_repairs",
    "make_led",
    "make_waveform",
    "log_score",
    "zero_one_score",
    "brier_score",
    "calibration_table",
    "report",
    "local",
    "relevance",
    "selection",
    "concepts",
    "reduction",
    "bayes",
    "reasoning",
    "similarity",
    "search",
    "evaluation",
    "plots",
    "papers",
    "datasets",
    "exceptions",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value = getattr(import_module(f"priorcase.{_HOMES[name]}"), name)
    elif name in _FOLDERS:
        value = import_module(f"priorcase.{name}")
    else:
        raise AttributeError(f"module 'priorcase' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
