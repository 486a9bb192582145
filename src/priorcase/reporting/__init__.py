"""Reports on tables: a recommended learner, its estimated performance, and notable rows and columns."""

from priorcase.reporting.table_report import Report, report

__all__ = ["Report", "report"]
