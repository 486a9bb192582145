"""A report on a table: which learner to use, how good it is, and what stands out."""

from priorcase.reporting.table_report import Report, report

__all__ = ["Report", "report"]
