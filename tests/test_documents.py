"""Examples in the Markdown documents run as they are printed, and docstrings keep their shape."""

import ast
import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
MODULES = sorted((ROOT / "src").glob("**/*.py"))
COLLAPSED = re.compile(r"^.*\w[ \t]+[-=]{3,}[ \t]*$", re.MULTILINE)
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_python_examples_run(document: Path) -> None:
    """All ```python blocks of one document share a namespace, as a reader who pastes them in turn would have it."""
    text = document.read_text(encoding="utf-8")
    # Blank lines in place of the prose keep the document's line numbers in the report.
    examples, end = "", 0
    for block in FENCE.finditer(text):
        examples += "\n" * text.count("\n", end, block.start(1)) + block.group(1)
        end = block.end(1)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(examples, {}, document.name, str(document), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert result.failed == 0, "".join(report)


def test_python_blocks_of_the_readme_are_sessions() -> None:
    """A block without prompts would not be run, so there must be none."""
    for block in FENCE.finditer((ROOT / "README.md").read_text(encoding="utf-8")):
        assert block.group(1).startswith(">>> ")


def docstrings(module: Path) -> list[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)]


def test_no_heading_stands_on_the_line_of_its_rule() -> None:
    """``Parameters ----------`` on one line is what reflowing a docstring makes of a heading; no tool reads it."""
    assert COLLAPSED.search("Parameters ----------") is not None
    assert COLLAPSED.search("Parameters\n----------\nx\n    How many -- or few.") is None
    found = [
        f"{module.relative_to(ROOT)}: {line}"
        for module in MODULES
        for text in docstrings(module)
        for line in COLLAPSED.findall(text)
    ]
    assert found == []
