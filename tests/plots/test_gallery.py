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


def test_pictures_are_small_files() -> None:
    assert all(path.stat().st_size < 60_000 for path in pictures.FOLDER.glob("*.png"))


def test_the_script_draws_what_is_named(tmp_path: Path) -> None:
    pictures.main(tmp_path, "voronoi", "relevance")
    assert {path.name for path in tmp_path.iterdir()} == {"voronoi.png", "relevance.png"}
    assert (tmp_path / "voronoi.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
