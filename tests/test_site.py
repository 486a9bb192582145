"""The documentation site: every public name has an entry in the reference, and every page is in its index.

What this reads are the sources of the pages; ``make docs`` builds them, with warnings as errors.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import priorcase
from tools import check_links

DOCS = Path(__file__).resolve().parents[1] / "docs"
REFERENCE = sorted((DOCS / "reference").glob("*.md"))
# Those of priorcase.__all__, and those that are imported by their own name.
MODULES = [
    *(name for name in priorcase.__all__ if isinstance(getattr(priorcase, name), ModuleType)),
    *("dask", "explorer", "reporting", "serve"),
]


def names_of(module: ModuleType) -> list[str]:
    """The public names of a module: ``__all__``, or where there is none the exceptions that it defines."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not isinstance(getattr(module, name), ModuleType)]
    classes = inspect.getmembers(module, inspect.isclass)
    return [name for name, one in classes if issubclass(one, BaseException) and one.__module__ == module.__name__]


def entries(page: Path) -> Iterator[str]:
    """The full names that a page lists by ``autosummary``, or describes by ``py:data``."""
    module, listing = "", False
    for line in page.read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"\.\. (currentmodule|autosummary|py:data)::(?: (\S+))?", line):
            module = found[2] if found[1] == "currentmodule" else module
            listing = found[1] == "autosummary"
            if found[1] == "py:data":
                yield found[2]
        elif line and not line.startswith(" "):
            listing = False
        elif listing and (found := re.fullmatch(r"   ([A-Za-z]\w*)", line)):
            yield f"{module}.{found[1]}"


LISTED = [name for page in REFERENCE for name in entries(page)]


def public_names() -> set[str]:
    """The full name of everything public; what priorcase itself offers stands there, not in its subpackage."""
    top = {name: getattr(priorcase, name) for name in names_of(priorcase)}
    found = {f"priorcase.{name}" for name in top}
    for each in MODULES:
        module = importlib.import_module(f"priorcase.{each}")
        found |= {f"priorcase.{each}.{name}" for name in names_of(module) if top.get(name) is not getattr(module, name)}
    return found


def test_no_public_name_is_missing_from_the_reference() -> None:
    assert sorted(public_names() - set(LISTED)) == []


def test_the_reference_lists_public_names_only_and_each_once() -> None:
    assert sorted(set(LISTED) - public_names()) == []
    assert [name for name, n in Counter(LISTED).items() if n > 1] == []


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: page.stem)
def test_every_page_of_the_reference_is_in_its_index(page: Path) -> None:
    index = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    assert page.stem == "index" or f"\n{page.stem}\n" in index


def test_every_command_has_an_entry() -> None:
    assert ".. commands:: priorcase.cli:main" in (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["ask.png", "ask-dark.png"])
def test_the_pictures_of_the_front_page_are_there(name: str) -> None:
    assert f"explorer/{name}" in (DOCS / "index.md").read_text(encoding="utf-8")
    assert (DOCS / "explorer" / name).is_file()


def test_the_crawler_finds_links_that_lead_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "unread.html").write_text('<a href="nowhere.html">not linked from the index</a>', encoding="utf-8")
    index, page = tmp_path / "index.html", tmp_path / "guide" / "page.html"
    index.write_text('<h1 id="top"><a href="guide/page.html#a%20b">', encoding="utf-8")
    page.write_text(
        '<p id="a b"><a href="../index.html#top"></a><a href="#a b"></a><a href="https://example.org/x"></a>', "utf-8"
    )
    assert check_links.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "All links of 2 pages lead somewhere.\n"
    index.write_text('<h1 id="top"><a href="guide/page.html">', encoding="utf-8")
    page.write_text('<a href="../index.html#bottom"></a><a href="#c"></a><img src="gone.png"><a href="../..">', "utf-8")
    assert check_links.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "guide/page.html: ../index.html#bottom has no such anchor",
        "guide/page.html: #c has no such anchor",
        "guide/page.html: gone.png does not exist",
        "guide/page.html: ../.. does not exist",
    ]


def test_make_docs_checks_the_links() -> None:
    assert "tools/check_links.py build/docs" in (DOCS.parent / "Makefile").read_text(encoding="utf-8")
