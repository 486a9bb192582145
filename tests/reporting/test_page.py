"""The page, the summary and the JSON document of a report."""

from __future__ import annotations

import doctest
import errno
import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from rich.text import Text

import priorcase as pc
from priorcase.cli import main
from priorcase.exceptions import ParameterError, WritingError
from priorcase.reporting import Report, comparison, report, table_report
from priorcase.reporting.page import scale_of, ticks

_VOID = {"meta", "br", "rect", "circle", "line", "path"}


class Reader(HTMLParser):
    """Checks that tags close in order, and keeps headings, texts and attributes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.headings: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in _VOID:
            self.open.append(tag)
        if tag in ("h1", "h2"):
            self.headings.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings[-1] += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def found() -> Report:
    rng = np.random.default_rng(0)
    colours = rng.choice(["<script>alert(1)</script>", "a & b"], 80)
    X = pd.DataFrame({"<b>bold</b>": rng.normal(size=80), "colour": colours})
    y = np.where(X["<b>bold</b>"] + rng.normal(0, 0.3, 80) > 0, "x < 1", "x >= 1")
    learners = {"bayes": pc.NaiveBayes(numeric="mdl"), "near": pc.KNNClassifier(3), "& co": pc.KNNClassifier(100)}
    return report(X, y, target="a<b", name='"quoted" & more', learners=learners, budget=60)


def impossible(found: Report) -> Report:
    """A report in which one learner gave probability 0 to a class that occurred, which no training row had."""
    last = found.compared[-1]
    standings = [
        replace(one, scores=one.scores | {"log_score": (-np.inf, np.nan)}) if one.name == "near" else one
        for one in last.standings
    ]
    return replace(found, compared=(replace(last, standings=tuple(standings)),))


@pytest.fixture(scope="module")
def numbers() -> Report:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return report(X, X[:, 0] * 3 + rng.normal(size=60), learners={"near": pc.KNNRegressor(3)}, budget=60)


def test_the_page_is_whole_and_needs_no_network(found: Report) -> None:
    page = found.html()
    reader = read(page)
    assert reader.headings[0] == '"quoted" & more: a<b'
    assert {"Summary", "The table", "Comparison of learners", "Calibration", "Unusual rows"} <= set(reader.headings)
    assert not [name for _, name, _ in reader.attributes if name in ("src", "onclick", "onload")]
    assert all(value is not None and value.startswith("#") for _, name, value in reader.attributes if name == "href")
    assert "http" not in page
    assert "url(" not in page
    assert "@import" not in page


def test_links_lead_to_sections(found: Report) -> None:
    attributes = read(found.html()).attributes
    ids = {value for _, name, value in attributes if name == "id"}
    assert {str(value)[1:] for _, name, value in attributes if name == "href"} <= {str(each) for each in ids}


def test_drawings_and_tables_can_be_read_aloud(found: Report, numbers: Report) -> None:
    for page in (found.html(), numbers.html()):
        assert page.count("<svg ") == page.count('<svg role="img" aria-label="') + page.count('<svg aria-hidden="true"')
        assert page.count("<th ") == page.count('<th scope="')
        assert 'lang="en"' in page


def test_names_and_values_are_escaped(found: Report) -> None:
    page = found.html()
    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;b&gt;bold" in page
    words = "".join(read(page).words)
    assert "& co failed: " in words.replace("\n", " ")


HIDDEN = "a\x1b[2Jb\x9bc\u202ed\u2066e\x00f"


@pytest.fixture(scope="module")
def hostile() -> Report:
    """Escape sequences in every text that a report shows."""
    rng = np.random.default_rng(0)
    names = [f"{HIDDEN}1", f"{HIDDEN}2"]
    X = pd.DataFrame({f"x{HIDDEN}": rng.normal(size=80), f"c{HIDDEN}": rng.choice(names, 80)})
    y = np.where(X.iloc[:, 0] > 0, f"u{HIDDEN}", f"v{HIDDEN}").astype(object)
    y[0] = f"once{HIDDEN}"
    learners = {f"bayes{HIDDEN}": pc.NaiveBayes(numeric="mdl"), f"failing{HIDDEN}": pc.KNNClassifier(100)}
    return report(X, y, target=f"t{HIDDEN}", name=f"n{HIDDEN}", learners=learners, budget=60)


def test_control_and_bidirectional_characters_are_shown_as_escapes(hostile: Report) -> None:
    for text in (str(hostile), repr(hostile), hostile.html(), hostile.json(), hostile._repr_html_()):
        assert not set(text) & set("\x1b\x9b\u202e\u2066\x00")
    assert r"a\x1b[2Jb\x9bc\u202ed\u2066e\x00f" in str(hostile)
    assert json.loads(hostile.json())["target"] == f"t{HIDDEN}"


def test_names_of_learners_are_harmless_on_the_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    @contextmanager
    def bar(*args: object, **options: object) -> Iterator[Any]:
        yield told.append

    monkeypatch.setattr(table_report, "bar", bar)
    X = np.arange(40.0)[:, None] % 7
    report(X, np.arange(40) % 7 > 3, budget=60, learners={f"[/red]{HIDDEN}": pc.NaiveBayes()})
    assert r"[/red]a\x1b[2Jb" in Text.from_markup(told[1]).plain
    assert not set("".join(told)) & set("\x1b\x9b\u202e\u2066\x00")


def test_long_names_are_broken_and_short_ones_are_not(found: Report) -> None:
    assert '<th scope="row" class="w">colour</th>' in found.html()
    X = pd.DataFrame({"m" * 300: np.arange(60) % 7, "x": np.arange(60) % 5})
    page = report(X, np.arange(60) % 7 > 3, target="t" * 200, budget=60, learners={"b": pc.NaiveBayes()}).html()
    assert page.count(f' class="long">{"m" * 300}<') >= 2
    assert ".long { overflow-wrap: anywhere;" in page


def test_the_page_says_what_the_report_says(found: Report) -> None:
    words = " ".join("".join(read(found.html()).words).split())
    assert f"Recommended: {found.verdict.chosen}" in words
    for one in found.explained:
        assert f": row {one.row}" in words


def test_the_page_of_numbers(numbers: Report) -> None:
    words = "".join(read(numbers.html()).words)
    assert "root mean squared error" in words
    assert "Relief weight" in words
    assert "log-score" not in words


def test_the_document_holds_everything_and_no_nan(found: Report, numbers: Report) -> None:
    for one in (found, numbers):
        data = json.loads(one.json(), parse_constant=lambda constant: pytest.fail(f"JSON holds {constant}"))
        assert data["verdict"]["chosen"] == one.verdict.chosen
        assert [learner["name"] for learner in data["comparisons"][-1]["learners"]] == [
            standing.name for standing in one.compared[-1].standings
        ]
        assert data["explained"][0]["place"] == one.explained[0].row
        assert not any("**" in sentence for sentence in data["summary"])
    learners = json.loads(impossible(found).json())["comparisons"][-1]["learners"]
    assert next(each for each in learners if each["name"] == "near")["scores"]["log_score"]["mean"] is None


def test_reports_are_saved_by_the_ending_of_the_name(found: Report, tmp_path: Path) -> None:
    found.save(tmp_path / "report.html")
    found.save(str(tmp_path / "report.json"))
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == found.html()
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["target"] == "a<b"


@pytest.mark.parametrize("path", [5, None, "", "a\0b", b"report.html"])
def test_what_is_no_path_is_refused_in_a_sentence(found: Report, path: Any) -> None:
    with pytest.raises(ParameterError, match=r"^Report\.save: path must be the path of a file, .* got "):
        found.save(path)


def test_a_full_disk_leaves_the_earlier_file_and_is_named(
    found: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_text("before")
    monkeypatch.setattr("os.fsync", raising(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(WritingError, match=r"report\.html could not be written: No space left on device"):
        found.save(path)
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text() == "before"


def raising(error: Exception) -> Any:
    def fail(*_: object) -> None:
        raise error

    return fail


def test_links_are_followed_and_devices_are_written_to(found: Report, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("before")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    found.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text(encoding="utf-8") == found.json()
    found.save(os.devnull)
    assert not Path(os.devnull).is_file()
    if Path("/dev/full").is_char_device():
        with pytest.raises(WritingError, match="could not be written"):
            found.save("/dev/full")


def test_the_summary_is_short_and_plain(found: Report) -> None:
    text = str(found)
    assert text.startswith('"quoted" & more: a<b\n80 rows, 2 columns, no missing values; target a<b: 2 classes.\n')
    assert "**" not in text
    assert len(text.splitlines()) < 40
    assert "<p>&quot;quoted&quot; &amp; more: a&lt;b\n" in found._repr_html_()


def test_each_part_prints_as_a_short_table(found: Report, numbers: Report) -> None:
    for one in (found, numbers):
        for field in fields(one):
            part = getattr(one, field.name)
            if field.name != "skipped" and part is not None:
                text = repr(part)
                assert text == str(part)
                assert not re.search(r"[A-Z]\w+\(\w+=", text), text  # a dataclass
                assert len(text.splitlines()) < 40
    assert "x < 1" in repr(found.table.target)


def test_parts_name_rows_as_the_file_does(tmp_path: Path) -> None:
    """Positions among the rows with a target are not lines."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    job = np.where(x > 0, "a", "b").astype(object)
    job[5], job[:3] = "ab"[int(x[5] > 0)], None
    x[9] = 50.0
    pd.DataFrame({"x": x, "job": job}).to_csv(tmp_path / "t.csv", index=False)
    found = report(tmp_path / "t.csv", target="job", learners={"bayes": pc.NaiveBayes(numeric="mdl")}, budget=60)
    assert found.suspects is not None
    assert found.outliers is not None
    assert "line 7 " in str(found.suspects)
    assert "line 11 " in str(found.outliers)
    assert json.loads(found.json())["suspects"]["rows"][0]["place"] == 7


