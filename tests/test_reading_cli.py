"""The command line reads every format, and answers the same whatever the format."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from commands import HEADER, ROWS, answers, ask, error, run, write

from priorcase.cli.tables import cases
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

NAMES = HEADER.split(",")
ORDERS = {"chain": ("fresh", "used", "worn", "stretched"), "brakes": ("firm", "soft", "weak")}
NUMBERS = ("age_years", "km_since_service", "load_kg")
READING: dict[str, Any] = {
    "ignore": (),
    "numeric": (),
    "nominal": (),
    "ordinal": (),
    "missing": (),
    "delimiter": None,
    "encoding": "utf-8",
    "format": None,
}


def fields(rows: list[str]) -> list[list[str | None]]:
    return [[field or None for field in row] for row in csv.reader(rows)]


def values(name: str) -> list[str]:
    found = {row[NAMES.index(name)] for row in fields(ROWS)} - {None}
    return [*ORDERS.get(name, sorted(map(str, found)))]


def as_arff(rows: list[str]) -> str:
    kinds = [("numeric" if name in NUMBERS else "{" + ", ".join(values(name)) + "}") for name in NAMES]
    head = "".join(f"@attribute {name} {kind}\n" for name, kind in zip(NAMES, kinds, strict=True))
    body = "".join(",".join(field or "?" for field in row) + "\n" for row in fields(rows))
    return f"% visits\n@relation repairs\n{head}@data\n{body}"


def as_parquet(rows: list[str]) -> bytes:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(fields(rows), columns=NAMES)
    for name in NUMBERS:
        frame[name] = frame[name].astype(float)
    for name, order in ORDERS.items():
        frame[name] = pd.Categorical(frame[name], categories=order, ordered=True)
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def expected(train: Path, tmp_path: Path) -> list[dict[str, Any]]:
    """What is answered to the same tables as CSV, lines apart."""
    query = write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])
    return without_lines(answers(ask("predict", train, query, "--json")))


def without_lines(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: value for name, value in answer.items() if name != "line"} for answer in document["answers"]]


def test_arff_from_a_file_and_from_standard_input(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    path = tmp_path / "train.arff"
    path.write_text(as_arff(ROWS[:80]), encoding="utf-8")
    document = answers(ask("predict", path, "-", "--json", stdin=as_arff(ROWS[80:])))
    assert without_lines(document) == expected
    assert document["answers"][0]["line"] == len(NAMES) + 4


def test_parquet_says_itself_what_has_an_order(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    path = tmp_path / "train.parquet"
    path.write_bytes(as_parquet(ROWS[:80]))
    options = ("--train", path, "--target", "job", "--query", "-", "--json")
    document = answers(run("predict", *options, stdin=as_parquet(ROWS[80:])))
    assert document["attributes"]["chain"] == list(ORDERS["chain"])
    assert without_lines(document) == expected
    assert document["answers"][0]["line"] == 1


def test_c45_by_the_files_of_rows(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    def described(name: str) -> str:
        if name in NUMBERS:
            return "continuous"
        return ("[ordered] " if name in ORDERS else "") + ", ".join(values(name))

    def rows(part: list[str]) -> str:
        return "".join(", ".join(field or "?" for field in row) + ".\n" for row in fields(part))

    head = ", ".join(values("job")) + ".\n" + "".join(f"{name}: {described(name)}.\n" for name in NAMES[:-1])
    for ending, text in {"names": head, "data": rows(ROWS[:80]), "test": rows(ROWS[80:])}.items():
        (tmp_path / f"repairs.{ending}").write_text(text, encoding="utf-8")
    files = ("--train", tmp_path / "repairs.data", "--query", tmp_path / "repairs.test")
    document = answers(run("predict", *files, "--target", "class", "--json"))
    assert without_lines(document) == expected


def test_tab_separated_and_packed_tables_can_be_mixed_with_others(
    tmp_path: Path, train: Path, expected: list[dict[str, Any]]
) -> None:
    query = tmp_path / "query.tsv.gz"
    text = "\n".join([HEADER, *ROWS[80:]]).replace(",", "\t") + "\n"
    query.write_bytes(gzip.compress(text.encode(), mtime=0))
    assert without_lines(answers(ask("predict", train, query, "--json"))) == expected


def test_the_format_can_be_told(tmp_path: Path, train: Path, expected: list[dict[str, Any]]) -> None:
    odd = write(tmp_path / "query.arff.data", [HEADER, *ROWS[80:]])
    assert "needs query.arff.names beside it" in error(ask("predict", train, odd))
    assert without_lines(answers(ask("predict", train, odd, "--json", "--format", "csv"))) == expected
    mistake = error(ask("predict", train, odd, "--format", "arf"))
    assert "--format" in mistake
    assert "arff" in mistake


def test_a_delimiter_for_arff_is_refused(tmp_path: Path, train: Path) -> None:
    query = tmp_path / "query.arff"
    query.write_text(as_arff(ROWS[80:]), encoding="utf-8")
    found = error(ask("predict", train, query, "--delimiter", ","))
    assert "delimiter=',' for a table in the format arff" in found


def test_a_broken_file_is_one_line_that_names_its_place(tmp_path: Path, train: Path) -> None:
    query = tmp_path / "query.arff"
    query.write_text(as_arff(ROWS[80:]) + "city\n", encoding="utf-8")
    found = error(ask("predict", train, query))
    assert f"query.arff line {len(NAMES) + 4 + 16} has 1 field; its header has 10." in found


def test_a_value_that_the_header_does_not_declare_is_new_to_a_query_and_wrong_in_past_cases(tmp_path: Path) -> None:
    past = tmp_path / "past.arff"
    past.write_text("@relation r\n@attribute a {x, y}\n@attribute b {p, q}\n@data\nx,p\ny,q\n", encoding="utf-8")
    new = write(tmp_path / "new.csv", ["a", "z"])
    document = answers(run("predict", "--train", past, "--target", "b", "--query", new, "--json", "--neighbors", 2))
    assert document["answers"][0]["probabilities"] == {"p": 0.5, "q": 0.5}


def test_cases_without_new_ones_and_without_a_target_named(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", ["id,a,b", "1,x,0.5", "2,y,1.5"])
    found = cases(str(path), None, **{**READING, "ignore": ("id",)})
    kinds: dict[str, Kind] = {"a": Nominal()}
    assert (found.task, found.target, found.kinds) == ("regress", "b", kinds)
    assert found.notes == ("the target is 'b', the last column",)
    assert found.y.tolist() == [0.5, 1.5]
    assert found.lines == (2, 3)
    assert found.X.tuples() == [("x",), ("y",)]
    (tmp_path / "g.names").write_text("a, b.\nn: continuous.\nm: [ordered] lo, hi.\n", encoding="utf-8")
    (tmp_path / "g.data").write_text("1, lo, a\n2, hi, b\n", encoding="utf-8")
    golf = cases(str(tmp_path / "g.data"), None, **READING)
    assert (golf.target, golf.notes, golf.task) == ("class", (), "classify")
    assert golf.kinds == {"n": Numeric(), "m": Ordinal(("lo", "hi"))}


def test_help_names_the_formats() -> None:
    shown = run("predict", "--help").stdout
    assert "csv, tsv, arff, parquet or c4.5" in " ".join(shown.split())
    assert "--format" in shown


def test_levels_overrule_what_a_file_declares(tmp_path: Path) -> None:
    path = tmp_path / "train.arff"
    path.write_text(as_arff(ROWS[:80]), encoding="utf-8")
    document = answers(ask("predict", path, path, "--json"))
    assert document["attributes"]["brakes"] == ["firm", "soft", "weak"]
    nominal = ("--train", path, "--target", "job", "--query", path, "--json")
    assert answers(run("predict", *nominal))["attributes"]["brakes"] == "nominal"
