"""Aha, Kibler & Albert 1991, Instance-based learning algorithms: IB1, IB2 and IB3."""

from __future__ import annotations

from priorcase.papers.aha1991_boundary import figure_5
from priorcase.papers.aha1991_extension import figure_1, figure_3
from priorcase.papers.aha1991_noise import figure_6, figure_9
from priorcase.papers.aha1991_saved import figure_4, figure_7, figure_8
from priorcase.papers.aha1991_tables import table_3, table_4, table_6
from priorcase.papers.reproduction import Item, Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "aha1991",
    "Instance-based learning algorithms",
    'D. W. Aha, D. Kibler & M. K. Albert, "Instance-based learning algorithms", *Machine Learning* 6, 1991.',
    (
        Item("figure", "1", "IB1's concept description after 5, 25 and 100 instances", figure_1),
        Item("figure", "3", "IB2's concept description after 5, 25 and 100 instances", figure_3),
        Item("figure", "4", "What IB2 saves of a simple concept", figure_4),
        Item("figure", "5", "IB2's accuracy by distance from the boundary", figure_5),
        Item("figure", "6", "IB1 and IB2 against the level of noise", figure_6),
        Item("figure", "7", "What IB2 saves at a noise level of 10 %", figure_7),
        Item("table", "3", "The data sets", table_3),
        Item("table", "4", "IB1 and IB2", table_4),
        Item("figure", "8", "What IB3 saves at a noise level of 10 %", figure_8),
        Item("figure", "9", "IB1, IB2 and IB3 against the level of noise", figure_9),
        Item("table", "6", "IB1, IB2 and IB3", table_6),
    ),
    about="IB1 keeps every instance, IB2 those that it got wrong, and IB3 of these the ones whose record is good. The "
    "figures are of concepts in the plane, whose numbers the paper does not give, so that ours show its claims and not "
    "its points; they are numbered in the order of a lecture on the paper, which numbers the first two. Figure 2 is of "
    "C4, a decision tree, which this library does not have.",
)
