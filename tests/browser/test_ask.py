"""Ask, as a person uses it: the form, the live answer, past cases, contributions and smallest changes."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browsing import Visit, check_accessible, check_fits, decimals, exploring, picture, settled

from priorcase._numbers import equal_decimals, with_errors

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def wide_values(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The explorer of a table whose values are long."""
    rng = np.random.default_rng(3)
    words = [f"{start}-of-a-rather-long-category" for start in ("first", "second", "third")]
    lines = ["a-column-of-a-long-name,other,third,state"]
    for _ in range(60):
        at = rng.integers(3, size=3).tolist()
        lines.append(",".join([*(words[i] for i in at), "less than fifty" if sum(at) > 3 else "more than fifty"]))
    path = tmp_path_factory.mktemp("tables") / "wide.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with exploring(path, "--target", "state") as url:
        yield url


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
    heads = page.locator(".cases thead th").all_inner_texts()
    assert heads[0] == "this case"
    assert heads[1].startswith("nearest unlike")
    assert len(set(heads)) == len(heads)
    assert decimals(page.locator('.cases tr:has(th:text-is("distance")) td.soft').all_inner_texts()) == {3}
    assert decimals(page.locator(".shares td.n").all_inner_texts()) == {1}
    member = r"The past cases vote only in the member \w+, which has \d+\.\d% of the weight of the stack\."
    assert re.search(member, page.locator(".past .body > p").inner_text())
    picture(page, "ask", documented=True)
    check_accessible(page)


def test_the_first_change_is_sent_at_once(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page)
    sent = """() => {
      const sent = [];
      const before = window.fetch;
      window.fetch = (path, options) => (sent.push(path.split('?')[0]), before(path, options));
      const box = document.querySelector('.case input[inputmode=decimal]');
      box.value = 7;
      box.dispatchEvent(new Event('input', { bubbles: true }));
      const first = [...sent];
      box.value = 8;
      box.dispatchEvent(new Event('input', { bubbles: true }));
      return [first, sent];
    }"""
    first, both = page.evaluate(sent)
    assert first == ["/predict", "/neighbors"]  # without waiting for anything
    assert both == first  # and what follows soon after waits for its end
    settled(page)


def test_the_back_button_takes_clicks_back_and_not_letters(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page, "Stacked")
    box = page.get_by_label("load_kg", exact=True)
    for text in ("120", "121"):
        box.fill(text)
    page.get_by_role("button", name="Empty all").click()
    assert box.input_value() == ""
    page.get_by_role("button", name="Typical case").click()
    typical = box.input_value()
    assert typical not in ("", "121")
    settled(page)
    page.get_by_role("button", name=re.compile("Use these changes")).first.click()
    used = page.url
    page.go_back()
    assert page.url != used
    assert box.input_value() == typical
    page.go_back()
    assert box.input_value() == ""
    page.go_back()
    assert box.input_value() == "121"
    settled(page)


@pytest.mark.parametrize("width", [360, 1280])
def test_wide_values_leave_room_for_past_cases(visit: Visit, wide_values: str, width: int) -> None:
    page = visit(wide_values, width=width)
    settled(page, "Stacked")  # whose answer replaces the table, and where it was scrolled to
    scroll = page.locator(".past .scroll")
    scroll.scroll_into_view_if_needed()
    place = scroll.bounding_box()
    unlike = page.locator(".cases thead th.unlike").bounding_box()
    assert unlike["x"] + unlike["width"] <= place["x"] + place["width"] + 1
    scroll.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
    page.wait_for_timeout(100)
    first = page.locator(".cases tbody th").first.bounding_box()
    assert abs(first["x"] - place["x"]) <= 1  # names of columns stay
    last = page.locator(".cases thead th").last.bounding_box()
    assert first["x"] + first["width"] <= last["x"] + 1
    assert last["x"] + last["width"] <= place["x"] + place["width"] + 1
    check_fits(page)


