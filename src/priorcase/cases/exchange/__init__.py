"""Exchange of cases with other case bases and programs, in JSON Lines, CSV and Parquet files."""

from priorcase.cases.exchange.files import Format, export, read_cases
from priorcase.cases.exchange.records import ReadCases

__all__ = ["Format", "ReadCases", "export", "read_cases"]