@pytest.mark.slow
def test_the_page_for_domain_experts_shows_this_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = Path(__file__).resolve().parents[2] / "docs" / "get_started" / "domain_expert.md"
    block = re.search(r"^```\n\$ priorcase (report .*)\n([^`]*)^```$", guide.read_text(encoding="utf-8"), re.MULTILINE)
    assert block is not None
    monkeypatch.setattr(comparison, "_FOLDS", 10)
    monkeypatch.chdir(tmp_path)
    visits, job = pc.load_repairs()
    visits.assign(job=job)[:90].to_csv("visits.csv", index=False)
    result = CliRunner(env={"COLUMNS": "88"}).invoke(main, shlex.split(block[1]))
    same = doctest.OutputChecker().check_output(
        block[2], result.output, doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    assert same, result.output


def test_marks_lie_where_the_numbers_are(found: Report) -> None:
    scale = scale_of([(-1.0, 0.1), (-0.5, float("nan")), (float("-inf"), float("nan"))])
    assert (scale.low, scale.high) == (-1.1, -0.5)
    assert scale.at(-1.1) == 6.0
    assert scale.at(-0.5) == scale.at(7.0) == 174.0
    found = impossible(found)
    page, last = found.html(), found.compared[-1]
    marks = scale_of([one.scores["log_score"] for one in last.measured])
    assert f'<circle class="dot" cx="{marks.at(last.measured[0].scores["log_score"][0])}" cy="9" r="5"/>' in page
    assert "◂" in page
    assert found.importance is not None
    assert page.count('<rect class="bar"') == len(found.importance.columns) + sum(
        sum(n > 0 for n in column.bars) for column in (found.table.target, *found.table.columns)
    )
    assert found.calibration is not None
    assert page.count("<title>") == 1 + len(found.calibration.bins)


def test_ticks_hold_the_numbers() -> None:
    for low, high in [(0.0, 1.0), (-3.2, 7.9), (1e6, 1.2e6), (5.0, 5.0), (0.0, 0.0), (-1e-9, 2e-9)]:
        found = ticks(low, high)
        assert found[0] <= low
        assert found[-1] >= high
        assert 1 <= len(found) <= 7
