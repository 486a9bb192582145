"""R. Guidotti's lecture on instance-based and Bayesian classification: every worked number of its slides.

The numbers come from the library's own classes on the lecture's ten records; where a slide has it wrong, a remark says
so.
"""

from __future__ import annotations

from priorcase.papers import lecture_bayes as bayes
from priorcase.papers import lecture_neighbors as neighbors
from priorcase.papers.lecture_pictures import income_densities, neighbour_counts, neighbourhoods
from priorcase.papers.lecture_worked import worked_table
from priorcase.papers.reproduction import Item, Options, Paper, Part

__all__ = ["PAPER"]


def _nearest(options: Options) -> Part:
    notes = (
        "The lecture's steps: distances to all records, the k nearest of them, the majority of their classes. The "
        "slides give no figures; the records are the ten of its later slides, the distance is HEOM (incomes divided by "
        "their range, other values equal or not), and the query is the one that naive Bayes is asked in Example 5.",
        "Weighed by 1/d^2 all ten may vote: far ones hardly count.",
    )
    return Part(
        (worked_table("k-NN on the ten records", [*neighbors.how_many(), *neighbors.nearest_records()]),), (), notes
    )


def _scaling(options: Options) -> Part:
    notes = (
        "The slide's example of attributes on unequal scales: as they are, the distance is one of incomes.",
        "The slide's cure for many dimensions, vectors of unit length, is none: with 2,000 attributes the nearest of "
        "500 normal records is hardly nearer than the farthest, with or without it.",
    )
    return Part((neighbors.scaling(), neighbors.contrasts(seed=options.seed)), (), notes)


def _value_differences(options: Options) -> Part:
    tables = (
        worked_table("records of each class by value", neighbors.value_counts()),
        worked_table("shares of the classes among the records of a value", neighbors.class_profiles()),
        worked_table("modified value difference metric", neighbors.value_distances()),
        worked_table("distances between records by both nominal attributes", neighbors.record_distances()),
        worked_table("weights of the records, N_predict / N_correct", neighbors.exemplar_weights()),
    )
    notes = (
        "The slide's sum over attributes begins with i = 0; there are d attributes, from 1 on.",
        "The slide leaves w = 0/0 of a record that was never used undefined. PEBLS begins with 1 of 1, which is part "
        "of the counts above: a weight is at least 1.",
        "The slide adds differences (r = 1 of Cost & Salzberg 1993), and so do we here; PEBLS's default squares them.",
        "PEBLS works with numbers by cutting them into intervals, which are then symbols; the slide does not say so.",
    )
    return Part(tables, (), notes)


def _football(options: Options) -> Part:
    notes = ("Naive Bayes with one attribute, the host, from four kinds of games, each weighed by its probability.",)
    return Part((worked_table("team 1 is the host of the next match", bayes.football()),), (), notes)


def _probabilities(options: Options) -> Part:
    tables = (
        worked_table("shares of the classes, and of values in each class", bayes.shares()),
        worked_table("incomes in each class", bayes.incomes()),
        worked_table("the record Refund = No, Married, Income = 120K", bayes.classification()),
        worked_table("a gap in a record", bayes.gaps()),
    )
    notes = ("With the divisor n the deviation of No would be 50.50 and the density 0.0077: the slide's is n - 1.",)
    return Part(tables, (), notes)


def _estimates(options: Options) -> Part:
    tables = (
        worked_table("the record Refund = Yes, Divorced, Income = 120K, no honest one divorced", bayes.zeros()),
        worked_table("m-estimates with m = 3 and p = 1/3", bayes.estimates()),
    )
    notes = (
        "For the slide's P(Divorced | No) = 0 record 7 was made a married one; its refund and income stay.",
        "The slide's p = 1/m holds only because m = 3 is the number of marital states as well.",
    )
    return Part(tables, (), notes)


def _figure_1(options: Options) -> Part:
    return Part(pictures=(neighbourhoods(),))


def _figure_2(options: Options) -> Part:
    return Part(pictures=(neighbour_counts(options.count(50, 5), options.seed),))


def _figure_3(options: Options) -> Part:
    return Part(pictures=(income_densities(),))


PAPER = Paper(
    "lecture",
    "Instance-based and Bayesian classification: a lecture's worked numbers",
    "R. Guidotti, *Data Mining 2: Instance-based and Bayesian Classification*, lecture slides, a.a. 2019/2020; after "
    "chapters 5.2 and 5.3 of P.-N. Tan, M. Steinbach & V. Kumar, *Introduction to Data Mining*.",
    (
        Item("figure", "1", "The 1, 2 and 3 nearest neighbours of a record", _figure_1),
        Item("figure", "2", "Too few and too many neighbours", _figure_2),
        Item("example", "1", "Nearest neighbours of a tax record", _nearest),
        Item("example", "2", "Attributes on unequal scales, and many of them", _scaling),
        Item("example", "3", "Distances between nominal values, and reliable records", _value_differences),
        Item("example", "4", "Bayes' theorem and a football match", _football),
        Item("figure", "3", "Income in the two classes as normal densities", _figure_3),
        Item("example", "5", "Naive Bayes on the ten records", _probabilities),
        Item("example", "6", "Zero frequencies and m-estimates", _estimates),
    ),
    "Each number that the slides work out, computed by the library's classes on the lecture's ten tax records: ours, "
    "then in brackets the slide's and the difference. The slides number neither figures nor examples; the numbers "
    "below are ours.",
)
