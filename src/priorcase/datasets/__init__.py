"""Tables to work with: two that are built in, those of files, public ones by name, and artificial domains."""

from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.delimited import read_text
from priorcase.datasets.description import Description
from priorcase.datasets.disjuncts import boundary_distance, make_disjuncts
from priorcase.datasets.help_desk import HelpDesk, load_help_desk
from priorcase.datasets.led import led_bayes_rate, make_led
from priorcase.datasets.listing import Available, available
from priorcase.datasets.loading import describe, load, load_taxonomy
from priorcase.datasets.noise import add_noise
from priorcase.datasets.reading import read_table
from priorcase.datasets.repairs import load_repairs
from priorcase.datasets.text_table import MISSING, TextTable
from priorcase.datasets.waveform import make_waveform

__all__ = [
    "MISSING",
    "Available",
    "Description",
    "HelpDesk",
    "NamedColumns",
    "TextTable",
    "add_noise",
    "available",
    "boundary_distance",
    "describe",
    "led_bayes_rate",
    "load",
    "load_help_desk",
    "load_repairs",
    "load_taxonomy",
    "make_disjuncts",
    "make_led",
    "make_waveform",
    "read_table",
    "read_text",
]
