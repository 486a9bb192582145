"""Rows, as a person uses them: scroll, sort, filter and search; keep, correct, forget and undo; save."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import Visit, check_accessible, check_fits, exploring, picture

import priorcase as pc

pytestmark = pytest.mark.browser


def listed(page: Any, text: str | None = None) -> None:
    """Wait until rows are there."""
    page.locator(".grid tbody:not([aria-hidden]) tr:not(.coming)").first.wait_for()
    if text is not None:
        page.locator(".count").get_by_text(re.compile(text)).wait_for()


def first_column(page: Any) -> list[str]:
    cells = page.locator(".grid tbody:not([aria-hidden]) td:first-child").all_inner_texts()
    return [str(text).removesuffix(" ✎").strip() for text in cells]


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The explorer of two groups of rows, rows 30 and 31 in the class of the other group; and a file to save to."""
    rng = np.random.default_rng(0)
    lines = ["size,weight,kind"]
    for i in range(400):
        group = i % 2
        label = "ab"[group] if i not in (30, 31) else "ba"[group]
        lines.append(f"{rng.normal(8 * group):.3f},{rng.normal(8 * group):.3f},{label}")
    path, saved = tmp_path / "groups.csv", tmp_path / "saved.priorcase"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with exploring(path, "--target", "kind", "--save", saved) as url:
        yield url, saved


def test_the_table_scrolls_sorts_filters_and_searches(groups: tuple[str, Path], visit: Visit) -> None:
    page = visit(f"{groups[0]}#/rows")
    listed(page, "400 rows")
    assert page.locator(".grid tbody tr").count() < 80
    page.locator(".gridbox").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    page.get_by_role("gridcell", name="line 401").wait_for()
    box = page.get_by_role("columnheader", name="size").bounding_box()
    page.mouse.click(box["x"] + 8, box["y"] + 4)  # beside the letters, which are at the right, as the numbers are
    page.wait_for_function("() => location.hash.includes('sort=size')")
    listed(page)
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("size")
    sizes = [
        float(text.replace(",", "").replace("−", "-"))
        for text in page.locator(".grid tbody:not([aria-hidden]) td:nth-child(3)").all_inner_texts()
    ]
    assert sizes == sorted(sizes)
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Add a filter on a column").select_option("size")
    page.get_by_label("size from").fill("7.5")
    page.wait_for_function("() => decodeURIComponent(location.hash).includes('7.5')")
    page.locator(".count").get_by_text(re.compile(r"^1?\d\d rows that match")).wait_for()
    few = page.locator(".count").inner_text()
    page.reload()
    page.locator(".count").get_by_text(few).wait_for()
    assert page.get_by_label("size from").input_value() == "7.5"
    page.get_by_label("Remove the filter on size").click()
    page.get_by_label("Search").fill("zzz")
    page.locator(".count").get_by_text("0 rows").wait_for()


def test_suspects_are_kept_corrected_and_forgotten_with_undo(groups: tuple[str, Path], visit: Visit) -> None:
    url, saved = groups
    page = visit(f"{url}#/rows")
    page.wait_for_function("() => document.getElementById('learner').textContent.includes('Stack')")
    page.get_by_role("button", name="Suspects").click()
    listed(page, "2 rows whose target may be wrong")
    page.locator(".score strong").first.wait_for()
    page.locator(".grid tbody:not([aria-hidden]) tr").first.click()
    page.get_by_text("Without this row, the prediction is").wait_for()
    picture(page, "rows-suspects")
    check_accessible(page)
    first = page.locator(".side h2").inner_text()
    accuracy = page.locator(".score strong").first.inner_text()
    watch = """() => {
      window.said = [];
      const look = () => window.said.push(document.querySelector('.scorelabel')?.textContent ?? '');
      new MutationObserver(look).observe(document.querySelector('.strip'), { childList: true, subtree: true });
    }"""
    page.evaluate(watch)
    page.get_by_role("button", name=re.compile("Correct to")).click()
    page.get_by_text("1 change not saved").wait_for()
    page.locator(".score .better").first.wait_for(timeout=60_000)
    assert accuracy in page.locator(".score .better").first.inner_text()
    assert all("Stack" in text for text in page.evaluate("window.said"))  # the score of k-NN never comes in between
    page.get_by_role("button", name=re.compile("Forget")).last.click()
    page.get_by_text("2 changes not saved").wait_for()
    listed_none = page.locator(".count").get_by_text("No suspects left.")
    listed_none.wait_for()
    page.get_by_role("button", name=re.compile("^Undo")).click()
    page.get_by_text("1 change not saved").wait_for()
    page.get_by_role("button", name=re.compile("^Undo")).click()
    page.get_by_text("No changes").wait_for()
    assert sorted(first_column(page)) == ["line 32", "line 33"]
    assert first.lower() in first_column(page)
    page.locator(".grid").focus()
    page.keyboard.press("k")
    page.get_by_role("button", name=re.compile("Undo: Keep")).wait_for()
    page.keyboard.press("f")
    page.get_by_text("1 change not saved").wait_for()
    assert not saved.exists()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved to saved.priorcase").first.wait_for()
    assert pc.load(saved).n_samples_fit_ == 399
    page.get_by_role("button", name="Undo", disabled=True).wait_for()


