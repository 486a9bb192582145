"""What a learner was asked to be: the rules of its descriptions, their distance, and what it keeps of the rows."""

from __future__ import annotations

from dataclasses import dataclass

from priorcase.concepts.comparison import Comparison
from priorcase.concepts.description import Description, Rules
from priorcase.concepts.descriptions import ClassDescriptions, Descriptions, JointDescription
from priorcase.concepts.parameters import History
from priorcase.instances import Instances
from priorcase.schema import Schema
from priorcase.similarity import Distance


@dataclass(frozen=True)
class Design:
    """The parameters of a learner once they are checked.

    Parameters
    ----------
    rules
        What a description stores.
    distance
        How two instances differ.
    growing
        Whether ranges grow with the rows; otherwise the first rows settle the distance.
    per_class
        Whether each class has a description of its own.
    history
        Whether to keep a trace, and the rows themselves.
    declared
        Attributes that are there from the start, where others may come up; None where the first rows say it.
    """

    rules: Rules
    distance: Distance
    growing: bool
    per_class: bool
    history: History
    declared: Schema | None = None

    @property
    def keeps_all(self) -> bool:
        """Whether every row stays stored, so that one that goes leaves no trace but in the records of others."""
        return self.rules.keep == "every" and not self.rules.window

    @property
    def replays(self) -> bool:
        """Whether all rows seen are kept."""
        return self.history == "replay"

    def compare(self, schema: Schema, rows: Instances) -> Comparison:
        """How instances are compared, as the first rows settle it."""
        return Comparison.growing(self.distance, schema) if self.growing else Comparison.settled(self.distance, rows)

    def begin(self, comparison: Comparison) -> Descriptions:
        """Descriptions that have seen nothing."""

        def description() -> Description:
            return Description(self.rules, comparison, traced=bool(self.history))

        return ClassDescriptions(description) if self.per_class else JointDescription(description)
