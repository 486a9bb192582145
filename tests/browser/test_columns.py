"""Columns, as a person uses it: correct what was read, fit, see what columns hold, weigh them by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import Visit, check_accessible, check_fits, decimals, exploring, picture

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def loans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with an id, decimal commas, local dates, levels, and names that look like markup."""
    rng = np.random.default_rng(1)
    names = ("own", "rent", '"><img src=x onerror=alert(1)>')
    lines = ["number;income;size;when;housing;repaid"]
    for i in range(120):
        income, size, name = rng.normal(30, 10), "SML"[rng.integers(3)], names[rng.integers(3)]
        paid = income + 8 * (size == "L") + rng.normal(0, 5) > 32
        quoted = name.replace('"', '""')
        day = f"{rng.integers(13, 28)}.{rng.integers(1, 12)}.2021"
        lines.append(f'L-{i:03d};{f"{income:.1f}".replace(".", ",")};{size};{day};"{quoted}";{"yes" if paid else "no"}')
    path = tmp_path_factory.mktemp("tables") / "loans.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def raw(loans: Path) -> Iterator[str]:
    """The explorer of a table whose target was not named."""
    with exploring(loans) as url:
        yield url


def columns_of(page: Any) -> None:
    page.get_by_role("link", name="Columns").click()
    page.wait_for_selector(".weight")
    ranked(page)


def column(page: Any, name: str) -> Any:
    return page.locator(f'.column:has(h3:text-is("{name}"))')


def ranked(page: Any) -> None:
    """Wait until past cases are ranked by the weights as they are."""
    page.wait_for_timeout(150)
    page.wait_for_function(
        "() => !document.querySelector('.weights[aria-busy]') && document.querySelector('.ranked tr')"
    )


def test_a_table_is_corrected_before_anything_runs(raw: str, visit: Visit) -> None:
    page = visit(raw)
    page.wait_for_selector(".column")
    assert page.locator("#views a").all_inner_texts() == ["Columns"]
    assert "semicolons, decimal commas, dates as day, month, year" in page.locator(".reading").inner_text()
    assert page.get_by_label("Predict").input_value() == "repaid"
    assert "identifies rows" in column(page, "number").inner_text()
    assert '"><img src=x onerror=alert(1)>' in column(page, "housing").inner_text()
    page.get_by_role("button", name="Read again without fitting", disabled=True).wait_for()
    picture(page, "columns-first")
    check_accessible(page)
    page.get_by_label("Kind of size").select_option("ordinal")
    assert page.get_by_label("Levels of size").input_value() == "L < M < S"
    page.get_by_label("Levels of size").fill("S < M < L")
    page.reload()  # corrections that were not applied are in the address
    assert page.get_by_label("Levels of size").input_value() == "S < M < L"
    page.get_by_role("button", name="Undo corrections").click()
    assert page.get_by_label("Levels of size").count() == 0
    page.get_by_label("Kind of size").select_option("ordinal")
    page.get_by_label("Levels of size").fill("S < M < L")
    page.get_by_label("Kind of when").select_option("ignore")
    page.get_by_role("button", name="Fit", exact=True).click()
    page.wait_for_selector(".panel.answer strong")  # which Ask shows
    assert "#/ask" in page.url
    assert page.get_by_label("size", exact=True).locator("option").all_inner_texts() == ["missing", "S", "M", "L"]
    assert page.get_by_label("when", exact=True).count() == 0
    columns_of(page)
    assert "set to ignore" in column(page, "when").inner_text()
    assert column(page, "income").locator(".piece").count() > 20  # stacked by outcome


def test_another_delimiter_is_tried_and_taken_back(raw: str, visit: Visit) -> None:
    page = visit(raw)
    page.wait_for_selector(".column")
    page.get_by_label("Delimiter").select_option(",")
    page.get_by_role("button", name="Read again without fitting").click()
    page.wait_for_function("() => document.querySelectorAll('.column').length < 6")
    page.get_by_label("Delimiter").select_option("")
    page.get_by_role("button", name="Read again without fitting").click()
    page.wait_for_function("() => document.querySelectorAll('.column').length === 6")
    page.get_by_label("Missing values").fill("M, -9")
    page.get_by_label("Missing values").press("Tab")
    page.get_by_role("button", name="Read again without fitting").click()
    column(page, "size").get_by_text(re.compile(r"\d\d% missing")).wait_for()
    page.get_by_label("Kind of income").select_option("circular")
    page.get_by_label("Period of income").fill("-1")
    page.get_by_role("button", name="Fit", exact=True).click()
    page.wait_for_selector("#notice:not([hidden])")
    assert "above 0" in page.locator("#notice").inner_text()


