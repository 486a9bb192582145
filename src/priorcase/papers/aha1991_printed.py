"""Aha, Kibler & Albert 1991, Instance-based learning algorithms: Tables 3, 4 and 6 as printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """A line of Tables 3, 4 and 6.

    Parameters
    ----------
    title
        What the paper calls the data set.
    name
        What the folder calls it, or the generator.
    train, test
        Rows to learn from and to test, in each trial.
    attributes, classes
        Its size as the paper gives it.
    accuracy
        Right answers of IB1, IB2 and IB3 in percent.
    errors
        Their standard errors.
    storage
        Training instances that IB2 and IB3 predict from, in percent; IB1 keeps all.
    tree
        Right answers of C4, a decision tree, in percent.
    """

    title: str
    name: str
    train: int
    test: int
    attributes: int
    classes: int
    accuracy: tuple[float, float, float]
    errors: tuple[float, float, float]
    storage: tuple[float, float]
    tree: float


TABLE_6 = (
    Printed("Voting", "voting", 350, 85, 16, 2, (91.8, 90.9, 91.6), (0.4, 0.5, 0.5), (11.1, 7.4), 95.5),
    Printed("Tumor", "primary-tumor", 275, 64, 17, 22, (34.7, 32.9, 38.6), (0.8, 0.8, 0.9), (71.3, 16.4), 37.8),
    Printed("LED Display", "led", 200, 500, 7, 10, (70.5, 62.4, 71.7), (0.4, 0.6, 0.4), (41.5, 28.7), 68.3),
    Printed("Waveform", "waveform", 300, 500, 21, 3, (75.2, 69.6, 73.8), (0.3, 0.4, 0.4), (32.5, 14.6), 70.7),
    Printed("Cleveland", "heart-cleveland", 250, 53, 13, 2, (75.7, 71.4, 78.0), (0.8, 0.8, 0.8), (30.4, 7.7), 75.5),
    Printed("Hungarian", "heart-hungarian", 250, 44, 13, 2, (58.7, 55.9, 80.5), (1.5, 2.0, 0.9), (36.0, 7.5), 78.2),
)
"""Tables 4 and 6 as printed, with the sizes of Table 3."""

_, TUMOR, LED, _, CLEVELAND, HUNGARIAN = TABLE_6
