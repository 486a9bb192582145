"""Kontkanen, Myllymäki, Silander, Tirri & Grünwald 1997: MAP, evidence and stochastic complexity compared."""

from __future__ import annotations

from priorcase.papers.kontkanen1997_figures import figure_1, figure_2, figure_3
from priorcase.papers.kontkanen1997_table import table_1
from priorcase.papers.reproduction import Item, Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "kontkanen1997",
    "Comparing predictive inference methods for discrete domains",
    'P. Kontkanen, P. Myllymäki, T. Silander, H. Tirri & P. Grünwald, "Comparing predictive inference methods for '
    'discrete domains", *Proceedings of the Sixth International Workshop on Artificial Intelligence and Statistics*, '
    "1997.",
    (
        Item("figure", "1", "Glass: average scores by training rows", figure_1),
        Item("figure", "2", "Australian and Hepatitis: average log-scores by training rows", figure_2),
        Item("figure", "3", "Glass: best, average and worst log-scores by training rows", figure_3),
        Item("table", "1", "Leaving one out", table_1),
    ),
    about="Naive Bayes with three predictive distributions: that of the parameters with the greatest posterior "
    "probability (MAP, with uniform priors maximum likelihood), the average over all parameters (evidence, EV), and "
    "that of stochastic complexity (SC).",
)
