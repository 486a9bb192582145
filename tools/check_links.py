"""Check the links of the built documentation; ``make docs`` runs this at its end.

``python tools/check_links.py build/docs`` starts at ``index.html``, follows every link to a file of the folder, and
prints the links whose file or ``#anchor`` does not exist. Links to other sites are not opened.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and anchors of one HTML file."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value or "")
            elif name in ("href", "src") and value:
                self.links.append(value)


def broken_links(folder: Path, start: str = "index.html") -> tuple[int, list[str]]:
    """Return the number of pages that can be reached from the start, and a line for each link that leads nowhere."""
    folder = folder.resolve()
    pages: dict[Path, Page] = {}

    def page_at(path: Path) -> Page:
        if path not in pages:
            pages[path] = Page(path.read_text(encoding="utf-8"))
        return pages[path]

    to_read, seen, problems = [folder / start], {folder / start}, []
    while to_read:
        path = to_read.pop()
        name = path.relative_to(folder).as_posix()
        for link in dict.fromkeys(page_at(path).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_relative_to(folder) or not target.is_file():
                problems.append(f"{name}: {link} does not exist")
            elif target.suffix == ".html":
                anchor = unquote(parts.fragment)
                if anchor and anchor not in page_at(target).anchors:
                    problems.append(f"{name}: {link} has no such anchor")
                if target not in seen:
                    seen.add(target)
                    to_read.append(target)
    return len(seen), problems


def main(arguments: list[str]) -> int:
    """Print the broken links and return 1, or return 0 if there are none."""
    if len(arguments) != 1 or not (Path(arguments[0]) / "index.html").is_file():
        print(__doc__, file=sys.stderr)
        return 2
    pages, problems = broken_links(Path(arguments[0]))
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"All links of {pages} pages lead somewhere.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
