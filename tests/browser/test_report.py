"""A report, as a person opens it from a file; the documentation shows its picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Visit, check_fits, picture
from commands import run

import priorcase as pc

pytestmark = pytest.mark.browser


def test_a_report_is_read_from_a_file(visit: Visit, tmp_path: Path) -> None:
    visits, job = pc.load_repairs()
    visits.assign(job=job)[:90].to_csv(tmp_path / "visits.csv", index=False)
    report = tmp_path / "report.html"
    # The budget of the tour for domain experts, which shows this picture: enough to repeat the comparison.
    done = run("report", tmp_path / "visits.csv", "--target", "job", "--budget", "5min", "--out", report)
    assert done.exit_code == 0, done.output
    page = visit(report.as_uri(), width=900, height=1250)
    page.get_by_text("Recommended:").wait_for()
    check_fits(page)
    picture(page, "report", documented=True)
