"""A case base, as a person uses it: ask, converse, list, add, edit, give feedback, forget, and the history."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Visit, check_accessible, check_fits, decimals, exploring, picture
from exploring import desk_file

import priorcase as pc

pytestmark = pytest.mark.browser

EVIL = '<script>alert(1)</script> "><img src=x onerror=alert(2)>'


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The explorer of a help desk, and its file."""
    path = desk_file(tmp_path_factory.mktemp("desk") / "desk.cases")
    with exploring(path) as url:
        yield url, path


def go(page: Any, view: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=view, exact=True).click()


def test_similar_cases_propose_a_solution(visit: Visit, desk: tuple[str, Path]) -> None:
    page = visit(desk[0])
    page.get_by_text("Fill in the known values of the new case.").wait_for()
    assert page.locator("nav a").all_inner_texts() == ["Ask", "Conversation", "Cases", "History"]
    page.get_by_label("area", exact=True).select_option(label="laser printer")
    page.get_by_label("people", exact=True).fill("3")
    page.get_by_label("signs", exact=True).fill("paper jam, tray 2")
    page.get_by_label("signs", exact=True).blur()
    page.locator(".prediction strong").get_by_text("clean the pick-up rollers").wait_for()
    page.wait_for_function("() => !document.querySelector('[aria-busy]')")
    assert page.locator(".cases thead th").all_inner_texts()[1] == "#1 P-01"
    assert page.locator(".cases .differs .mark").count() > 0
    assert decimals(page.locator(".cases .adds").all_inner_texts()) == {1}
    before = page.locator(".shares caption").count()
    page.get_by_label("Case", exact=True).select_option(index=1)
    assert page.locator(".shares caption").count() == before == 1
    picture(page, "cases-ask", documented=True)
    page.wait_for_timeout(500)
    check_accessible(page)
    page.reload()
    page.locator(".prediction strong").get_by_text("clean the pick-up rollers").wait_for()
    page.locator(".cases thead a").first.click()
    page.get_by_role("heading", name="Case #1", exact=True).wait_for()
    page.go_back()
    page.locator(".prediction strong").get_by_text("clean the pick-up rollers").wait_for()


def test_the_conversation_asks_until_the_solution_is_clear(visit: Visit, desk: tuple[str, Path]) -> None:
    page = visit(desk[0])
    go(page, "Conversation")
    page.get_by_text("of 69 are used").wait_for()
    page.get_by_label("message: value").fill("jam")
    page.keyboard.press("Enter")  # the rest by keyboard: the first option has the focus after each answer
    page.locator(".told li").first.wait_for()
    answered = 1
    while page.locator(".option").count() and not page.get_by_text("You can continue").count() and answered < 12:
        page.wait_for_function("() => document.activeElement.matches('.option')")
        page.keyboard.press("Enter")
        answered += 1
        page.wait_for_function("n => document.querySelectorAll('.told li').length === n", arg=answered)
        page.wait_for_function("() => !document.querySelector('[aria-busy]')")
    assert answered > 1
    page.get_by_text("Why this question?").first.click() if page.get_by_text("Why this question?").count() else None
    page.locator(".prediction").get_by_text("Solution", exact=True).wait_for()
    picture(page, "cases-conversation")
    page.wait_for_timeout(500)
    check_accessible(page)
    page.reload()
    page.wait_for_function("n => document.querySelectorAll('.told li').length === n", arg=answered)
    page.go_back()
    page.wait_for_function("n => document.querySelectorAll('.told li').length === n", arg=answered - 1)
    page.get_by_role("button", name="Start again").click()
    page.get_by_text("No question has been answered yet.").wait_for()


def test_cases_are_searched_and_narrowed_by_pages(visit: Visit, desk: tuple[str, Path]) -> None:
    page = visit(desk[0])
    go(page, "Cases")
    page.get_by_text("1 to 50 of").wait_for()
    page.get_by_role("button", name="Next").click()
    page.get_by_text("51 to").wait_for()
    page.go_back()
    page.get_by_text("1 to 50 of").wait_for()
    page.get_by_label("Search").fill("certificate")
    page.get_by_text("cases that match").wait_for()
    assert "certificate" in page.locator(".listed tbody").inner_text()
    page.get_by_label("Search").fill("")
    page.get_by_text("1 to 50 of").wait_for()
    page.get_by_label("Condition", exact=True).fill("people>=20")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove the condition people>=20").wait_for()
    page.get_by_text("cases that match").wait_for()
    page.reload()
    page.get_by_text("cases that match").wait_for()
    check_accessible(page)
    page.get_by_role("button", name="Remove the condition people>=20").click()
    page.get_by_text("1 to 50 of").wait_for()
    picture(page, "cases", documented=True)


