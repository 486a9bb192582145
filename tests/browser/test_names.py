"""Columns whose names mean something to JavaScript are shown, filled in and sent like all others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from browsing import Visit, exploring, settled

pytestmark = pytest.mark.browser

NAMES = ["__proto__", "constructor", "toString", "size"]


@pytest.fixture(scope="module")
def odd_names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The explorer of a table whose columns have the names of methods."""
    path = tmp_path_factory.mktemp("tables") / "names.csv"
    rows = [f"{i % 7},{'ab'[i % 2]},{i % 5},{i / 2},{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    path.write_text("\n".join([",".join([*NAMES, "kept"]), *rows, ""]), encoding="utf-8")
    with exploring(path, "--target", "kept") as url:
        yield url


def answered(page: Any, path: str, act: Any) -> Any:
    """The body of the request that an action sends."""
    with page.expect_request(lambda request: request.method == "POST" and path in request.url) as sent:
        act()
    return json.loads(sent.value.post_data)


def test_the_form_has_every_column(visit: Visit, odd_names: str) -> None:
    page = visit(odd_names)
    settled(page)
    for name in NAMES:
        assert page.get_by_label(name, exact=True).count() == 1, name
    body = answered(page, "/predict", lambda: page.get_by_role("button", name="Typical case").click())
    assert set(body) == set(NAMES)
    body = answered(page, "/predict", lambda: page.get_by_label("__proto__", exact=True).fill("6"))
    assert body["__proto__"] == 6
    settled(page)
    shown = page.locator(".cases tbody th").all_inner_texts()
    assert set(NAMES) <= set(shown)
    assert page.locator('.cases tr:has(th:text-is("constructor")) td').first.inner_text() in "ab"
    page.reload()
    settled(page)
    assert page.get_by_label("__proto__", exact=True).input_value() == "6"


def test_kinds_and_weights_are_of_their_columns(visit: Visit, odd_names: str) -> None:
    page = visit(odd_names)
    settled(page)
    page.get_by_role("link", name="Columns").click()
    page.get_by_label("Weight of __proto__, slider").wait_for()
    for name in NAMES:
        assert page.get_by_label(f"Weight of {name}, slider").input_value() == "1", name
    body = answered(page, "/columns/weights", lambda: page.get_by_label("Weight of __proto__, slider").fill("2"))
    assert body["weights"]["__proto__"] == 2
    assert "function" not in page.locator("main").inner_text()
