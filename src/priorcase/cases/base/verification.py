"""What checking a case base found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Verification:
    """How many cases there are, and what is wrong with the file; true where nothing is.

    Examples
    --------
    >>> Verification(2, ()), bool(Verification(2, ("page 3 is torn",)))
    (clean: 2 cases, False)
    """

    cases: int
    findings: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def __bool__(self) -> bool:
        return self.clean

    def __repr__(self) -> str:
        if self.clean:
            return f"clean: {self.cases:,} case{'s' * (self.cases != 1)}"
        return "\n".join(["damaged:", *(f"  {finding}" for finding in self.findings)])
