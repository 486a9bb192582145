"""Learners, as a person uses it: compare, look at one, decide by costs, and choose who answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browsing import Visit, check_accessible, check_fits, decimals, exploring, picture

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def two_classes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The explorer of a table of two classes, one of them rare."""
    rng = np.random.default_rng(2)
    path = tmp_path_factory.mktemp("tables") / "checks.csv"
    lines = ["a,b,state"]
    for _ in range(150):
        a, b = rng.normal(), "uv"[rng.integers(2)]
        lines.append(f"{a:.3f},{b},{'<i>sick</i>' if a + (b == 'u') + rng.normal(0, 0.8) > 1.6 else 'well'}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with exploring(path, "--target", "state") as url:
        yield url


def compared(page: Any, seconds: int = 5) -> None:
    """Open the view and compare for some seconds, unless another test has done so."""
    page.wait_for_selector(".panel.answer strong")
    page.get_by_role("link", name="Learners").click()
    page.wait_for_selector(".plainlearners, .learnertable")
    if not page.locator(".learnertable").count():
        page.get_by_label("Time").select_option(str(seconds))
        page.get_by_role("button", name="Compare learners").click()
        page.wait_for_selector(".learnertable", timeout=120_000)
    page.wait_for_selector(".details h3")


def said(page: Any) -> str:
    """The sentence on the recommended learner."""
    return str(page.locator(".boardtable > p").first.inner_text())


def test_a_comparison_shows_progress_and_can_be_cancelled(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    page.wait_for_selector(".panel.answer strong")
    page.get_by_role("link", name="Learners").click()
    page.wait_for_selector(".plainlearners")
    assert "Tree-averaged Bayes" in page.locator(".plainlearners").inner_text()
    page.get_by_label("Time").select_option("180")
    assert "seconds=180" in page.url
    page.get_by_role("button", name="Compare learners").click()
    page.locator(".board progress").wait_for()
    page.locator(".board").get_by_role("button", name="Cancel").click()
    page.wait_for_function("() => document.querySelector('.board [role=status]').textContent === 'Canceled.'")
    page.get_by_role("button", name="Compare learners", disabled=False).wait_for()


def test_learners_are_compared_and_costs_of_several_classes_change_decisions(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    compared(page, 60)  # enough for all learners on all rows
    assert page.locator(".learnertable .best").count() == 1
    assert "Baseline" in page.locator(".learnertable").inner_text()
    assert page.locator(".learnertable .interval").count() > 2
    page.wait_for_selector(".decisions .curveplace table")
    page.locator(".learnertable tr", has_text="Baseline").get_by_text("for comparison only").wait_for()
    assert re.fullmatch(
        r".*: accuracy 0\.\d{3} ± 0\.\d{3} on rows that were not used to choose the learner\..*", said(page)
    )
    accuracies, log_scores, times = (
        decimals(page.locator(f".learnertable tbody td:nth-of-type({column})").all_inner_texts())
        for column in (1, 2, 4)
    )
    assert accuracies == log_scores == {3}
    assert len(times) == 1
    assert "=" not in page.locator(".learnertable").inner_text()  # titles in words
    picture(page, "learners", documented=True)
    check_accessible(page)
    titles = page.get_by_label("Learner", exact=True).locator("option").all_inner_texts()
    page.get_by_label("Learner", exact=True).select_option(label=titles[1])
    page.wait_for_function("() => location.hash.includes('learner=')")
    page.reload()
    page.wait_for_selector(".details h3")
    shown = page.get_by_label("Learner", exact=True).evaluate("it => it.selectedOptions[0].textContent")
    assert shown == titles[1]
    for other in ("drivetrain", "tune-up", "wheel"):
        page.get_by_label(f"Cost of deciding {other} if the true class is brakes").fill("60")
    page.get_by_text(re.compile(r"[1-9]\d* of \d+ decisions change")).wait_for()
    assert "costs=" in page.url
    page.get_by_role("button", name="Use in Ask").click()
    page.wait_for_selector("#notice:not([hidden])")
    page.get_by_role("link", name="Ask", exact=True).click()
    page.wait_for_selector(".decided")
    assert "lowest expected cost" in page.locator(".decided").inner_text()
    page.go_back()
    page.wait_for_selector(".details h3")
    page.get_by_role("button", name="Most probable class in Ask").click()
    page.wait_for_timeout(600)
    page.get_by_role("link", name="Ask", exact=True).click()
    page.wait_for_selector(".panel.answer strong")
    assert page.locator(".decided").count() == 0


def test_a_threshold_by_costs_decides_in_ask(visit: Visit, two_classes: str) -> None:
    page = visit(two_classes)
    compared(page)
    page.wait_for_selector(".decisions .curveplace svg")
    assert page.get_by_label("Choose", exact=True).input_value() == "<i>sick</i>"  # the rare one
    page.get_by_label("Cost of deciding well if the true class is <i>sick</i>").fill("20")
    page.get_by_role("button", name="Use the cheapest threshold").click()
    threshold = int(page.get_by_label("if its probability is at least").input_value())
    assert threshold < 50
    assert f"threshold={threshold}" in page.url
    assert "<i>sick</i> found (sensitivity)" in page.locator(".decisions").inner_text()
    assert "well found (specificity)" in page.locator(".decisions").inner_text()
    picture(page, "learners-threshold")
    check_accessible(page)
    page.get_by_label("if its probability is at least").focus()
    page.keyboard.press("ArrowRight")
    assert f"threshold={threshold + 1}" in page.url
    page.get_by_role("button", name="Use in Ask").click()
    page.wait_for_selector("#notice:not([hidden])")
    page.get_by_role("link", name="Ask", exact=True).click()
    page.wait_for_selector(".decided")
    assert f"{threshold + 1}% or more" in page.locator(".decided").inner_text()


def test_the_learner_that_answers_is_chosen(visit: Visit, two_classes: str) -> None:
    page = visit(two_classes)
    compared(page)
    title = "Tuned k-NN"  # which is measured in any time
    button = page.get_by_role("button", name=f"Use {title}")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("name => document.getElementById('learner').textContent.includes(name)", arg=title)
    page.locator(".learnertable tr", has=page.locator(".now")).get_by_text(title).wait_for()
    assert page.evaluate("document.activeElement.closest('tr') !== null")  # the focus stays in the table


def test_numbers_have_residuals_and_all_fits_narrow_windows_in_the_dark(visit: Visit, houses: str) -> None:
    page = visit(houses, width=360, height=740, dark=True)
    compared(page)
    assert page.locator(".details svg.chart circle").count() > 50
    facts = page.locator(".facts-table tr")
    assert facts.nth(4).inner_text().startswith("90% of errors are below")
    assert len(decimals(facts.locator("td").all_inner_texts()[:5])) == 1
    assert page.locator(".decisions").is_hidden()
    check_fits(page)
    check_accessible(page)
    picture(page, "learners-narrow-dark")
