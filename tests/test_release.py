"""``make release`` finds whatever does not agree with the version in pyproject.toml."""

import io
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools import release

ROOT = Path(__file__).parents[1]


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A committed project of version 1.2.3 with everything built."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    (root / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (2030-01-31)\n\n## 1.2.2 (2029-12-01)\n")
    (root / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.3\ndate-released: 2030-01-31\n")
    (root / ".gitignore").write_text("build/\ndist/\n")
    git(root, "init", "--quiet")
    commit(root)
    build(root, "1.2.3")
    return root


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "Change")


def build(root: Path, version: str) -> None:
    (root / "dist").mkdir()
    with zipfile.ZipFile(root / f"dist/project-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"project-{version}.dist-info/METADATA", f"Name: project\nVersion: {version}\n")
    with tarfile.open(root / f"dist/project-{version}.tar.gz", "w:gz") as sdist:
        content = f"Name: project\nVersion: {version}\n".encode()
        entry = tarfile.TarInfo(f"project-{version}/PKG-INFO")
        entry.size = len(content)
        sdist.addfile(entry, io.BytesIO(content))
    options = root / "build/docs/_static/documentation_options.js"
    options.parent.mkdir(parents=True)
    options.write_text(f"const DOCUMENTATION_OPTIONS = {{\n    VERSION: '{version}',\n}};\n")


def test_a_consistent_project_has_no_problems(project: Path) -> None:
    assert release.source_problems(project) == []
    git(project, "tag", "v1.2.3")
    assert release.source_problems(project) == []
    assert release.built_problems(project) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("pyproject.toml", "1.2.3", "1.2.3.dev0", ["not of the form", "CHANGELOG.md", "CITATION.cff"]),
        ("CHANGELOG.md", "## 1.2.3 (2030-01-31)\n", "", ["the newest version is 1.2.2"]),
        ("CHANGELOG.md", "2030-01-31", "2030-02-01", ["date-released is 2030-01-31"]),
        ("CITATION.cff", "version: 1.2.3", "version: 1.2.2", ["version is 1.2.2"]),
        ("CITATION.cff", "date-released: 2030-01-31", "", ["date-released is None"]),
    ],
)
def test_sources_that_disagree_are_told(project: Path, file: str, old: str, new: str, told: list[str]) -> None:
    text = (project / file).read_text()
    assert old in text
    (project / file).write_text(text.replace(old, new, 1))
    commit(project)
    problems = release.source_problems(project)
    assert len(problems) == len(told)
    for problem, words in zip(problems, told, strict=True):
        assert words in problem


def test_uncommitted_files_and_a_tag_elsewhere_are_told(project: Path) -> None:
    git(project, "tag", "v1.2.3")
    commit(project)
    (project / "new.txt").write_text("new\n")
    changed, tagged = release.source_problems(project)
    assert "1 files" in changed
    assert "tag v1.2.3" in tagged


def test_what_is_not_built_or_of_another_version_is_told(project: Path) -> None:
    for folder in ("build", "dist"):
        shutil.rmtree(project / folder)
    assert [problem.split(":")[0] for problem in release.built_problems(project)] == ["wheel", "sdist", "documentation"]
    build(project, "1.2.2")
    assert all("1.2.2, not 1.2.3" in problem for problem in release.built_problems(project))
    assert len(release.built_problems(project)) == 3


def test_version_changelog_and_citation_agree_in_this_repository() -> None:
    assert [problem for problem in release.source_problems(ROOT) if not problem.startswith("git")] == []


def test_an_unknown_check_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["everything"]) == 2
    assert "tools/release.py sources" in capsys.readouterr().err
