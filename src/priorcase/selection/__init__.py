"""Which attributes to keep: searches by leave-one-out, in full and as races."""

from priorcase.selection.history import SelectionHistory
from priorcase.selection.selector import AttributeSelector

__all__ = ["AttributeSelector", "SelectionHistory"]
