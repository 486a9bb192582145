"""Examples in the Markdown documents run as they are printed, and docstrings keep their shape."""

import ast
import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from matplotlib import pyplot
from threadpoolctl import threadpool_limits

import priorcase.neighbors  # noqa: F401  # loads OpenMP, whose threads are limited below
from priorcase.cli import main

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
MODULES = sorted((ROOT / "src").glob("**/*.py"))
COLLAPSED = re.compile(r"^.*\w[ \t]+[-=]{3,}[ \t]*$", re.MULTILINE)
# A block that is marked, "python data", asks for data sets by name: it runs where there is a folder of them.
BLOCK = re.compile(r"^```(python|console)( data)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"^>>> ((?:import|from) .*)$", re.MULTILINE)
ON_DATA = [document for document in DOCUMENTS if "\n```python data\n" in document.read_text(encoding="utf-8")]


# Pages that fit large models or several stacks; the other pages show most of the same calls.
HEAVY = {
    "docs/get_started/data_scientist.md",
    "docs/get_started/domain_expert.md",
    "docs/get_started/researcher.md",
    "docs/guide/attributes.md",
    "docs/guide/commands.md",
    "docs/guide/evaluation.md",
    "docs/guide/intervals.md",
    "docs/guide/plots.md",
    "docs/guide/stacking.md",
}


def page(document: Path) -> Any:
    name = document.relative_to(ROOT).as_posix()
    return pytest.param(document, id=name, marks=[pytest.mark.slow] if name in HEAVY else [])


class Shell:
    """The few commands of the console blocks, run in this process: each would take a second to start by itself."""

    def __init__(self) -> None:
        self.code = 0

    def __call__(self, line: str) -> None:
        """Run ``priorcase ...``, with ``< FILE`` and ``> FILE``, ``python -c``, or ``echo $?``; print the output."""
        if line == "echo $?":
            print(self.code)
            return
        command, _, file = line.partition(" > ")
        command, _, source = command.partition(" < ")
        name, *arguments = shlex.split(command)
        if name == "python":
            option, code = arguments
            assert option == "-c"
            exec(code, {})
            return
        stdin = Path(source).read_bytes() if source else None
        assert name == "priorcase", f"a document runs {name}, which this shell does not know"
        # A fixed width: the documents are the same in every terminal.
        result = CliRunner(env={"COLUMNS": "100", "FORCE_COLOR": None}).invoke(main, arguments, input=stdin)
        self.code = result.exit_code
        if file:
            Path(file).write_text(result.stdout, encoding="utf-8")
        else:
            print(result.output, end="")


def session(language: str, block: str) -> str:
    """A block as doctest examples, line by line: in a console block each command is a call of the shell."""
    if language == "python":
        return block
    lines = [
        f">>> shell({line[2:]!r})" if line.startswith("$ ") else line or "<BLANKLINE>" for line in block.splitlines()
    ]
    return "\n".join([*lines, ""])


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Figures that a document has drawn are closed, so that they do not pile up."""
    yield
    pyplot.close("all")


def check_examples(document: Path, *, on_data: bool) -> None:
    """All blocks of one document share a namespace and a folder, as a reader who pastes them in turn would have it.

    Blocks on data sets run apart from the others, after the imports of all.
    """
    text = document.read_text(encoding="utf-8")
    # Blank lines in place of the prose keep the document's line numbers in the report.
    examples, end = "", 0
    for block in BLOCK.finditer(text):
        if on_data == bool(block.group(2)):
            examples += "\n" * text.count("\n", end, block.start(3)) + session(block.group(1), block.group(3))
            end = block.end(3)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    names: dict[str, object] = {"shell": Shell()}
    if on_data:
        exec("\n".join(IMPORT.findall(text)), names)
    test = doctest.DocTestParser().get_doctest(examples, names, document.name, str(document), 0)
    report: list[str] = []
    # One thread: on a busy machine OpenMP's threads wait for each other, for seconds in a t-SNE of 96 rows.
    with threadpool_limits(1, user_api="openmp"):
        result = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("document", [page(document) for document in DOCUMENTS])
def test_examples_run(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # What is printed is the same everywhere, whatever data sets there are.
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))
    check_examples(document, on_data=False)


@pytest.mark.parametrize("document", [page(document) for document in ON_DATA])
def test_examples_on_data_run(document: Path, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRIORCASE_DATA", str(data_dir.resolve()))
    check_examples(document, on_data=True)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_blocks_are_sessions(document: Path) -> None:
    """A block without prompts would not be run, so there must be none."""
    for block in BLOCK.finditer(document.read_text(encoding="utf-8")):
        assert block.group(3).startswith(">>> " if block.group(1) == "python" else "$ ")


def test_heavy_pages_are_pages() -> None:
    assert {document.relative_to(ROOT).as_posix() for document in DOCUMENTS} >= HEAVY


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
        if COLLAPSED.search(module.read_text(encoding="utf-8"))
        for text in docstrings(module)
        for line in COLLAPSED.findall(text)
    ]
    assert found == []
