"""Built-in tables, tables from files, public data sets by name, and data generators."""

from priorcase.datasets.builtin import HelpDesk, load_flats, load_help_desk, load_loans, load_penguins, load_repairs
from priorcase.datasets.catalog import Available, Description, available, describe, load, load_taxonomy
from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.generators import (
    add_noise,
    boundary_distance,
    led_bayes_rate,
    make_disjuncts,
    make_led,
    make_waveform,
)
from priorcase.datasets.reading import read_table
from priorcase.datasets.values import MISSING

__all__ = [
    "MISSING",
    "Available",
    "Description",
    "HelpDesk",
    "NamedColumns",
    "add_noise",
    "available",
    "boundary_distance",
    "describe",
    "led_bayes_rate",
    "load",
    "load_flats",
    "load_help_desk",
    "load_loans",
    "load_penguins",
    "load_repairs",
    "load_taxonomy",
    "make_disjuncts",
    "make_led",
    "make_waveform",
    "read_table",
]
