"""Cases in files for others, and from files of others: JSON lines, CSV, Parquet."""

from priorcase.cases.exchange.exporting import export
from priorcase.cases.exchange.importing import read_cases
from priorcase.cases.exchange.records import CaseRecord, ReadCases

__all__ = ["CaseRecord", "ReadCases", "export", "read_cases"]
