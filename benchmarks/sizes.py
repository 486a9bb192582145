"""Sizes of the measurements."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Full sizes, or about a hundredth of them for a smoke test."""

    quick: bool
    repeats: int

    def rows(self, full: int) -> int:
        """Return the number of stored rows."""
        return max(full // 100, 500) if self.quick else full

    def queries(self, full: int) -> int:
        """Return the number of queries."""
        return max(full // 200, 10) if self.quick else full
