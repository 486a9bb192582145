"""How good predicted probabilities are: log-score, 0/1-score, Brier score, and a table of their calibration."""

from priorcase.evaluation.calibration import CalibrationTable, calibration_table
from priorcase.evaluation.classwise import ClasswiseCalibration, classwise_calibration
from priorcase.evaluation.coverage import CoverageTable, coverage_table
from priorcase.evaluation.murphy import BrierParts
from priorcase.evaluation.scores import brier_score, log_score, zero_one_score

__all__ = [
    "BrierParts",
    "CalibrationTable",
    "ClasswiseCalibration",
    "CoverageTable",
    "brier_score",
    "calibration_table",
    "classwise_calibration",
    "coverage_table",
    "log_score",
    "zero_one_score",
]
