"""What if, as a person uses it: curves, names as bars, and maps of two columns."""

from __future__ import annotations

import pytest
from browsing import Visit, check_accessible, check_fits, picture, settled

pytestmark = pytest.mark.browser


def test_a_curve_has_past_cases_near_it(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page, "Stacked")
    page.get_by_label("noise", exact=True).select_option(label="creak")
    page.get_by_label("brakes", exact=True).select_option(label="soft")
    page.get_by_role("link", name="What if").click()
    settled(page)
    page.get_by_label("Along", exact=True).select_option("km_since_service")
    settled(page)
    assert page.locator("svg.chart .line").count() == 4
    assert page.locator("svg.chart .near").count() > 5
    assert page.locator("svg.chart .here").count() == 1
    assert "along=km_since_service" in page.url
    picture(page, "what-if", documented=True)
    check_accessible(page)
    page.reload()
    settled(page)
    assert page.get_by_label("Along", exact=True).input_value() == "km_since_service"


def test_names_are_bars_and_a_click_puts_one_into_the_case(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page, "Stacked")
    page.get_by_role("link", name="What if").click()
    settled(page)
    page.get_by_label("Along", exact=True).select_option("noise")
    settled(page)
    assert page.locator(".value").count() == 6  # five noises, and none
    page.get_by_role("button", name="grind").click()
    settled(page)
    assert "grind" in page.locator(".value.own").inner_text()
    assert page.get_by_label("noise", exact=True).evaluate("it => it.selectedOptions[0].textContent") == "grind"
    picture(page, "what-if-names")
    check_accessible(page)


def test_two_columns_are_a_map(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    settled(page, "Stacked")
    page.get_by_role("link", name="What if").click()
    settled(page)
    page.get_by_label("Along", exact=True).select_option("km_since_service")
    page.get_by_label("and", exact=True).select_option("age_years")
    settled(page)
    assert page.locator("svg.chart .cell").count() > 100
    assert page.locator("svg.chart .cell.own").count() == 1
    page.get_by_label("Probability of", exact=True).select_option("brakes")
    assert "probability of brakes" in page.locator(".ramp").inner_text()
    assert page.locator("svg.chart > text").get_by_text("missing", exact=True).count() == 2  # the last of each axis
    page.get_by_text("quantiles of the past cases").wait_for()
    box = page.get_by_label("km_since_service", exact=True)
    before = box.input_value()
    page.locator("svg.chart .cell").first.click()
    assert box.input_value() != before
    page.go_back()  # takes a click back
    assert box.input_value() == before
    page.go_forward()
    settled(page)
    assert page.locator("svg.chart .cell.own").count() == 1
    picture(page, "what-if-map")
    check_accessible(page)


def test_numbers_are_curves_of_numbers(visit: Visit, houses: str) -> None:
    page = visit(houses)
    settled(page, "Stacked")
    page.get_by_role("link", name="What if").click()
    settled(page)
    for column in ("area", "sold"):
        page.get_by_label("Along", exact=True).select_option(column)
        settled(page)
        assert page.locator("svg.chart .line").count() == 1
        assert page.locator("svg.chart .near").count() > 5
    page.get_by_label("Along", exact=True).select_option("part")
    settled(page)
    assert page.locator(".value").count() == 4
    check_accessible(page)


@pytest.mark.parametrize("width", [360, 2000])
def test_it_fits_any_width_in_the_dark(visit: Visit, repairs: str, width: int) -> None:
    page = visit(repairs, width=width, dark=True)
    settled(page, "Stacked")
    page.get_by_role("link", name="What if").click()
    settled(page)
    check_fits(page)
    picture(page, f"what-if-{width}-dark")
    check_accessible(page)
