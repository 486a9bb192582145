"""How good learners are: scores, calibration, and comparisons over splits of a table."""

from priorcase.evaluation.calibration import CalibrationTable, calibration_table
from priorcase.evaluation.classwise import ClasswiseCalibration, classwise_calibration
from priorcase.evaluation.compare import compare
from priorcase.evaluation.comparison import Comparison
from priorcase.evaluation.conformal import ConformalClassifier, ConformalRegressor, PredictionSets
from priorcase.evaluation.coverage import CoverageTable, coverage_table
from priorcase.evaluation.learning_curves import LearningCurve, learning_curve
from priorcase.evaluation.leave_one_out import LeftOutAnswers, leave_one_out
from priorcase.evaluation.murphy import BrierParts
from priorcase.evaluation.noise_curves import NoiseCurve, noise_curve
from priorcase.evaluation.paired import PairedComparison
from priorcase.evaluation.prequential_curves import prequential
from priorcase.evaluation.prequential_results import PrequentialCurve
from priorcase.evaluation.ranks import Friedman
from priorcase.evaluation.scores import brier_score, log_score, zero_one_score
from priorcase.evaluation.scoring import Score
from priorcase.evaluation.splits import Folds, Holdout, LeaveOneOut, Prequential
from priorcase.evaluation.tables import TablesComparison, compare_tables

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
    "LeftOutAnswers",
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
