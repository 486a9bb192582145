"""The pictures of the documents: each is made by the example script, and each that it makes is shown."""

import re
from pathlib import Path

from examples import pictures

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guide" / "plots.md").read_text(encoding="utf-8")


def test_the_page_shows_what_the_script_makes() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(\.\./pictures/(\w+)\.png\)", PAGE)
    assert shown == list(dict.fromkeys(shown))
    assert sorted(shown) == sorted(picture.__name__ for picture in pictures.PICTURES)
    assert sorted(shown) == sorted(path.stem for path in pictures.FOLDER.glob("*.png"))


def test_pictures_are_small_files() -> None:
    assert all(path.stat().st_size < 60_000 for path in pictures.FOLDER.glob("*.png"))


def test_the_script_draws_what_is_named(tmp_path: Path) -> None:
    pictures.main(tmp_path, "voronoi", "relevance")
    assert {path.name for path in tmp_path.iterdir()} == {"voronoi.png", "relevance.png"}
    assert (tmp_path / "voronoi.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
