"""Check that a release is consistent; ``make release`` runs this before and after it builds.

``python tools/release.py sources`` compares the version in pyproject.toml with changelog, citation file and git tag.
``python tools/release.py built`` compares it with the wheel and the sdist in dist/ and the pages in build/docs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RELEASE = re.compile(r"\d+\.\d+\.\d+")
HEADING = re.compile(r"^## (\S+) \((\S+)\)$", re.MULTILINE)


def project_version(root: Path) -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def source_problems(root: Path) -> list[str]:
    """Return what is inconsistent between version, changelog, citation file, working tree and tag."""
    version = project_version(root)
    problems = []
    if not RELEASE.fullmatch(version):
        problems.append(f"pyproject.toml: version {version} is not of the form 1.2.3.")

    released = ""
    headings = HEADING.findall((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not headings or headings[0][0] != version:
        newest = headings[0][0] if headings else "missing"
        problems.append(f"CHANGELOG.md: the newest version is {newest}. Add '## {version} ({date.today()})'.")
    else:
        released = headings[0][1]

    citation = dict(
        re.findall(r"^(version|date-released): (\S+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    )
    for field, expected in {"version": version, "date-released": released}.items():
        if expected and citation.get(field) != expected:
            problems.append(f"CITATION.cff: {field} is {citation.get(field)}, not {expected}.")
    return problems + git_problems(root, f"v{version}")


def git_problems(root: Path, tag: str) -> list[str]:
    """Return messages about uncommitted changes and about a tag on another commit; the tag need not exist yet."""

    def git(*arguments: str) -> str:
        run = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        return run.stdout.strip()

    problems = []
    if changed := git("status", "--porcelain"):
        problems.append(f"git: {len(changed.splitlines())} files are changed or untracked. Commit them first.")
    tagged = git("rev-parse", "--quiet", "--verify", f"refs/tags/{tag}^{{commit}}")
    if tagged and tagged != git("rev-parse", "HEAD"):
        problems.append(f"git: tag {tag} is on commit {tagged[:8]}, not on the current commit. Choose a new version.")
    return problems


def built_problems(root: Path) -> list[str]:
    """Return messages if the wheel, the sdist or the documentation is missing or has another version."""
    version = project_version(root)
    found = {
        "wheel": [wheel_version(path) for path in sorted((root / "dist").glob("*.whl"))],
        "sdist": [sdist_version(path) for path in sorted((root / "dist").glob("*.tar.gz"))],
        "documentation": [
            docs_version(path) for path in (root / "build" / "docs").glob("_static/documentation_options.js")
        ],
    }
    problems = []
    for name, versions in found.items():
        if not versions:
            problems.append(f"{name}: not built. Run make release.")
        problems += [f"{name}: the version is {other}, not {version}." for other in versions if other != version]
    return problems


def wheel_version(path: Path) -> str:
    """Return the version in the metadata of a wheel."""
    with zipfile.ZipFile(path) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        return metadata_version(wheel.read(name).decode("utf-8"))


def sdist_version(path: Path) -> str:
    """Return the version in the metadata of a source distribution."""
    with tarfile.open(path) as sdist:
        file = sdist.extractfile(f"{path.name.removesuffix('.tar.gz')}/PKG-INFO")
        return metadata_version(file.read().decode("utf-8")) if file else "missing"


def docs_version(path: Path) -> str:
    """Return the version that Sphinx wrote into the options of the pages."""
    found = re.search(r"VERSION: '(.*?)'", path.read_text(encoding="utf-8"))
    return found[1] if found else "missing"


def metadata_version(metadata: str) -> str:
    found = re.search(r"^Version: (\S+)$", metadata, re.MULTILINE)
    return found[1] if found else "missing"


def main(arguments: list[str]) -> int:
    """Print the problems and return 1, or return 0 if there are none."""
    checks = {"sources": source_problems, "built": built_problems}
    if len(arguments) != 1 or arguments[0] not in checks:
        print(__doc__, file=sys.stderr)
        return 2
    problems = checks[arguments[0]](ROOT)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems and arguments[0] == "built":
        version = project_version(ROOT)
        print(f"Version {version} is ready. To release it: git tag v{version} && git push origin v{version}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