def test_numbers_are_written_as_people_write_them(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    texts = page.evaluate(
        """() => import('/static/dom.js').then(({ count, number, shown, signed }) =>
          [number(2005), number(9999.5), number(12345), number(-1.5), number(-2e-7), count(9999), count(10000),
           shown(-3), shown(null), signed(-0.04, 1), signed(12, 1)])"""
    )
    assert texts[:7] == ["2005", "10,000", "12,345", "−1.5", "−2.00e−7", "9,999", "10,000"]
    assert texts[7:] == ["−3", "missing", "0.0", "+12.0"]


def test_numbers_of_a_column_are_written_as_in_a_report(visit: Visit, repairs: str) -> None:
    columns: list[list[float]] = [
        [0.88812, 0.85, 0.04],
        [-1.29041, -0.90002],
        [0.0, 2.0],
        [-0.00001, 0.0312],
        [0.00021678, 0.00048],
        [12.5, 0.017, 9.96],
        [9999.96, 61234.6, 1234567.8],
        [0.0, 0.0],
        [],
    ]
    page = visit(repairs)
    found = page.evaluate(
        """([columns, errors]) => import('/static/dom.js').then(({ equalDecimals, withErrors }) => [
          columns.map((column) => equalDecimals(column)),
          columns.map((column, i) => withErrors(column, errors[i]).map((texts) => texts.join(""))),
          withErrors([null, 0.5], [null, 0.02])])""",
        [columns, [[None if i == 1 else abs(x) / 30 for i, x in enumerate(column)] for column in columns]],
    )
    alike = [[text.replace("−", "-").replace(" ", "") for text in texts] for texts in (*found[0], *found[1])]
    errors = [[math.nan if i == 1 else abs(x) / 30 for i, x in enumerate(column)] for column in columns]
    plain = [*map(equal_decimals, columns), *map(with_errors, columns, errors)]
    assert alike == [[text.replace(" ", "") for text in texts] for texts in plain]
    assert found[2] == [["–", ""], ["0.500", " ± 0.020"]]


def test_a_page_says_that_the_explorer_has_stopped_and_stays_quiet(chromium: Any) -> None:
    page = chromium.new_page()
    page.set_default_timeout(60_000)
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    with exploring() as url:
        page.goto(url)
        settled(page)
        assert not heard
    page.get_by_text("The explorer has stopped. Start it again with priorcase explore.").first.wait_for()
    for value in ("100", "110", "120"):
        page.get_by_label("load_kg", exact=True).fill(value)
        page.wait_for_timeout(1500)
    assert page.locator("#stopped").is_visible()
    assert len(heard) <= 5
    page.close()


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
    assert slider.get_attribute("aria-valuetext") == "missing"
    page.get_by_role("button", name="Empty all").click()
    settled(page)
    assert page.locator(".why").get_by_text("All columns of this case are missing.").count() == 1


def test_values_unlike_all_past_cases_are_marked(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page)
    notes = page.locator(".strange:visible")
    assert notes.count() == 0
    box = page.get_by_label("load_kg", exact=True)
    box.fill("600")
    assert notes.all_inner_texts() == ["is outside the range 59 to 169 of the past cases"]
    described = "it => document.getElementById(it.getAttribute('aria-describedby')).textContent"
    assert box.evaluate(described) == notes.inner_text()
    settled(page)
    check_accessible(page)
    box.fill("169")  # beyond the slider, but not beyond the past cases
    assert notes.count() == 0
    assert box.get_attribute("aria-describedby") is None
    page.evaluate("location.hash = '#/ask?case=' + encodeURIComponent(JSON.stringify({ bike: 'unicycle' }))")
    page.locator('.field:has(label:text-is("bike"))').get_by_text("does not occur in the past cases").wait_for()
    assert notes.count() == 1
    assert page.get_by_label("bike", exact=True).evaluate("it => it.selectedOptions[0].textContent") == "unicycle"
    page.get_by_role("button", name="Empty all").click()
    assert notes.count() == 0
    settled(page)


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


def test_it_looks_the_same_in_the_dark(visit: Visit, repairs: str) -> None:
    page = visit(repairs, dark=True)
    settled(page, "Stacked")
    page.get_by_label("noise", exact=True).select_option(label="creak")
    page.get_by_label("bike", exact=True).select_option(label="mountain")
    settled(page)
    picture(page, "ask-dark", documented=True)


@pytest.mark.parametrize("width", [360, 768, 2000])
def test_it_fits_any_width_in_the_dark(visit: Visit, repairs: str, width: int) -> None:
    page = visit(repairs, width=width, dark=True)
    settled(page, "Stacked")
    check_fits(page)
    picture(page, f"ask-{width}-dark")
    check_accessible(page)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Switch between light and dark mode").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark


def test_numbers_dates_and_names_that_look_like_markup(visit: Visit, houses: str) -> None:
    page = visit(houses)
    settled(page, "Stacked")
    interval = page.locator(".answer").get_by_text("95% interval: ").inner_text().removeprefix("95% ")
    assert len(decimals([prediction(page), interval])) == 1
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


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_jumps_while_parts_arrive(visit: Visit, repairs: str, width: int) -> None:
    page = visit(repairs, width=width)
    watch = """() => {
      window.shifts = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shifts += one.value)))
        .observe({ type: "layout-shift", buffered: true });
    }"""
    page.evaluate(watch)
    settled(page, "Stacked")
    for value in (900, 1200, 3000):
        page.get_by_label("km_since_service", exact=True).fill(str(value))
        settled(page)
    for name in ("Empty all", "Typical case"):
        page.get_by_role("button", name=name).click()
        settled(page)
    assert page.evaluate("window.shifts") < 0.02


def test_what_cannot_be_opened_is_explained(visit: Visit, tmp_path: Any) -> None:
    with zipfile.ZipFile(tmp_path / "broken.priorcase", "w") as file:
        file.writestr("note.txt", "no model")
    with exploring(tmp_path / "broken.priorcase") as url:
        page = visit(url)
        page.get_by_text("The file could not be opened").wait_for()
        page.close()
