"""Ask, as a person uses it: the form, the live answer, past cases, contributions and smallest changes."""

from __future__ import annotations

import re
import zipfile
from typing import Any

import pytest
from browsing import Visit, check_accessible, check_fits, exploring, picture, settled

pytestmark = pytest.mark.browser


def prediction(page: Any) -> str:
    return str(page.locator(".prediction strong").inner_text())


def test_the_answer_follows_the_form(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page, "Stacked")
    assert "token" not in page.url
    assert page.locator("nav a").all_inner_texts()[:2] == ["Ask", "What if"]
    first = prediction(page)
    page.get_by_label("noise", exact=True).select_option(label="creak")
    page.get_by_label("bike", exact=True).select_option(label="mountain")
    page.wait_for_function("before => document.querySelector('.prediction strong').textContent !== before", arg=first)
    assert prediction(page) == "wheel"
    settled(page)
    assert page.locator(".cases .unlike").count() > 0
    assert page.locator(".cases .differs .mark").first.inner_text().strip() == "≠"
    assert page.locator(".shares tbody tr").count() == 9
    picture(page, "ask", documented=True)
    check_accessible(page)


def test_numbers_are_typed_or_slid_and_may_be_empty(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page)
    box, slider = page.get_by_label("load_kg", exact=True), page.get_by_label("load_kg, slider")
    box.fill("120")
    assert slider.input_value() == "120"
    slider.focus()
    page.keyboard.press("Home")
    low = box.input_value()
    assert float(low) < 80
    page.get_by_role("button", name="Clear load_kg").click()
    assert box.input_value() == ""
    assert slider.get_attribute("aria-valuetext") == "empty"
    page.get_by_role("button", name="Empty all").click()
    settled(page)
    assert page.locator(".why").get_by_text("Nothing is known about this case.").count() == 1


def test_one_click_puts_the_smallest_changes_into_the_form(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page, "Stacked")
    wanted = page.locator(".turns > li strong").first.inner_text()
    assert wanted != prediction(page)
    page.get_by_role("button", name=re.compile("Use these changes")).first.click()
    page.wait_for_function("to => document.querySelector('.prediction strong').textContent === to", arg=wanted)


def test_reload_and_the_back_button_keep_the_case(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page)
    page.get_by_label("noise", exact=True).select_option(label="grind")
    settled(page)
    page.get_by_role("link", name="What if").click()
    settled(page)
    assert page.get_by_label("noise", exact=True).evaluate("it => it.selectedOptions[0].textContent") == "grind"
    page.go_back()
    settled(page)
    assert page.get_by_role("link", name="Ask").get_attribute("aria-current") == "page"
    page.reload()
    settled(page)
    assert page.get_by_label("noise", exact=True).evaluate("it => it.selectedOptions[0].textContent") == "grind"


def test_the_keyboard_is_enough(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the view"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.labels?.[0]?.textContent") == "bike":
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.type("mountain")
    settled(page)
    assert "mountain" in page.locator(".cases td:nth-child(2)").all_inner_texts()


@pytest.mark.parametrize("width", [360, 768, 2000])
def test_it_fits_any_width_in_the_dark(visit: Visit, repairs: str, width: int) -> None:
    page = visit(repairs, width=width, dark=True)
    settled(page, "Stacked")
    check_fits(page)
    picture(page, f"ask-{width}-dark")
    check_accessible(page)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Change between light and dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark


def test_numbers_dates_and_names_that_look_like_markup(visit: Visit, houses: str) -> None:
    page = visit(houses)
    settled(page, "Stacked")
    assert page.locator(".answer").get_by_text("95 % interval").count() == 1
    assert page.locator("img").count() == 0
    page.get_by_label("part", exact=True).select_option(label="<img src=x onerror=alert(1)>")
    page.get_by_label("sold", exact=True).fill("2022-05-01")
    page.get_by_label("area", exact=True).fill("60")
    page.keyboard.press("Tab")
    settled(page)
    assert "<img src=x onerror=alert(1)>" in page.locator(".cases").inner_text()
    assert page.locator("img").count() == 0
    page.get_by_label("Number to reach").fill("150000")
    settled(page)
    assert page.locator(".turns > li").count() > 0
    picture(page, "ask-numbers")
    check_accessible(page)


def test_characters_that_hide_or_turn_text_are_shown_as_escapes(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    element = r"h('p', { title: 'a\u202eb' }, 'c\u202e', h('b', {}, '\u001b[2J'))"
    made = page.evaluate(f"import('/static/dom.js').then(({{ h }}) => {element}.outerHTML)")
    assert made == r'<p title="a\u202eb">c\u202e<b>\u001b[2J</b></p>'


def test_nothing_jumps_while_parts_arrive(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page, "Stacked")
    watch = """() => {
      window.shifts = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shifts += one.value)))
        .observe({ type: "layout-shift", buffered: false });
    }"""
    page.evaluate(watch)
    for value in (900, 1200, 3000):
        page.get_by_label("km_since_service", exact=True).fill(str(value))
        settled(page)
    assert page.evaluate("window.shifts") < 0.05


def test_what_cannot_be_opened_is_explained(visit: Visit, tmp_path: Any) -> None:
    with zipfile.ZipFile(tmp_path / "broken.priorcase", "w") as file:
        file.writestr("note.txt", "no model")
    with exploring(tmp_path / "broken.priorcase") as url:
        page = visit(url)
        page.get_by_text("This could not be opened").wait_for()
        page.close()
