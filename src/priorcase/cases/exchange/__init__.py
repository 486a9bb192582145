"""Exchange of cases with other case bases and programs: files of JSON lines, CSV and Parquet."""

from priorcase.cases.exchange.files import Format, export, read_cases
from priorcase.cases.exchange.records import ReadCases

__all__ = ["Format", "ReadCases", "export", "read_cases"]
