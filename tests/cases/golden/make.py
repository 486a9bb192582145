"""Make the golden file of the version that is written now: python tests/cases/golden/make.py

A golden file is made once, when a version is new, and never again: it stands for the files that users have.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from content import FIRST, fill_since_2  # noqa: E402 - after the folder is known

from priorcase.cases.storage import Store  # noqa: E402
from priorcase.cases.storage.sqlite import VERSION  # noqa: E402

if __name__ == "__main__":
    path = FOLDER / f"v{VERSION}.priorcase"
    if path.exists():
        raise SystemExit(f"{path.name} exists already and stays as it is.")
    with Store.open(path, create=FIRST) as store:
        fill_since_2(store)
    Path(f"{path}-journal").unlink(missing_ok=True)
