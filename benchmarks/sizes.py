"""Sizes of the measurements."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Full sizes, or a hundredth of them to see that everything runs."""

    quick: bool
    repeats: int

    def rows(self, full: int) -> int:
        """Stored rows."""
        return max(full // 100, 500) if self.quick else full

    def queries(self, full: int) -> int:
        """Number of queries."""
        return max(full // 200, 10) if self.quick else full
