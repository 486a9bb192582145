"""Tables to work with: one that is built in, those of a user's CSV files, and artificial domains."""

from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.disjuncts import boundary_distance, make_disjuncts
from priorcase.datasets.led import led_bayes_rate, make_led
from priorcase.datasets.noise import add_noise
from priorcase.datasets.reading import MISSING, TextTable, read_text
from priorcase.datasets.repairs import load_repairs
from priorcase.datasets.waveform import make_waveform

__all__ = [
    "MISSING",
    "NamedColumns",
    "TextTable",
    "add_noise",
    "boundary_distance",
    "led_bayes_rate",
    "load_repairs",
    "make_disjuncts",
    "make_led",
    "make_waveform",
    "read_text",
]
