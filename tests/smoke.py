"""Whether an installed wheel works: python tests/smoke.py, in an environment that has nothing but the wheel."""

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path


def main() -> None:
    """Fit two learners on a mixed table, explain a prediction, and write the report of the command line."""
    import pandas as pd

    import priorcase as pc
    from priorcase import _core

    loans = pd.DataFrame(
        {
            "income": [52, 31, 78, None, 24, 66, 45, 28],
            "housing": ["own", "rent", "own", "rent", None, "own", "rent", "rent"],
            "employed": ["yes", "yes", "yes", "no", "no", "yes", None, "no"],
        }
    )
    repaid = ["yes", "no", "yes", "no", "no", "yes", "yes", "no"]
    new = pd.DataFrame({"income": [48], "housing": [None], "employed": ["yes"]})
    answers = set()
    for path in _core.cpu_paths():
        _core.use_cpu_path(path)
        model = pc.KNNClassifier(n_neighbors=3, prior=1.0).fit(loans, repaid)
        answers.add((model.predict(new)[0], *model.predict_proba(new)[0].round(12)))
    assert answers == {("yes", 0.4, 0.6)}, answers
    assert "query 0: yes" in str(model.precedents(new))
    assert pc.NaiveBayes().fit(loans, repaid).predict(new)[0] == "yes"
    program = Path(sysconfig.get_path("scripts")) / "priorcase"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        subprocess.run([program, "report", "--out", page], check=True, stdout=subprocess.DEVNULL)
        assert page.stat().st_size > 10_000
    print(f"priorcase {pc.__version__} works on Python {sys.version.split()[0]}: {Path(_core.__file__).name}, {path}")


if __name__ == "__main__":
    main()
