"""Kontkanen, Myllymäki, Silander & Tirri 1998: Bayes optimal instance-based learning (BIBL)."""

from __future__ import annotations

from priorcase.papers.bibl1998_figure import figure_1
from priorcase.papers.bibl1998_table import table_1
from priorcase.papers.reproduction import Item, Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "bibl1998",
    "Bayes optimal instance-based learning",
    'P. Kontkanen, P. Myllymäki, T. Silander & H. Tirri, "Bayes optimal instance-based learning", *Machine Learning: '
    "ECML-98*, 1998.",
    (
        Item("table", "1", "Maximum likelihood and the average over all models", table_1),
        Item("figure", "1", "Iris by the share of the training rows", figure_1),
    ),
    about="Naive Bayes with the parameters of maximum likelihood (MLNB, eq. 7 with uniform priors) against the average "
    "over all parameters (BIBL, eq. 9), in repeated cross-validation, from all training rows and from parts of them.",
)
