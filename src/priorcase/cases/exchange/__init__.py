"""Exchange of cases with other case bases and programs: files of JSON lines, CSV and Parquet."""

from priorcase.cases.exchange.files import Format, export, read_cases

__all__ = ["Format", "export", "read_cases"]
