"""Data sets of the papers at OpenML: under which number, and what its header does not say.

Only what is certain stands here. OpenML's copies are those of Weka: names and spellings of columns and classes differ
from the original files, and so do some rows, which the notes tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["KNOWN", "Known"]


@dataclass(frozen=True)
class Known:
    """A data set at OpenML.

    Parameters
    ----------
    number
        Its number there, which never changes.
    orders
        Levels, lowest first, of columns that ARFF can only call nominal or numeric.
    nominal
        Columns of digits that are names.
    ids
        Columns that name a case.
    notes
        What differs from the original, or from what papers say about it.
    """

    number: int
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nominal: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


_SLOPE = {"slope": ("up", "flat", "down")}
_BREAST_CANCER = {
    "age": tuple(f"{low}-{low + 9}" for low in range(10, 100, 10)),
    "tumor-size": tuple(f"{low}-{low + 4}" for low in range(0, 60, 5)),
    "inv-nodes": (*(f"{low}-{low + 2}" for low in range(0, 36, 3)), "36-39"),
    "deg-malig": ("1", "2", "3"),
}
_CAR = {
    "buying": ("low", "med", "high", "vhigh"),
    "maint": ("low", "med", "high", "vhigh"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
}
_NURSERY = {
    "parents": ("usual", "pretentious", "great_pret"),
    "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
    "children": ("1", "2", "3", "more"),
    "housing": ("convenient", "less_conv", "critical"),
    "finance": ("convenient", "inconv"),
    "social": ("nonprob", "slightly_prob", "problematic"),
    "health": ("recommended", "priority", "not_recom"),
}
_TUMOR = {"age": ("<30", "30-59", ">=60"), "degree-of-diffe": ("well", "fairly", "poorly")}
_STATLOG = ("sex", "chest", "fasting_blood_sugar", "resting_electrocardiographic_results")
_REPEATED = "One row is repeated and another lost: 165 and 138 in the two classes, where the original has 164 and 139."
_SIMPLE = {
    "voting": 56,
    "australian-credit": 40981,
    "credit-approval": 29,
    "diabetes-pima": 37,
    "glass": 41,
    "hepatitis": 55,
    "iris": 61,
    "lymphography": 10,
    "mushroom": 24,
    "tic-tac-toe": 50,
    "adult": 1590,
    "letter": 6,
    "shuttle": 40685,
    "auto-mpg": 196,
    "machine-cpu": 230,
}

KNOWN: dict[str, Known] = {
    **{name: Known(number) for name, number in _SIMPLE.items()},
    "primary-tumor": Known(171, orders=_TUMOR),
    "heart-cleveland": Known(49, orders=_SLOPE, notes=(_REPEATED,)),
    "heart-hungarian": Known(51, orders=_SLOPE),
    "heart-statlog": Known(
        53, orders={"slope": ("1", "2", "3")}, nominal=(*_STATLOG, "exercise_induced_angina", "thal")
    ),
    "breast-cancer": Known(13, orders=_BREAST_CANCER),
    "zoo": Known(62, ids=("animal",)),
    "car-evaluation": Known(40975, orders=_CAR),
    "nursery": Known(26, orders=_NURSERY),
    "promoters": Known(164, ids=("instance",)),
    "splice": Known(46, ids=("Instance_name",)),
}
"""The data sets of the papers that OpenML has, by the names they have here."""
