"""How good predicted probabilities are: log-score, 0/1-score, Brier score, and a table of their calibration."""

from priorcase.evaluation.calibration import CalibrationTable, calibration_table
from priorcase.evaluation.scores import brier_score, log_score, zero_one_score

__all__ = ["CalibrationTable", "brier_score", "calibration_table", "log_score", "zero_one_score"]
