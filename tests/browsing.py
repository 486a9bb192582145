"""The explorer in a process of its own, and what tests check of every page."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Visit = Callable[..., Any]
"""Opens a page: ``visit(url, width=360, dark=True)``."""

PICTURES = Path(os.environ.get("PRIORCASE_PICTURES", "build/explorer"))
COMMAND = [sys.executable, "-c", "from priorcase.cli import main; main()", "explore"]


@contextmanager
def exploring(*args: object) -> Iterator[str]:
    """The URL, with its token, of an explorer that runs until the block ends."""
    env = {name: value for name, value in os.environ.items() if name != "PRIORCASE_TOKEN"}
    command = [*COMMAND, *map(str, args), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
            assert found is not None, (line, process.stderr and process.stderr.read())
            yield found[0]
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    assert "Traceback" not in errors, errors


def picture(page: Any, name: str, *, documented: bool = False) -> None:
    """Keep what a page looks like for people who look; its window, in 128 colours, for docs/explorer too."""
    (PICTURES / "docs").mkdir(parents=True, exist_ok=True)
    if documented:
        idle = "(document.getElementById('jobs')?.hidden ?? true) && !document.querySelector('[aria-busy]')"
        page.wait_for_function(f"() => {idle}")
        page.evaluate("document.activeElement?.blur()")
        page.mouse.move(0, 0)
        page.wait_for_timeout(500)  # what fades, has faded
    page.screenshot(path=str(PICTURES / f"{name}.png"), full_page=True)
    if documented:
        from PIL import Image

        path = PICTURES / "docs" / f"{name}.png"
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=str(path))
        with Image.open(path) as image:
            few = image.convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
        few.save(path, optimize=True)


def check_accessible(page: Any) -> None:
    """Fail on what axe-core finds serious or critical."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not serious, [(one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"]) for one in serious]


def check_fits(page: Any) -> None:
    """Fail where the page is wider than its window."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def decimals(texts: Sequence[str]) -> set[int]:
    """The numbers of decimals of all numbers in some texts."""
    return {len(found.partition(".")[2]) for text in texts for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}


def settled(page: Any, learner: str | None = None) -> None:
    """Wait until nothing is being asked for, and until a learner has taken over if one is named."""
    if learner is not None:
        page.wait_for_function("name => document.getElementById('learner').textContent.includes(name)", arg=learner)
    idle = "() => !document.querySelector('[aria-busy]') && document.querySelector('.panel .body > *')"
    page.wait_for_function(idle)
    page.wait_for_timeout(450)  # longer than any request waits for the next change
    page.wait_for_function(idle)