def test_a_file_is_opened_by_hand_and_by_dropping_it(raw: str, visit: Visit, tmp_path: Path) -> None:
    page = visit(raw)
    page.wait_for_selector(".column")
    rows = "\n".join(f"{i},{'ab'[i % 2]},{i % 5}" for i in range(30))
    file = tmp_path / "<b>bold<b>.csv"
    file.write_text(f"x,y,z\n{rows}\n", encoding="utf-8")
    page.locator("#open-file").set_input_files(str(file))
    page.wait_for_function("() => document.querySelectorAll('.column').length === 3")
    assert page.locator("#name").inner_text() == "<b>bold<b>.csv"
    page.get_by_label("Predict").select_option("y")
    page.get_by_role("button", name="Fit", exact=True).click()
    page.wait_for_selector(".panel.answer strong")
    columns_of(page)
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["p;q\\n1;u\\n2;v\\n"], "dropped.csv"));
          const dropped = {dataTransfer: data, bubbles: true, cancelable: true};
          document.querySelector("main").dispatchEvent(new DragEvent("drop", dropped));
        }"""
    )
    page.wait_for_function("() => document.getElementById('name').textContent === 'dropped.csv'")
    page.wait_for_function("() => document.querySelectorAll('.column').length === 2")
    assert page.locator("#views a").all_inner_texts() == ["Columns"]


@pytest.fixture
def clinic(tmp_path: Path) -> Iterator[str]:
    """The explorer of a table of numbers of which two have few values and one has outliers."""
    lines = [f"{i % 2},{1 + i % 3},{150 + i},{'no' if i < 40 else 'yes'}" for i in range(60)]
    table = tmp_path / "clinic.csv"
    table.write_text("\n".join(["sex,pain,chol,ill", *lines, "1,4,564,yes", "0,4,-300,no", "0,4,-301,no"]) + "\n")
    with exploring(table, "--target", "ill") as url:
        yield url


def test_bars_are_where_their_numbers_are_and_cuts_are_marked(clinic: str, visit: Visit) -> None:
    page = visit(clinic)
    page.wait_for_selector(".panel.answer strong")
    columns_of(page)
    axes = {}
    for name, few in {"sex": ["0", "1"], "pain": ["1", "2", "3", "4"]}.items():
        shown = column(page, name)
        assert shown.locator(".ends span").all_inner_texts() == [few[0], few[-1]]
        axis = shown.locator(".stacked").bounding_box()
        bars: dict[str, float] = {}
        for piece in shown.locator(".piece").all():
            place = piece.bounding_box()
            number = str(piece.locator("title").text_content()).partition(":")[0]
            bars[number] = (place["x"] + place["width"] / 2 - axis["x"]) / axis["width"]
        assert sorted(bars) == few
        axes[name] = [bars[number] for number in few]
    margin = axes["sex"][0]  # half a bar
    assert margin < 0.06
    for centers in axes.values():
        assert centers == pytest.approx(np.linspace(margin, 1 - margin, len(centers)), abs=0.01)
    chol = column(page, "chol")
    assert chol.locator(".ends span").all_inner_texts() == [
        "< 150: 2 rows, down to −301",
        "> 209: 1 row, up to 564",
    ]
    titles = [str(title) for title in chol.locator("title").all_text_contents()]
    assert titles[0].startswith("−301 to 151: ")
    assert titles[-1].startswith("208 to 564: ")
    picture(page, "columns-numbers")


@pytest.fixture
def own_repairs() -> Iterator[str]:
    """The explorer of the built-in table, for a test after which another learner answers."""
    with exploring() as url:
        yield url


def test_weights_rank_past_cases_again_and_may_answer(own_repairs: str, visit: Visit) -> None:
    page = visit(own_repairs)
    page.wait_for_selector(".panel.answer strong")
    columns_of(page)
    assert page.locator(".ranked tbody tr").count() == 8
    assert set(page.locator(".ranked tbody td.moved").all_inner_texts()) == {"same"}
    before = page.locator(".ranked tbody").inner_text()
    slider = page.get_by_label("Weight of noise, slider")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    ranked(page)
    assert page.get_by_label("noise", exact=True).input_value() == "3"
    page.get_by_label("bike", exact=True).fill("0")
    ranked(page)
    assert page.locator(".ranked tbody").inner_text() != before
    assert re.search(r"[▲▼] from \d+", page.locator(".ranked").inner_text())
    assert "bike" not in page.locator(".ranked tbody").inner_text()
    page.get_by_role("button", name="Measure importance").click()
    page.wait_for_selector(".matter", timeout=60_000)
    assert decimals(page.locator(".matter .n").all_inner_texts()) == {3}
    assert decimals(page.locator(".ranked tbody td:nth-of-type(3)").all_inner_texts()) == {3}
    picture(page, "columns", documented=True)
    check_accessible(page)
    page.reload()
    page.wait_for_selector(".weight")
    ranked(page)
    assert page.get_by_label("noise", exact=True).input_value() == "3"
    assert page.locator(".matter").count() > 5  # measured before, and kept
    page.get_by_role("button", name="By importance").click()
    ranked(page)
    assert page.get_by_label("noise", exact=True).input_value() != "3"
    page.get_by_role("button", name="Use these weights").click()
    page.wait_for_function("() => document.getElementById('learner').textContent.includes('k-nearest')")
    page.get_by_role("button", name="All equal").click()
    ranked(page)
    assert set(page.locator(".ranked tbody td.moved").all_inner_texts()) == {"same"}


def test_columns_fit_narrow_windows_in_the_dark(visit: Visit, houses: str) -> None:
    page = visit(houses, width=360, height=740, dark=True)
    page.wait_for_selector(".panel.answer strong")
    columns_of(page)
    assert page.locator(".legend li").count() == 3  # thirds of a number
    assert "<img src=x onerror=alert(1)>" in column(page, "part").inner_text()
    check_fits(page)
    check_accessible(page)
    picture(page, "columns-narrow-dark")
    overlaps = """() => [...document.querySelectorAll('.column')].filter((one) => {
      const parts = [...one.children].map((part) => part.getBoundingClientRect());
      return parts.some((part, i) => i && part.top < parts[i - 1].bottom - 1);
    }).length"""
    assert page.evaluate(overlaps) == 0  # one below the other
    held = (
        "() => [...document.querySelectorAll('.distribution')].every((one) => one.scrollHeight <= one.clientHeight + 1)"
    )
    assert page.evaluate(held)
