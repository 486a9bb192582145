"""Attribute selection: searches by leave-one-out, in full and as races."""

from priorcase.selection.selector import AttributeSelector, SelectionHistory

__all__ = ["AttributeSelector", "SelectionHistory"]