def test_a_value_is_corrected_in_the_form_and_the_row_stays_in_its_place(
    groups: tuple[str, Path], visit: Visit
) -> None:
    page = visit(f"{groups[0]}#/rows")
    listed(page)
    page.locator(".grid").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Line 4").wait_for()
    assert "row=2" in page.url
    page.get_by_label("size", exact=True).fill("5")
    page.get_by_text("1 value is changed.").wait_for()
    page.get_by_role("button", name="Correct", exact=True).click()
    page.get_by_text("1 change not saved").wait_for()
    page.get_by_text("Line 4 was corrected.").wait_for()
    assert first_column(page)[:4] == ["line 2", "line 3", "line 4", "line 5"]
    with page.expect_download() as download:
        page.get_by_role("link", name="Download table").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[3].startswith("5,")
    page.get_by_role("button", name=re.compile("^Undo")).click()
    page.get_by_text("No changes").wait_for()
    assert first_column(page)[:4] == ["line 2", "line 3", "line 4", "line 5"]


def test_reload_and_the_back_button_keep_what_is_shown(visit: Visit, repairs: str) -> None:
    page = visit(f"{repairs}#/rows")
    listed(page)
    page.get_by_role("button", name="Unusual rows").click()
    page.locator(".count").get_by_text(re.compile("unusual combination|No unusual rows")).wait_for()
    page.reload()
    page.locator(".count").get_by_text(re.compile("unusual combination|No unusual rows")).wait_for()
    page.go_back()
    listed(page, "96 rows")
    page.locator(".grid tbody:not([aria-hidden]) tr").nth(3).click()
    page.get_by_role("heading", name="Row #3").wait_for()
    picture(page, "rows", documented=True)
    check_accessible(page)
    page.reload()
    page.get_by_role("heading", name="Row #3").wait_for()
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".prediction strong").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Row #3").wait_for()


def test_markup_in_values_is_text_and_the_page_fits_a_phone(visit: Visit, houses: str) -> None:
    page = visit(f"{houses}#/rows", width=360, height=740, dark=True)
    listed(page, "200 rows")
    page.get_by_role("gridcell", name="<img src=x onerror=alert(1)>").first.wait_for()
    page.locator(".grid tbody:not([aria-hidden]) tr").first.click()
    page.locator(".side h2").wait_for()
    check_fits(page)
    check_accessible(page)
    picture(page, "rows-360-dark")


def test_nothing_can_be_changed_in_read_only_mode(visit: Visit) -> None:
    with exploring("--read-only") as url:
        page = visit(f"{url}#/rows")
        listed(page)
        page.locator(".grid tbody:not([aria-hidden]) tr").first.click()
        page.get_by_role("heading", name="Row #0").wait_for()
        assert page.get_by_role("button", name=re.compile("Forget|Correct|Undo|Save")).count() == 0
        check_accessible(page)
        page.close()  # before nobody answers it any more
