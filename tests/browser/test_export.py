"""Batch and export, as a person uses them: a file of new rows, Python to copy, a report and the model to download."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Visit, check_accessible, check_fits, decimals, exploring, picture, settled
from commands import HEADER, ROWS

import priorcase as pc
from priorcase.datasets.catalog import load_frame

pytestmark = pytest.mark.browser

NEW = 'area,sold,part,more\n120,2022-03-04,"<img src=x onerror=alert(1)>",1\n,,hills,2\n60,2021-05-06,=1+1,3\n'


@pytest.fixture(scope="module")
def saving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The explorer of the built-in table, and the file to which it saves."""
    path = tmp_path_factory.mktemp("saved") / "model.priorcase"
    with exploring("--save", path) as url:
        yield url, path


def opened(visit: Visit, url: str, **how: Any) -> Any:
    page = visit(url, **how)
    page.get_by_role("link", name="Batch and export").click()
    page.locator(".drop").wait_for()
    return page


def send(page: Any, content: str, name: str = "new.csv") -> None:
    page.set_input_files("#batch-file", {"name": name, "mimeType": "text/csv", "buffer": content.encode()})


def test_a_file_is_answered_shown_and_downloaded(visit: Visit, houses: str) -> None:
    page = opened(visit, houses)
    page.get_by_label("5 nearest past cases").check()
    page.get_by_label("contributions of the columns").check()
    send(page, NEW)
    page.locator(".result .listed").wait_for()
    assert page.locator(".result .listed tbody tr").count() == 3
    heads = page.locator(".result .listed thead th").all_inner_texts()
    assert heads[:2] == ["line", "prediction"]  # the answer first
    computed = [i for i, head in enumerate(heads) if head in ("prediction", "lower", "upper")]
    computed += [i for i, head in enumerate(heads) if head.startswith("contribution of ")]
    assert len(computed) >= 4
    for i in computed:
        assert len(decimals(page.locator(f".result .listed tbody td:nth-of-type({i + 1})").all_inner_texts())) == 1
    at = heads.index("part")
    assert page.locator(".result .listed tbody td").nth(at).inner_text() == "<img src=x onerror=alert(1)>"
    assert "more" in page.locator(".panel.batch .result").inner_text()
    page.reload()  # the address keeps what was answered
    page.locator(".result .listed").wait_for()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download CSV").click()
    assert downloading.value.suggested_filename == "predictions.csv"
    lines = list(csv.reader(downloading.value.path().read_text(encoding="utf-8-sig").splitlines()))
    assert len(lines) == 4
    assert lines[3][lines[0].index("part")] == "'=1+1"
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download JSON").click()
    assert '"contributions"' in downloading.value.path().read_text(encoding="ascii")
    check_accessible(page)
    check_fits(page)


def test_what_does_not_fit_is_said_and_a_job_can_be_cancelled(visit: Visit, houses: str) -> None:
    page = opened(visit, houses)
    send(page, "area,sold\n1,2021-01-01\n")
    page.get_by_text("has no column 'part' (treated as missing)").wait_for()
    send(page, "a,b\n1,2\n")
    page.locator(".result .wrong").wait_for()
    assert "no column 'area'" in page.locator(".result .wrong").inner_text()
    page.locator("#jobs").wait_for(state="hidden")
    page.locator("nav").get_by_role("link", name="Learners").click()
    page.get_by_role("heading").first.wait_for()
    assert page.locator("#jobs").is_hidden()
    page.go_back()
    page.get_by_label("contributions of the columns").check()
    send(page, "area,sold,part\n" + "120,2022-03-04,hills\n" * 5000)
    page.locator(".progress").get_by_role("button", name="Cancel").click()
    page.get_by_text("were canceled").wait_for()


def test_a_file_can_be_dropped(visit: Visit, houses: str) -> None:
    page = opened(visit, houses)
    page.evaluate(
        """content => {
            const data = new DataTransfer();
            data.items.add(new File([content], "dropped.csv"));
            const dropped = new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true});
            document.querySelector(".drop").dispatchEvent(dropped);
        }""",
        NEW,
    )
    page.locator(".result .listed").wait_for()
    assert "dropped.csv" in page.locator(".panel.batch .result").inner_text()


def test_the_python_gives_the_answer_of_the_page(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page, "Stacked")
    page.get_by_label("noise", exact=True).select_option(label="creak")
    page.get_by_label("bike", exact=True).select_option(label="mountain")
    page.wait_for_function("() => document.querySelector('.prediction strong')?.textContent === 'wheel'")
    page.get_by_role("link", name="Batch and export").click()
    page.wait_for_function("() => document.querySelector('.code')?.textContent.includes(\"'creak'\")")
    code = page.locator(".code").inner_text()
    printed = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout.splitlines()[0] == "wheel"
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").strip() == code.strip()
    page.go_back()
    assert page.get_by_label("noise", exact=True).input_value() == '"creak"'


def test_the_model_is_downloaded_and_saved(visit: Visit, saving: tuple[str, Path]) -> None:
    url, path = saving
    page = opened(visit, url)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download the model").click()
    X = load_frame("repairs", {}).drop(columns=["job"])  # as the explorer reads it
    assert len(pc.load(downloading.value.path()).predict(X)) == 96
    page.get_by_role("button", name="Save to model.priorcase").click()
    page.get_by_text("Saved to model.priorcase.").wait_for()
    assert len(pc.load(path).predict(X)) == 96


def test_a_report_is_made_in_the_background(visit: Visit, saving: tuple[str, Path]) -> None:
    page = opened(visit, saving[0])
    page.get_by_label("Time budget").select_option(label="10 seconds")
    page.get_by_role("button", name="Make the report").click()
    page.locator(".panel.report .progress").wait_for()
    link = page.get_by_role("link", name="Download the report")
    link.wait_for(timeout=60_000)
    with page.expect_download() as downloading:
        link.click()
    assert "<!doctype html>" in downloading.value.path().read_text(encoding="utf-8")[:100]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (360, True)])
def test_export_looks_the_same_everywhere(visit: Visit, repairs: str, width: int, dark: bool) -> None:
    page = opened(visit, repairs, width=width, dark=dark)
    send(page, "\n".join([HEADER, *ROWS[:12]]))
    page.locator(".result .listed").wait_for()
    page.wait_for_function("() => document.querySelector('.code')?.textContent.includes('case = {')")
    check_fits(page)
    check_accessible(page)
    picture(page, f"export{'' if width > 400 else '-narrow'}{'-dark' if dark else ''}", documented=width > 400)


def test_export_by_keyboard_only(visit: Visit, repairs: str) -> None:
    page = opened(visit, repairs)
    # Expected before the first key: if Chromium is not yet told who chooses, it cancels its own dialog at once.
    with page.expect_file_chooser() as choosing:
        page.get_by_label("5 nearest past cases").focus()
        page.keyboard.press("Space")
        assert page.get_by_label("5 nearest past cases").is_checked()
        for _ in range(3):
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "batch-file"
        page.keyboard.press("Space")
    content = "\n".join(line.rpartition(",")[0] for line in [HEADER, *ROWS[:2]]).encode()
    choosing.value.set_files({"name": "new.csv", "mimeType": "text/csv", "buffer": content})
    page.locator(".result .listed").wait_for()
    assert "past cases" in page.locator(".result .listed thead").inner_text()
