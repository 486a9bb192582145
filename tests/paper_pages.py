"""What the documents say of the papers."""

from __future__ import annotations

from pathlib import Path

from papers.reproduction import FigureTable


def is_documented(table: FigureTable, row: str) -> bool:
    """Whether a page in docs/papers has a line of a table, whatever else the line says."""
    folder = Path(__file__).parents[1] / "docs"
    pages = sorted((folder / "papers").glob("*.md"))
    lines = [line for page in pages if page.exists() for line in page.read_text(encoding="utf-8").splitlines()]
    cells = [figure.text(*table.digits).rstrip(")") for figure in table.rows[row] if figure.ours is not None]
    return any(line.startswith(f"| {row} |") and all(cell in line for cell in cells) for line in lines)
