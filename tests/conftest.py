"""Settings and fixtures for every test."""

import os
from pathlib import Path

# Two workers share the cores: more threads of NumPy and scikit-learn would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

# The same examples in every run, and no deadline: the first call into a compiled module is slow. Hypothesis also draws
# constants found in the modules imported so far, which depend on the order of the tests and the worker: leave them out.
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants
hypothesis.settings.register_profile(
    "fixed", max_examples=25, derandomize=True, deadline=None, database=None, print_blob=False
)
hypothesis.settings.load_profile("fixed")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of real data sets; the test is skipped where there is none."""
    folder = os.environ.get("PRIORCASE_DATA")
    if not folder:
        pytest.skip("PRIORCASE_DATA is not set: no folder of real data sets")
    path = Path(folder)
    if not path.is_dir():
        raise NotADirectoryError(f"PRIORCASE_DATA names {folder!r}, which is not a folder")
    return path
