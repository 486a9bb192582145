"""The explorer in Chromium: time until the page is shown, and until a change of the form updates the prediction."""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.report import Row
from benchmarks.sizes import Sizes

COMMAND = [sys.executable, "-c", "from priorcase.cli import main; main()", "explore"]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
CHANGES = 40


def run(sizes: Sizes) -> list[Row]:
    """Measure a page with 1,000 rows and a page with 50,000; skipped without Playwright and Chromium."""
    small, large = sizes.rows(1_000), sizes.rows(50_000)
    opening, painting = f"explore, {small:,} rows: from the command to the first paint", f"explore, {large:,} rows"
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("skipped: it needs playwright and chromium, which make test-browser installs", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory(prefix="priorcase-page-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        started = time.perf_counter()
        with _exploring(_table(Path(folder), small)) as url:
            listening = time.perf_counter() - started
            page = browser.new_page()
            shown = listening + _first_paint(page, url)
        with _exploring(_table(Path(folder), large)) as url:
            page = browser.new_page()
            paint = _first_paint(page, url)
            answers = sorted(_answers(page))
        browser.close()
    median, late = answers[len(answers) // 2], answers[int(0.95 * len(answers))]
    return [
        Row(opening, "limit", shown, 2.0, 1),
        Row(f"{painting}: first paint", "limit", paint, 1.0, 1, note="from the request for the page"),
        Row(f"{painting}: a prediction after a change of the form, median", "limit", median, 0.1, 1),
        Row(f"{painting}: a prediction after a change of the form, 95%", "limit", late, 0.1, 1),
    ]


def _table(folder: Path, rows: int) -> Path:
    task = data.mixed(rows, 0)
    path = folder / f"table{rows}.csv"
    task.X.assign(outcome=np.where(np.asarray(task.y) == "yes", "yes", "no")).to_csv(path, index=False)
    return path


@contextmanager
def _exploring(path: Path) -> Iterator[str]:
    command = [*COMMAND, str(path), "--target", "outcome", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0]
        process.send_signal(signal.SIGINT)
        process.wait(30)


def _first_paint(page: Any, url: str) -> float:
    """Return the seconds from the request for the page to its first paint."""
    began = time.perf_counter()
    page.goto(url)
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    wall = time.perf_counter() - began
    return min(wall, float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")) / 1000)


def _answers(page: Any) -> list[float]:
    """Return the seconds from a choice in a list to the updated prediction and its past cases, measured in the page."""
    page.wait_for_function("() => document.querySelector('.prediction strong')", timeout=120_000)
    page.wait_for_function("() => document.getElementById('jobs').hidden", timeout=600_000)
    page.wait_for_timeout(1000)
    script = """async turn => {
      const lists = [...document.querySelectorAll('form select')].filter(each => each.options.length > 2);
      const list = lists[turn % lists.length];
      const before = document.querySelector('.prediction');
      const next = 1 + (Math.max(0, list.selectedIndex) % (list.options.length - 1));
      return await new Promise(resolve => {
        const began = performance.now();
        const seen = new MutationObserver(() => {
          if (document.querySelector('.prediction') === before || document.querySelector('[aria-busy]')) return;
          seen.disconnect();
          requestAnimationFrame(() => resolve(performance.now() - began));
        });
        seen.observe(document.body, {childList: true, subtree: true, characterData: true, attributes: true});
        list.selectedIndex = next;
        list.dispatchEvent(new Event('input', {bubbles: true}));
        list.dispatchEvent(new Event('change', {bubbles: true}));
      });
    }"""
    found = []
    for turn in range(CHANGES):
        found.append(float(page.evaluate(script, turn)) / 1000)
        page.wait_for_timeout(800)  # until contributions and smallest changes are loaded too
    return found
