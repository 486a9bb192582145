"""Cases in files for others, and from files of others: JSON lines, CSV, Parquet."""

from priorcase.reasoning.exchange.exporting import export
from priorcase.reasoning.exchange.importing import read_cases
from priorcase.reasoning.exchange.records import CaseRecord, ReadCases

__all__ = ["CaseRecord", "ReadCases", "export", "read_cases"]
