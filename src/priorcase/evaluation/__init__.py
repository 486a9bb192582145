"""Evaluation of learners: scores, calibration, comparisons, curves and conformal prediction."""

from priorcase.evaluation.calibration import (
    BrierParts,
    CalibrationTable,
    ClasswiseCalibration,
    CoverageTable,
    calibration_table,
    classwise_calibration,
    coverage_table,
)
from priorcase.evaluation.comparison import Comparison, TablesComparison, compare, compare_tables
from priorcase.evaluation.conformal import ConformalClassifier, ConformalRegressor, PredictionSets
from priorcase.evaluation.curves import LearningCurve, NoiseCurve, learning_curve, noise_curve
from priorcase.evaluation.leave_one_out import LeaveOneOutPredictions, leave_one_out
from priorcase.evaluation.prequential import PrequentialCurve, prequential
from priorcase.evaluation.scores import brier_score, log_score, zero_one_score
from priorcase.evaluation.scoring import Score
from priorcase.evaluation.significance import Friedman, PairedComparison
from priorcase.evaluation.splits import Folds, Holdout, LeaveOneOut, Prequential

__all__ = [
    "BrierParts",
    "CalibrationTable",
    "ClasswiseCalibration",
    "Comparison",
    "ConformalClassifier",
    "ConformalRegressor",
    "CoverageTable",
    "Folds",
    "Friedman",
    "Holdout",
    "LearningCurve",
    "LeaveOneOut",
    "LeaveOneOutPredictions",
    "NoiseCurve",
    "PairedComparison",
    "PredictionSets",
    "Prequential",
    "PrequentialCurve",
    "Score",
    "TablesComparison",
    "brier_score",
    "calibration_table",
    "classwise_calibration",
    "compare",
    "compare_tables",
    "coverage_table",
    "learning_curve",
    "leave_one_out",
    "log_score",
    "noise_curve",
    "prequential",
    "zero_one_score",
]
