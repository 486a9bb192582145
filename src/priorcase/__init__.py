"""Predictions from similar past cases, with calibrated probabilities and the cases behind each prediction.

Each public name is imported when first used, so that ``import priorcase`` and the command line start quickly.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from priorcase import (
        bayes,
        cases,
        concepts,
        datasets,
        evaluation,
        exceptions,
        explaining,
        local,
        neighbors,
        plots,
        reduction,
        registry,
        relevance,
        schema,
        search,
        selection,
        similarity,
        stacking,
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
    from priorcase.cases import (
        Case,
        CaseBase,
        FunctionGraph,
        Graph,
    )
    from priorcase.concepts import IB1, IB2, IB3, IB4, IB5, PEBLS
    from priorcase.datasets import load_flats, load_loans, load_penguins, load_repairs, make_led, make_waveform
    from priorcase.evaluation import brier_score, calibration_table, log_score, zero_one_score
    from priorcase.explaining import (
        ColumnProfile,
        Counterfactuals,
        Explanations,
        counterfactuals,
        explain,
        partial_dependence,
        what_if,
    )
    from priorcase.instances import Instances
    from priorcase.local import (
        LocallyWeightedClassifier,
        LocallyWeightedRegressor,
        RBFNetworkClassifier,
        RBFNetworkRegressor,
    )
    from priorcase.neighbors import (
        KNNClassifier,
        KNNClassifierCV,
        KNNRegressor,
        KNNRegressorCV,
        KNNTransformer,
        Precedents,
        Tuning,
        attribute_weights,
        tune,
    )
    from priorcase.reduction import CNN, DROP1, DROP2, DROP3, DROP4, DROP5, ENN, ICF, RENN, RNN, AllKNN, reduction_curve
    from priorcase.reporting import report
    from priorcase.saving import load
    from priorcase.schema import Circular, Date, Nominal, Numeric, Ordinal, Schema, Set, Taxonomy, Text
    from priorcase.search import Neighbors
    from priorcase.selection import AttributeSelector
    from priorcase.similarity import Distance
    from priorcase.stacking import Stack, StackedClassifier, StackedRegressor

__version__ = _version("priorcase")

_HOMES = {  # the folders that the names come from
    name: folder
    for folder, names in {
        "stacking": "StackedClassifier StackedRegressor Stack",
        "neighbors": "KNNClassifier KNNRegressor KNNClassifierCV KNNRegressorCV KNNTransformer Precedents tune Tuning "
        "attribute_weights",
        "local": "LocallyWeightedRegressor LocallyWeightedClassifier RBFNetworkRegressor RBFNetworkClassifier",
        "selection": "AttributeSelector",
        "concepts": "IB1 IB2 IB3 IB4 IB5 PEBLS",
        "reduction": "CNN RNN ENN RENN AllKNN DROP1 DROP2 DROP3 DROP4 DROP5 ICF reduction_curve",
        "bayes": "NaiveBayes SubsetAveragedBayes TreeAveragedBayes TreeAugmentedBayes SuperParentAveragedBayes AODE "
        "MixtureModel",
        "cases": "CaseBase Case Graph FunctionGraph",
        "saving": "load",
        "similarity": "Distance",
        "search": "Neighbors",
        "schema": "Schema Numeric Ordinal Nominal Circular Date Text Set Taxonomy",
        "instances": "Instances",
        "datasets": "load_flats load_loans load_penguins load_repairs make_led make_waveform",
        "evaluation": "log_score zero_one_score brier_score calibration_table",
        "explaining": "explain Explanations counterfactuals Counterfactuals what_if partial_dependence ColumnProfile",
        "reporting": "report",
    }.items()
    for name in names.split()
}

# In reading order; written out, since type checkers do not compute it.
__all__ = [
    "StackedClassifier",
    "StackedRegressor",
    "Stack",
    "KNNClassifier",
    "KNNRegressor",
    "KNNClassifierCV",
    "KNNRegressorCV",
    "KNNTransformer",
    "Precedents",
    "tune",
    "Tuning",
    "attribute_weights",
]
__all__ += ["LocallyWeightedRegressor", "LocallyWeightedClassifier", "RBFNetworkRegressor", "RBFNetworkClassifier"]
__all__ += ["AttributeSelector", "IB1", "IB2", "IB3", "IB4", "IB5", "PEBLS"]
__all__ += ["CNN", "RNN", "ENN", "RENN", "AllKNN", "DROP1", "DROP2", "DROP3", "DROP4", "DROP5", "ICF"]
__all__ += ["reduction_curve", "NaiveBayes", "SubsetAveragedBayes", "TreeAveragedBayes", "TreeAugmentedBayes"]
__all__ += ["SuperParentAveragedBayes", "AODE", "MixtureModel"]
__all__ += ["CaseBase", "Case", "Graph", "FunctionGraph"]
__all__ += ["load"]
__all__ += ["Distance", "Neighbors", "Instances"]
__all__ += ["Schema", "Numeric", "Ordinal", "Nominal", "Circular", "Date", "Text", "Set", "Taxonomy"]
__all__ += ["load_flats", "load_loans", "load_penguins", "load_repairs", "make_led", "make_waveform"]
__all__ += ["log_score", "zero_one_score", "brier_score", "calibration_table", "report"]
__all__ += ["explain", "Explanations", "counterfactuals", "Counterfactuals", "what_if", "partial_dependence"]
__all__ += ["ColumnProfile"]
__all__ += ["stacking", "neighbors", "local", "relevance", "selection", "concepts", "reduction", "bayes", "cases"]
__all__ += ["similarity", "search", "schema", "evaluation", "explaining", "plots", "datasets", "exceptions", "registry"]
__all__ += ["batches"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'priorcase' has no attribute {name!r}")
    module = import_module(f"priorcase.{_HOMES.get(name, name)}")
    value = getattr(module, name) if name in _HOMES else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
