"""What pyproject.toml says is installed: enough for the first example, and nothing without code."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from priorcase.datasets.builtin import TABLES

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IMPORTED = {"scikit-learn": "sklearn"}


def libraries(requirements: list[str]) -> set[str]:
    """The modules that some requirements bring."""
    names = (re.split(r"[\[<>=!~ ]", requirement)[0] for requirement in requirements)
    return {IMPORTED.get(name, name) for name in names}


def imports(code: str) -> set[str]:
    """The top-level modules that some code imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_the_first_example_needs_nothing_but_the_dependencies() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    code = "\n".join(line[4:] for line in example.splitlines() if line.startswith((">>> ", "... ")))
    assert imports(code) <= {"priorcase", *libraries(PROJECT["project"]["dependencies"])}


OF_CLONES = {"test", "dev", "docs", "bench", "browser"}


@pytest.mark.parametrize("extra", sorted({*PROJECT["project"]["optional-dependencies"]} - OF_CLONES))
def test_every_extra_has_code_that_uses_it(extra: str) -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    used = set(re.findall(r"^ *(?:import|from) (\w+)", code, re.MULTILINE))
    assert libraries(PROJECT["project"]["optional-dependencies"][extra]) <= used


def test_the_installation_page_lists_every_extra() -> None:
    page = (ROOT / "docs" / "get_started" / "install.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([a-z]+)` \|", page, re.MULTILINE))
    assert listed == {*PROJECT["project"]["optional-dependencies"]} - OF_CLONES


def test_papers_stay_out_of_wheel_and_sdist() -> None:
    build = PROJECT["tool"]["scikit-build"]
    assert build["wheel"]["packages"] == ["src/priorcase"]
    assert "/papers" in build["sdist"]["exclude"]


def test_built_in_tables_are_packaged() -> None:
    build = PROJECT["tool"]["scikit-build"]
    patterns = [*build["sdist"]["exclude"], *build["wheel"].get("exclude", [])]
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines() if (ROOT / ".gitignore").exists() else []
    assert not [pattern for pattern in (*patterns, *ignored) if "csv" in pattern or "datasets" in pattern]
    tables = {path.stem for path in (ROOT / "src" / "priorcase" / "datasets").glob("*.csv")}
    assert tables == {*TABLES, "help_desk"}


def workflow(name: str) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    return dict(yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")))


def test_every_supported_python_is_tested_on_every_system() -> None:
    classifiers = PROJECT["project"]["classifiers"]
    supported = [found[1] for one in classifiers if (found := re.fullmatch(r"Programming .* :: (3\.\d+)", one))]
    jobs = workflow("tests")["jobs"]
    assert supported[0] == PROJECT["project"]["requires-python"].removeprefix(">=")
    assert jobs["linux"]["strategy"]["matrix"]["python"] == supported
    assert jobs["others"]["strategy"]["matrix"]["python"] == supported
    assert {"macos-latest", "windows-latest"} <= {*jobs["others"]["strategy"]["matrix"]["os"]}


@pytest.mark.parametrize("name", ["tests", "docs", "wheels"])
def test_workflows_run_targets_that_the_makefile_has(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    steps = [step.get("run", "") for job in workflow(name)["jobs"].values() for step in job["steps"]]
    used = {target for run in steps for target in re.findall(r"^make ([a-z-]+)", run, re.MULTILINE)}
    assert used <= targets
    assert name != "tests" or {"lint", "test", "coverage", "test-browser", "sanitize", "test-arm"} == used
    assert name != "docs" or used == {"docs"}


def test_a_version_tag_makes_a_release_with_wheels_and_sdist() -> None:
    wheels = workflow("wheels")
    release = wheels["jobs"]["release"]
    assert wheels[True]["push"]["tags"] == ["v*"]  # "on" is a boolean of YAML
    assert release["needs"] == ["wheels", "sdist"]
    assert release["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert "dist/*.whl dist/*.tar.gz" in release["steps"][-1]["run"]
    assert wheels["permissions"] == {"contents": "read"}
