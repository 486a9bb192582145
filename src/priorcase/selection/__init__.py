"""Attribute selection by leave-one-out, with exhaustive evaluation or races."""

from priorcase.selection.selector import AttributeSelector, SelectionHistory

__all__ = ["AttributeSelector", "SelectionHistory"]
