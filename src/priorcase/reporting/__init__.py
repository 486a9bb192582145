"""A report on a table that a person would read: what was understood, which learner to trust, and why."""

from priorcase.reporting.making import report
from priorcase.reporting.result import Report

__all__ = ["Report", "report"]
