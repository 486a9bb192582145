"""Numbers as people type them into the page: shown as they are understood, and never lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Visit, check_accessible, exploring
from commands import write
from typed_texts import NUMBERS

import priorcase as pc

pytestmark = pytest.mark.browser


def test_typed_numbers_mean_what_they_mean_in_python(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    found = page.evaluate(
        """async (texts) => {
          const { typedNumber } = await import("/static/typed.js");
          return texts.map(([text, decimal]) => typedNumber(text, decimal));
        }""",
        [[text, decimal] for text, decimal, _ in NUMBERS],
    )
    for (text, decimal, expected), one in zip(NUMBERS, found, strict=True):
        if isinstance(expected, str):
            assert one == {"problem": expected}, (text, decimal)
        elif expected is None and text.strip():
            assert "is not a number" in one["problem"], (text, decimal)
        else:
            assert one == {"value": expected}, (text, decimal)


@pytest.mark.parametrize("decimal", [".", ","])
def test_a_decimal_comma_is_a_decimal_mark(visit: Visit, tmp_path: Path, decimal: str) -> None:
    rows = [f"{i}.5;{'no' if i < 20 else 'yes'}".replace(".", decimal) for i in range(41)]
    with exploring(
        write(tmp_path / "t.csv", ["dose;ill", *rows]), "--target", "ill", "--column", "dose=numeric"
    ) as url:
        page = visit(url)
        page.locator(".prediction").wait_for()
        page.evaluate(
            """() => {
              const before = window.fetch;
              window.fetch = (path, options) => {
                if (path.split("?")[0] === "/predict") window.asked = JSON.parse(options.body);
                return before(path, options);
              };
            }"""
        )
        box = page.get_by_label("dose", exact=True)
        note = page.locator(".case .typed")
        for text, value, words in (
            ("1,5", 1.5, "= 1.5" if decimal == "." else ""),
            ("1.5", 1.5, "" if decimal == "." else "= 1,5"),
            ("1.516,34", 1516.34, f"= 1516{decimal}34"),
        ):
            box.fill(text)
            page.wait_for_function("value => window.asked?.dose === value", arg=value)
            assert note.text_content() == words
            assert box.get_attribute("aria-invalid") is None
        for text, words in (("12e", "'12e' is not a number"), ("1e400", "'1e400' is not a number")):
            box.fill(text)
            assert words in note.text_content()
            assert f"Until then, 1516{decimal}34 is used." in note.text_content()
            assert box.get_attribute("aria-invalid") == "true"
        assert page.evaluate("() => window.asked") == {"dose": 1516.34}  # not missing
        page.wait_for_function("() => !document.querySelector('[aria-busy]')")
        check_accessible(page)
        box.fill("")
        page.wait_for_function("() => !('dose' in window.asked)")
        page.get_by_role("button", name="Typical case").click()
        assert decimal in box.input_value()
        page.context.close()


def test_a_form_with_an_unusable_number_is_not_sent(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "bikes.cases"
    with pc.CaseBase.open(path, {"age": "numeric"}) as base:
        base.add({"age": 3}, solution=10)
    with exploring(path) as url:
        page = visit(url)
        page.locator("nav").wait_for()
        page.goto(f"{page.url.split('#')[0]}#/cases?add=1")
        page.get_by_label("age", exact=True).fill("4e")
        page.get_by_label("Solution", exact=True).fill("12,5")
        page.get_by_role("button", name="Add the case").click()
        page.get_by_role("alert").get_by_text("'4e' is not a number").wait_for()
        page.get_by_label("age", exact=True).fill("4,25")
        page.get_by_role("button", name="Add the case").click()
        page.locator(".record").wait_for()
        page.context.close()
    with pc.CaseBase.open(path, readonly=True) as base:
        assert [(case["age"], case.solution) for case in base] == [(3, 10), (4.25, 12.5)]
