"""Attribute selection by leave-one-out, with full and racing searches."""

from priorcase.selection.selector import AttributeSelector, SelectionHistory

__all__ = ["AttributeSelector", "SelectionHistory"]
