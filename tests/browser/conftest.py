"""Explorers of some tables, and pages of Chromium that must not complain about anything."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browsing import Visit, exploring

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Chromium itself reads a WebGL canvas back where there is no graphics card, and warns of that; no page can help it.
_STALL = "GPU stall due to ReadPixels"


@pytest.fixture(scope="session")
def repairs() -> Iterator[str]:
    """The explorer of the built-in table."""
    with exploring() as url:
        yield url


@pytest.fixture(scope="session")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The explorer of a table of numbers, dates, texts and names that look like markup."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("tables") / "houses.csv"
    parts = ["<img src=x onerror=alert(1)>", "hills", 'a "quoted" & <b>bold</b> one']
    lines = ["area,sold,part,price"]
    for _ in range(200):
        area, day, part = rng.integers(30, 200), rng.integers(0, 1000), rng.integers(0, 3)
        price = 1000 * area + 40 * day + 20_000 * part + rng.normal(0, 5000)
        date = np.datetime64("2021-01-01") + int(day)
        quoted = parts[part].replace('"', '""')
        lines.append(f'{"" if rng.random() < 0.05 else area},{date},"{quoted}",{price:.0f}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with exploring(path, "--target", "price") as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail("There is no chromium on PATH. make test-browser installs it.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Visit]:
    """Opens a page: ``visit(url, width=360, dark=True)``. A message in its console fails the test."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def heard(message: Any) -> None:
        if _STALL not in message.text:
            complaints.append(f"{message.type}: {message.text}")

    def opened(url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> Any:
        scheme = "dark" if dark else "light"
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # other work may run beside
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints
