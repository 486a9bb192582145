"""What cannot be opened leaves a way on: another file is opened from the page that shows the error."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from browsing import COMMAND, Visit, check_accessible, exploring, settled

import priorcase as pc

pytestmark = pytest.mark.browser


def test_another_file_is_opened_from_the_error(visit: Visit, tmp_path: Path) -> None:
    model = tmp_path / "model.priorcase"
    pc.KNNClassifier(1).fit([[31], [62]], ["no", "yes"]).save(model)
    model.write_bytes(model.read_bytes()[:-100])
    other, text = tmp_path / "other.txt", tmp_path / "none.csv"
    text.write_bytes(b"")
    frame = pd.DataFrame({"age": [31, 62, 60, 25] * 6, "repaid": ["no", "yes", "yes", "no"] * 6})
    frame.to_excel(tmp_path / "loans.xlsx", index=False)
    (tmp_path / "loans.xlsx").rename(other)  # its content decides
    with exploring(model) as url:
        page = visit(url)
        page.get_by_role("heading", name="The file could not be opened").wait_for()
        check_accessible(page)
        for path in (text, other):
            with page.expect_file_chooser() as chooser:
                page.get_by_role("button", name="Open another file …").click()
            chooser.value.set_files(path)
            if path == text:
                page.get_by_text("none.csv is empty").first.wait_for()
        page.get_by_role("button", name="Fit", exact=True).click()
        page.get_by_role("heading", name="The case").wait_for()
        settled(page)
        assert page.title().endswith("other.txt")
        page.goto("about:blank")  # before the explorer stops


def test_the_file_that_hides_the_token_leads_to_the_page(visit: Visit) -> None:
    """The command opens its browser with the URL of a file, here a program that prints it."""
    command = [*COMMAND, "--port", "0"]
    env = os.environ | {"BROWSER": f"{sys.executable} -c 'import sys; print(sys.argv[1], flush=True)' %s"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline(), process.stdout.readline()]
            (url,) = re.findall(r"file://\S+", "".join(lines))
            page = visit(url)
            page.get_by_role("heading", name="The case").wait_for()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#/ask\S*", page.url)
            page.goto("about:blank")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            process.kill()
