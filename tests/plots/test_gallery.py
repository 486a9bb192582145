"""The pictures of the documents: each is made by the example script, and each that it makes is shown."""

import re
from pathlib import Path

from examples import pictures

ROOT = Path(__file__).resolve().parents[2]
GUIDE = sorted((ROOT / "docs" / "guide").glob("*.md"))


def test_the_guide_shows_what_the_script_makes() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in GUIDE)
    shown = sorted(set(re.findall(r"!\[[^\]]+\]\(\.\./pictures/(\w+)\.png\)", text)))
    assert shown == sorted(picture.__name__ for picture in pictures.PICTURES)
    assert shown == sorted(path.stem for path in pictures.FOLDER.glob("*.png"))


def test_every_picture_of_the_documentation_is_drawn_by_something() -> None:
    """Plots by the script, those of the help desk by its example, and screenshots by the tests in a browser."""
    docs = ROOT / "docs"
    generated = ("auto_examples", "papers", "_static")
    found = [path.relative_to(docs) for path in sorted(docs.rglob("*.png"))]
    by_hand = {path.as_posix() for path in found if path.parts[0] not in generated}
    tests = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "browser").glob("*.py")))
    screens = re.findall(r'picture\(page, f?"([a-z-]+).*documented=', tests)
    example = (ROOT / "examples" / "help_desk.py").read_text(encoding="utf-8")
    desk = re.findall(r'"(help_desk\w*)":', example)
    assert by_hand == {
        *(f"pictures/{picture.__name__}.png" for picture in pictures.PICTURES),
        *(f"explorer/{name}.png" for name in screens),
        *(f"cases/{name}.png" for name in desk),
    }


def test_every_picture_of_the_documentation_is_shown() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    kept = [path for folder in ("explorer", "cases") for path in (ROOT / "docs" / folder).glob("*.png")]
    assert [path.name for path in kept if f"{path.parent.name}/{path.name}" not in text] == []


def test_pictures_are_small_files() -> None:
    assert all(path.stat().st_size < 60_000 for path in pictures.FOLDER.glob("*.png"))


def test_the_script_draws_what_is_named(tmp_path: Path) -> None:
    pictures.main(tmp_path, "voronoi", "relevance")
    assert {path.name for path in tmp_path.iterdir()} == {"voronoi.png", "relevance.png"}
    assert (tmp_path / "voronoi.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