def test_a_case_is_added_edited_judged_and_forgotten(visit: Visit, desk: tuple[str, Path]) -> None:
    url, path = desk
    page = visit(url)
    go(page, "Cases")
    page.get_by_role("button", name="Add a case").click()
    page.get_by_label("area", exact=True).select_option(label="vpn")
    page.get_by_label("message", exact=True).fill(EVIL)
    page.get_by_label("Solution", exact=True).fill(f"restart {EVIL}")
    page.get_by_label("Key", exact=True).fill("T-1")
    page.get_by_label("Your name").fill("Ada <b>")
    page.get_by_role("button", name="Add the case").click()
    heading = page.get_by_role("heading", name="Case #", exact=False).first
    heading.wait_for()
    id_ = int(heading.inner_text().removeprefix("Case #"))
    assert EVIL in page.locator(".record").inner_text()
    assert page.locator("#about").inner_text().startswith("70 cases")
    page.get_by_label("Outcome", exact=True).select_option(label="yes, it helped")
    page.get_by_label("Note", exact=True).fill("came back <i>twice</i>")
    page.get_by_role("button", name="Save the feedback").click()
    page.locator(".notes").get_by_text("came back <i>twice</i>").wait_for()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("people", exact=True).fill("7")
    page.get_by_label("Reason for the change").fill("counted again")
    page.get_by_role("button", name="Save the changes").click()
    page.locator(".log").get_by_text("counted again").wait_for()
    with pc.CaseBase.open(path, readonly=True) as base:
        case = base.get(id_)
        assert (case["people"], case.outcome, case.key, case.by) == (7, True, "T-1", "Ada <b>")
    page.get_by_role("button", name="Forget").click()
    dialog = page.get_by_role("dialog")
    assert "cannot be undone" in dialog.inner_text()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
    page.get_by_role("button", name="Forget").click()
    check_accessible(page)
    dialog.get_by_label("Reason").fill("asked to")
    page.keyboard.press("Enter")
    page.get_by_text(f"Case #{id_} was forgotten.").wait_for()
    assert b"onerror=alert(2)" not in path.read_bytes()
    go(page, "History")
    page.locator(".log").get_by_text("asked to").wait_for()
    assert page.locator(".log tbody tr").first.inner_text().split("\t")[1] == "forgotten"
    picture(page, "cases-history")
    check_accessible(page)


@pytest.mark.parametrize(("width", "dark"), [(360, True), (1280, False)])
def test_cases_fit_every_screen(visit: Visit, desk: tuple[str, Path], width: int, dark: bool) -> None:
    page = visit(desk[0], width=width, dark=dark)
    page.locator(".prediction").wait_for()
    address = page.url.split("#")[0]
    for view, there in {
        "solve": ".prediction",
        "conversation": ".asked",
        "cases": ".listed",
        "cases?id=12": ".record",
        "cases?id=12&edit=1": ".change",
        "cases?add=1": ".change",
        "history": ".log",
    }.items():
        page.goto(f"{address}#/{view}")
        page.locator(there).first.wait_for()
        page.wait_for_function("() => !document.querySelector('[aria-busy]')")
        page.wait_for_timeout(450)
        check_fits(page)
        check_accessible(page)
    page.goto(f"{address}#/cases?id=12")
    page.locator(".record").wait_for()
    picture(page, f"case{'-narrow' if width < 400 else ''}{'-dark' if dark else ''}")


def test_a_read_only_case_base_offers_no_change(visit: Visit, desk: tuple[str, Path], tmp_path: Path) -> None:
    path = Path(shutil.copy(desk[1], tmp_path / "copy.cases"))
    with exploring(path, "--read-only") as url:
        page = visit(url)
        page.get_by_label("area", exact=True).select_option(label="vpn")
        page.locator(".prediction strong").wait_for()
        assert page.get_by_role("button", name="Keep this as a new case").count() == 0
        go(page, "Cases")
        page.locator(".listed").wait_for()
        assert page.get_by_role("button", name="Add a case").count() == 0
        page.locator(".listed a").first.click()
        page.locator(".record").wait_for()
        for name in ("Edit", "Forget", "Save the feedback"):
            assert page.get_by_role("button", name=name).count() == 0
        page.close()  # before nobody answers it any more


def test_a_new_solution_starts_without_an_outcome(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "bikes.cases"
    with pc.CaseBase.open(path, {"noise": "nominal"}) as base:
        base.add({"noise": "squeak"}, solution="oil it", outcome=False)
        base.add({"noise": "creak"}, solution="oil it", outcome=False)
    with exploring(path) as url:
        for id, outcome in ((1, None), (2, False)):
            page = visit(url)
            page.locator("nav").wait_for()
            page.goto(f"{page.url.split('#')[0]}#/cases?id={id}&edit=1")
            solution, choice = page.get_by_label("Solution", exact=True), page.get_by_label("Outcome", exact=True)
            solution.fill("replace it")
            assert choice.input_value() == "null"
            solution.fill("oil it")
            assert choice.input_value() == "false"
            solution.fill("replace it")
            if outcome is not None:
                choice.select_option("false")
            page.get_by_role("button", name="Save the changes").click()
            page.get_by_text("The previous solution was").wait_for()
            page.context.close()  # before its server
    with pc.CaseBase.open(path, readonly=True) as base:
        assert [(case.solution, case.outcome) for case in base] == [("replace it", None), ("replace it", False)]
