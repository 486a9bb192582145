"""Map, as a person uses it: colours, hovering, a click that asks, a lasso, keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from browsing import Visit, check_accessible, check_fits, exploring, picture
from matplotlib.image import imread

pytestmark = pytest.mark.browser


def at_map(url: str, params: str = "") -> str:
    return f"{url}#/map{params}"


def drawn(page: Any, legend: str | None = None) -> None:
    """Wait until the map and its colours are there."""
    page.wait_for_function("() => document.querySelector('.mapwait')?.hidden")
    page.wait_for_function("() => document.querySelector('.maplegend')?.childElementCount")
    if legend:
        page.locator(".maplegend").get_by_text(re.compile(legend)).first.wait_for()
    page.wait_for_timeout(200)


def lit(page: Any) -> int:
    """How many pixels of the map are coloured."""
    pixels = imread(BytesIO(page.locator(".mapplace").screenshot()))[:, :, :3]
    return int((pixels.max(axis=2) - pixels.min(axis=2) > 0.15).sum())


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The explorer of 50,000 rows."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, 50_000)
    lines = ["x,y,z,colour,kind"]
    for g in group.tolist():
        x, y, z = rng.normal((g, -g, g % 2), 0.4)
        lines.append(f"{x:.3f},{y:.3f},{z:.3f},{('red', 'green', 'blue')[(g + int(rng.integers(2))) % 3]},{'abcd'[g]}")
    path = tmp_path_factory.mktemp("tables") / "many.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with exploring(path, "--target", "kind") as url:
        yield url


def test_rows_are_drawn_and_coloured(visit: Visit, repairs: str) -> None:
    page = visit(at_map(repairs))
    drawn(page)
    assert re.search(r"rows, placed by the distance|rows, placed by the model", page.locator(".mapnote").inner_text())
    picture(page, "map", documented=True)
    check_accessible(page)
    for by, legend in {"leave-one-out error": "≤", "outlier score": "≤", "load_kg": "≤", "noise": "creak"}.items():
        page.get_by_label("Color by").select_option(label=by)
        drawn(page, legend)
    assert "by=column%3Anoise" in page.url
    page.reload()
    drawn(page, "creak")


def test_hovering_shows_a_row_and_a_click_asks_about_it(visit: Visit, repairs: str) -> None:
    page = visit(at_map(repairs))
    drawn(page)
    box = page.locator(".mapplace").bounding_box()
    spots = [(x, y) for y in range(40, int(box["height"]) - 40, 18) for x in range(40, int(box["width"]) - 40, 25)]
    for x, y in spots:
        page.mouse.move(box["x"] + x, box["y"] + y)
        if page.locator(".mapplace.over").count():
            break
    page.locator(".tip").wait_for()
    assert re.match(r"#\d+ job:", page.locator(".tip p").first.inner_text())
    load = page.locator(".tip dd").nth(0).inner_text()
    name = page.locator(".tip dt").nth(0).inner_text()
    page.mouse.click(box["x"] + x, box["y"] + y)
    page.locator(".prediction strong").wait_for()
    assert "#/ask" in page.url
    assert f"{name}" in page.url
    assert load
    page.go_back()
    drawn(page)


def test_a_lasso_lists_rows_and_hands_them_to_the_view_rows(visit: Visit, repairs: str) -> None:
    page = visit(at_map(repairs))
    drawn(page)
    page.get_by_role("button", name="Lasso").click()
    box = page.locator(".mapplace").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(middle[0] - 200, middle[1] - 150)
    page.mouse.down()
    for dx, dy in [(200, -150), (200, 150), (-200, 150), (-200, -150)]:
        page.mouse.move(middle[0] + dx, middle[1] + dy, steps=4)
    page.mouse.up()
    heading = page.get_by_role("heading", name=re.compile("selected row"))
    heading.wait_for()
    count = int(heading.inner_text().split()[0].replace(",", ""))
    assert count > 0
    picture(page, "map-lasso")
    check_accessible(page)
    page.reload()
    page.get_by_role("heading", name=re.compile(f"^{count} selected")).wait_for()
    page.get_by_role("link", name="Show them in Rows").click()
    page.get_by_role("button", name="Selected on the map").wait_for()
    page.locator(".count").get_by_text(f"{count} row").wait_for()
    page.go_back()
    page.get_by_role("heading", name=re.compile(f"^{count} selected")).wait_for()


def test_the_map_works_by_keys(visit: Visit, repairs: str) -> None:
    page = visit(at_map(repairs))
    drawn(page)
    page.locator(".mapplace").focus()
    for key in ("+", "+", "ArrowLeft", "ArrowUp", "-", "0", "+"):
        page.keyboard.press(key)
    page.wait_for_function("() => location.hash.includes('view=')")
    page.keyboard.press("l")
    page.get_by_role("heading", name=re.compile("selected row")).wait_for()
    page.locator(".mapplace").focus()
    page.keyboard.press("0")
    page.keyboard.press("Escape")
    page.get_by_text("Draw around rows with Lasso").wait_for()
    page.keyboard.press("+")
    page.locator(".tip").wait_for()
    page.keyboard.press("Enter")
    page.locator(".prediction strong").wait_for()


def test_markup_in_values_is_text_and_the_page_fits_a_phone(visit: Visit, houses: str) -> None:
    page = visit(at_map(houses, "?by=column%3Apart"), width=360, height=740, dark=True)
    drawn(page, "<img src=x onerror")
    check_fits(page)
    check_accessible(page)
    picture(page, "map-360-dark")


def test_without_webgl_a_sentence_says_so(visit: Visit, repairs: str) -> None:
    page = visit(repairs)
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(at_map(page.url.split("#")[0]))
    page.reload()
    page.get_by_text("The map needs WebGL").wait_for()


def test_50_000_rows_are_drawn_and_moved_smoothly(visit: Visit, many: str) -> None:
    page = visit(at_map(many))
    page.set_default_timeout(60_000)
    drawn(page)
    assert lit(page) > 1_000
    frames = page.evaluate(
        """() => new Promise((resolve) => {
          const place = document.querySelector(".mapplace");
          let n = 0;
          const start = performance.now();
          const step = () => {
            const deltaY = n % 2 ? 40 : -40;
            place.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: 600, clientY: 400, cancelable: true }));
            n += 1;
            if (performance.now() - start < 1500) requestAnimationFrame(step);
            else resolve(n / 1.5);
          };
          step();
        })"""
    )
    print(f"{frames:.0f} frames per second")
    assert frames > 5  # by software, without a graphics card, beside other work
    picture(page, "map-50000")
