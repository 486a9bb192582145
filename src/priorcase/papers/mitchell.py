"""Mitchell 1997, *Machine Learning*, chapter 8: its figure, and what its sections say, as pictures and numbers."""

from __future__ import annotations

from priorcase.papers import mitchell_attributes as attributes
from priorcase.papers import mitchell_rbf as rbf
from priorcase.papers import mitchell_regression as regression
from priorcase.papers import mitchell_votes as votes
from priorcase.papers import mitchell_weighting as weighting
from priorcase.papers.reproduction import Item, Options, Paper, Part

__all__ = ["PAPER"]


def _figure_8_1(options: Options) -> Part:
    notes = (
        "The book's points are not known to us. Ours are placed so that what it says about the query can be seen; the "
        "answers are the classifier's.",
        "The cells are convex, and each query in a cell is answered by the example inside it.",
    )
    return Part((votes.decisions(),), (votes.figure_8_1(),), notes)


def _weighting(options: Options) -> Part:
    picture, errors = weighting.curves(options.seed)
    tables = (weighting.votes(), weighting.rules(), errors, weighting.noise(options))
    notes = (
        "Weighed by eq. 8.3 the five neighbours of Figure 8.1 answer + after all: the nearest outvotes the others.",
        "The text calls the distance-weighted rule robust to noisy examples. It is more robust than one neighbour, and "
        "all examples do no harm; but 1/d^2 gives the nearest example most of the vote, and equal votes of the same "
        "neighbours are more robust still.",
    )
    return Part(tables, (picture,), notes)


def _attributes(options: Options) -> Part:
    accuracies, weights, picture = attributes.two_of_twenty(options)
    notes = (
        "The text's thought experiment, measured: the attributes are uniform in [0, 1], and the class says whether the "
        "second is above a wave of the first.",
        "Axes stretched by leave-one-out minimise a smooth loss of rows left out, all at once, in place of the text's "
        "repeated random splits; attributes are dropped by forward selection as in Moore & Lee (1994).",
        "Stretching at each query anew, with nothing to hold it back, shows the over-fitting that the text warns of.",
    )
    return Part((accuracies, weights), (picture,), notes)


def _regression(options: Options) -> Part:
    tables = (regression.comparison(options.seed), regression.descent(options.seed))
    pictures = (regression.at_a_query(options.seed), regression.by_criterion(options.seed))
    notes = (
        "Criterion three is as good as criterion two here, as the text says, and looks at k examples only.",
        "The rule of eq. 8.7, in coordinates centred on the neighbours, comes to rest at the weighted least squares "
        "fit, for which the library otherwise solves directly.",
    )
    return Part(tables, pictures, notes)


def _rbf(options: Options) -> Part:
    notes = (
        "The sum of eq. 8.8, written out with the network's own kernels and weights, is what the network answers.",
        "A kernel at every example and no penalty passes through all of them, as the text says; where the examples are "
        "noisy that is no virtue.",
    )
    return Part((rbf.comparison(options.seed),), (rbf.parts(options.seed), rbf.by_centres(options.seed)), notes)


PAPER = Paper(
    "mitchell",
    "Instance-based learning: a textbook chapter in pictures",
    "T. M. Mitchell, *Machine Learning*, McGraw-Hill, 1997, chapter 8.",
    (
        Item("figure", "8.1", "k-nearest neighbours and the Voronoi cells of one", _figure_8_1),
        Item("example", "8.2.1", "Neighbours weighed by distance, and Shepard's method", _weighting),
        Item("example", "8.2.2", "Two relevant attributes of twenty", _attributes),
        Item("example", "8.3", "Locally weighted regression", _regression),
        Item("example", "8.4", "Radial basis functions", _rbf),
    ),
    "The chapter prints no measurements. Its Figure 8.1 is drawn again, and what its sections 8.2 to 8.4 say in words "
    "and equations is shown in pictures and numbers, on artificial data. Examples have the numbers of their sections.",
)
