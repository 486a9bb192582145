"""The command line reads every format, and answers the same whatever the format."""

from __future__ import annotations

import csv
import gzip
import io
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from commands import FAST, HEADER, ROWS, answers, ask, error, run, write
from shop import CSV, shop

from priorcase.cli.tables import read_past
from priorcase.datasets import read_table
from priorcase.datasets.past import Reading
from priorcase.schema import Nominal, Numeric, Ordinal

NAMES = HEADER.split(",")
ORDERS = {"chain": ("fresh", "used", "worn", "stretched"), "brakes": ("firm", "soft", "weak")}
NUMBERS = ("age_years", "km_since_service", "load_kg")


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
    return [{name: value for name, value in answer.items() if name != "line"} for answer in document["predictions"]]


def test_arff_from_a_file_and_from_standard_input(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    path = tmp_path / "train.arff"
    path.write_text(as_arff(ROWS[:80]), encoding="utf-8")
    document = answers(ask("predict", path, "-", "--json", stdin=as_arff(ROWS[80:])))
    assert without_lines(document) == expected
    assert document["predictions"][0]["line"] == len(NAMES) + 4


def test_parquet_says_itself_what_has_an_order(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    path = tmp_path / "train.parquet"
    path.write_bytes(as_parquet(ROWS[:80]))
    options = (path, "--target", "job", "-", *FAST, "--json")
    document = answers(run("predict", *options, stdin=as_parquet(ROWS[80:])))
    assert document["attributes"]["chain"] == list(ORDERS["chain"])
    assert without_lines(document) == expected
    assert document["predictions"][0]["line"] == 1


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
    files = (tmp_path / "repairs.data", tmp_path / "repairs.test")
    document = answers(run("predict", *files, "--target", "class", *FAST, "--json"))
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
    assert "needs query.arff.names in the same folder" in error(ask("predict", train, odd))
    assert without_lines(answers(ask("predict", train, odd, "--json", "--read", "format=csv"))) == expected
    mistake = error(ask("predict", train, odd, "--read", "format=arf"))
    assert "arff" in mistake


def test_a_delimiter_for_arff_is_refused(tmp_path: Path, train: Path) -> None:
    query = tmp_path / "query.arff"
    query.write_text(as_arff(ROWS[80:]), encoding="utf-8")
    found = error(ask("predict", train, query, "--read", "delimiter=,"))
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
    document = answers(
        run("predict", past, "--target", "b", new, "--json", "--learner", "knn", "--set", "n_neighbors=2")
    )
    assert document["predictions"][0]["probabilities"] == {"p": 0.5, "q": 0.5}


def test_past_cases_without_a_target_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "t.csv", ["id,a,b", "1,x,0.5", "2,y,1.5"])
    found = read_past(str(path), None, Reading({"id": "ignore"}, {}))
    assert (found.task, found.target, found.kinds) == ("regress", "b", {"a": Nominal()})
    assert "the target is 'b', the last column" in capsys.readouterr().err
    assert (found.y.tolist(), found.lines, found.X["a"].tolist()) == ([0.5, 1.5], (2, 3), ["x", "y"])
    (tmp_path / "g.names").write_text("a, b.\nn: continuous.\nm: [ordered] lo, hi.\n", encoding="utf-8")
    (tmp_path / "g.data").write_text("1, lo, a\n2, hi, b\n", encoding="utf-8")
    golf = read_past(str(tmp_path / "g.data"), None, Reading({}, {}))
    assert (golf.target, golf.task, capsys.readouterr().err) == ("class", "classify", "")
    assert golf.kinds == {"n": Numeric(), "m": Ordinal(("lo", "hi"))}


def test_reading_options_reach_the_reader(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes("größe;code;t\n1;7;a\n-9;7;b\n3;8;a\n".encode("latin-1"))
    told = ["--read", "delimiter=;", "--read", "encoding=latin-1", "--read", "missing=-9", "--column", "code=nominal"]
    document = answers(
        run("explain", table, table, "--target", "t", "--json", "--learner", "knn", "--set", "n_neighbors=3", *told)
    )
    assert document["attributes"] == {"größe": "numeric", "code": "nominal"}
    assert [case["values"]["größe"] for case in document["predictions"][0]["precedents"]] == [1.0, None, 3.0]


def test_a_column_that_is_almost_numeric_is_noted(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,t", "1,a", "2,b", "~3,a", "4,b"])
    result = run("predict", table, "x=1", "--target", "t", "--learner", "knn", "--set", "n_neighbors=1")
    assert "t.csv: 4 rows of CSV; commas; 1 field of 'x' is not a number and read as missing: '~3'" in result.stderr


def test_ignored_columns_take_no_part(train: Path, tmp_path: Path) -> None:
    numbered = [f"id,{HEADER}", *(f"{i},{row}" for i, row in enumerate(ROWS[:80]))]
    other, query = write(tmp_path / "numbered.csv", numbered), write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])
    plain, marked = (
        ask("predict", train, query, "--json"),
        ask("predict", other, query, "--json", "--column", "id=ignore"),
    )
    assert answers(plain) == answers(marked)
    assert "has no column ''" in error(run("predict", train, query, "--target", ""))


def test_an_unusual_delimiter_is_asked_for(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", [line.replace(",", "~") for line in [HEADER, *ROWS]])
    asked = ("predict", table, "--target", "job", "noise=creak", "--learner", "knn")
    assert "was read as a single column. If it has several columns, pass the delimiter" in error(run(*asked))
    assert run(*asked, "--read", "delimiter=~").exit_code == 0


def test_several_columns_may_be_declared_at_once(tmp_path: Path) -> None:
    rows = [f"{i % 2},{i % 4},{i % 3},{'ab'[i % 2]}" for i in range(12)]
    for names, expected in (
        ('sex,cp,"sex,cp"', ["numeric", "numeric", "nominal"]),
        ("sex,cp,other", ["nominal", "nominal", "numeric"]),
    ):
        table = write(tmp_path / "t.csv", [f"{names},t", *rows])
        asked = ("predict", table, "--target", "t", "sex=1", "--learner", "naive_bayes", "--json")
        assert list(answers(run(*asked, "--column", "sex,cp=nominal"))["attributes"].values()) == expected
    assert list(answers(run(*asked, "--column", "sex, cp=nominal"))["attributes"].values()) == expected
    assert "Did you mean 'cp'?" in error(run(*asked, "--column", "sex,cpp=nominal"))
    assert "--column cp is declared more than once" in error(
        run(*asked, "--column", "sex,cp=nominal", "--column", "cp=numeric")
    )


# Data sets by name


@pytest.fixture
def shoes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = shop(tmp_path, CSV + "u,8,M,1,no\nv,3,S,2,yes\n" * 20, rows=43)
    monkeypatch.setenv("PRIORCASE_DATA", str(folder))
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_data_set_may_stand_for_a_table(shoes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = run("predict", "shoes", "shoes", "--target", "fits", *FAST, "--json")
    assert answers(answered)["attributes"] == {"age": "numeric", "size": ["S", "M", "L"], "code": "nominal"}
    written = run("predict", "shoes", "shoes", "--target", "fits", *FAST, "--csv").stdout
    assert written.startswith("line,prediction,P(no),P(yes),actual\n")
    assert "no data set named 'shoe'. Did you mean 'shoes'?" in error(run("evaluate", "shoe"))
    assert "there is no file and no data set named 'q'." in error(run("evaluate", "q"))
    assert "there is no file 'shoes.csv', but there is a data set 'shoes'." in error(run("report", "shoes.csv"))
    assert "'worn.csv' does not exist" in error(run("report", "worn.csv"))
    for option in ("format=csv", "delimiter=;", "missing=x", "encoding=u8"):
        expected = f"--read {option.partition('=')[0]} has no effect on 'shoes'"
        assert expected in error(run("evaluate", "shoes", "--read", option))
        assert expected in error(run("predict", "shoes", "shoes", "--read", option))
    new = write(tmp_path / "new.csv", ["age;size;code", "7;M;1"])
    assert run("predict", "shoes", "--target", "fits", new, *FAST, "--read", "delimiter=;").exit_code == 0
    described = (shoes / "manifest.json").read_text()
    (shoes / "manifest.json").write_text(described.replace('"shoes"', '"shoes_v1.2"'))
    (tmp_path / "shoes_v1.2").mkdir()
    (tmp_path / "boots").mkdir()
    asked = ("--learner", "baseline", "--splits", "2", "--score", "accuracy")
    assert "43 rows: 2-fold" in run("evaluate", "shoes_v1.2", *asked).stdout
    assert "'boots' is a directory" in error(run("evaluate", "boots"))
    monkeypatch.setenv("PRIORCASE_DATA", str(tmp_path / "nowhere"))
    assert "PRIORCASE_DATA is" in error(run("evaluate", "shoes"))
    assert "'worn.csv' does not exist" in error(run("evaluate", "worn.csv"))


def test_a_download_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))
    table = read_table(write(tmp_path / "repairs.csv", [HEADER, *ROWS]))
    table.attrs.pop("understood")
    monkeypatch.setattr("priorcase.datasets.catalog.load_frame", lambda name, schema: table)
    done = run("evaluate", "glass", "--target", "job", "--learner", "baseline", "--splits", "3")
    assert "96 rows" in done.stdout
    assert done.stderr == "priorcase: note: downloading the data set 'glass' from OpenML to the cache\n"


def test_levels_overrule_what_a_file_declares(tmp_path: Path) -> None:
    path = tmp_path / "train.arff"
    path.write_text(as_arff(ROWS[:80]), encoding="utf-8")
    document = answers(ask("predict", path, path, "--json"))
    assert document["attributes"]["brakes"] == ["firm", "soft", "weak"]
    nominal = (path, "--target", "job", path, *FAST, "--json")
    assert answers(run("predict", *nominal))["attributes"]["brakes"] == "nominal"


@pytest.mark.parametrize(
    "command", ["predict t.csv q.csv --out t.csv", "predict t.csv q.csv --out q.csv", "evaluate t.csv --out hard.csv"]
)
def test_out_never_overwrites_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name, rows in (("t.csv", ROWS[:20]), ("q.csv", ROWS[20:22])):
        write(Path(name), [HEADER, *rows])
    Path("hard.csv").hardlink_to("t.csv")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert "would overwrite a file that this command reads" in error(run(*command.split(), "--target", "job"))
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


# Files as they come


AWKWARD = Path(__file__).parents[1] / "datasets" / "awkward"
GERMAN = (
    "german.csv: 120 rows of CSV; semicolons, latin-1, decimal commas, thousands, dates as day, month, year, "
    "missing 'k. A.'\n"
)


@pytest.mark.parametrize(
    "command",
    [
        "evaluate {} --target Verspätet --learner naive_bayes --splits 3 --score accuracy",
        "predict {} --target Verspätet Betrag=1.500,00 Datum=3.4.2025 --learner naive_bayes",
        "explain {} --target Verspätet Betrag=1.500,00 --learner naive_bayes",
        "report {} --target Verspätet --budget 1s",
        "cases new {base} --like {} --column Verspätet=solution",
        "cases add {base} --from {} --column Verspätet=solution",
    ],
)
def test_every_command_reads_alike_and_says_so_in_one_line(command: str, tmp_path: Path) -> None:
    base = tmp_path / "a.cases"
    if "cases add" in command:
        assert run("cases", "new", base).exit_code == 0
    words = [word.format(AWKWARD / "german.csv", base=base) for word in command.split()]
    done = run(*words)
    assert done.exit_code == 0, done.stderr
    told = [line for line in done.stderr.splitlines(keepends=True) if "note: read " in line]
    assert len(told) == 1
    assert told[0].endswith(GERMAN)
    assert "Did you mean 'decimal'?" in error(run(*words, "--read", "decimals=,"))


def test_decimal_commas_are_as_good_as_points(tmp_path: Path) -> None:
    frame = read_table(AWKWARD / "german.csv")
    frame.to_csv(tmp_path / "points.csv", index=False)
    asked = ("--target", "Verspätet", "--learner", "naive_bayes", "--splits", "5", "--score", "accuracy", "--json")
    german, points = (
        answers(run("evaluate", path, *asked)) for path in (AWKWARD / "german.csv", tmp_path / "points.csv")
    )
    assert german["learners"][0]["scores"] == points["learners"][0]["scores"]
    assert german["learners"][0]["scores"]["accuracy"]["mean"] > 0.88


def test_new_cases_that_are_written_otherwise_are_one_error(tmp_path: Path) -> None:
    new = write(tmp_path / "new.csv", ["Kundennr,Betrag,Ort,Datum,Notiz", "K1,1500.5,Köln,2025-04-03,"])
    found = error(run("predict", AWKWARD / "german.csv", "--target", "Verspätet", new, *FAST))
    assert "csv line 2, column 'Betrag' holds '1500.5'; expected a number such as 3,5 (with a decimal comma)" in found


def test_a_table_of_a_database_and_a_sheet_are_tables(tmp_path: Path) -> None:
    rows = [tuple(row) for row in fields(ROWS[:40])]
    base = sqlite3.connect(tmp_path / "shop.db")
    base.execute(f"CREATE TABLE visits ({', '.join(NAMES)})")
    base.executemany(f"INSERT INTO visits VALUES ({', '.join('?' * len(NAMES))})", rows)
    base.commit()
    base.close()
    expected = answers(ask("predict", write(tmp_path / "t.csv", [HEADER, *ROWS[:40]]), "noise=creak", "--json"))
    found = answers(ask("predict", f"{tmp_path / 'shop.db'}::visits", "noise=creak", "--json"))  # type: ignore[arg-type]
    assert found["predictions"] == expected["predictions"]
    assert "does not exist" in error(run("report", f"{tmp_path / 'none.db'}::visits"))
    pytest.importorskip("openpyxl")
    read_table(tmp_path / "t.csv").to_excel(tmp_path / "t.xlsx", index=False, sheet_name="visits")
    options = ("--read", "sheet=visits", "--json")
    assert (
        answers(ask("predict", tmp_path / "t.xlsx", "noise=creak", *options))["predictions"] == expected["predictions"]
    )


def test_what_a_column_is_declared_to_be_holds_for_the_learner(tmp_path: Path) -> None:
    notes = [
        f"the {colour} bike number {i} squeaks when it rains outside" for i, colour in enumerate(["red", "blue"] * 15)
    ]
    table = write(tmp_path / "t.csv", ["note,n,t", *(f"{note},{i % 7},{'ab'[i % 2]}" for i, note in enumerate(notes))])
    asked = ("predict", table, "--target", "t", "n=3", "--json")
    assert answers(run(*asked))["attributes"]["note"] == "text"
    assert answers(run(*asked, "--column", "note=nominal"))["attributes"]["note"] == "nominal"
    assert answers(run(*asked, "--column", "note=nominal"))["parameters"]["schema"] == {"note": "nominal"}


def test_a_misspelled_file_is_answered_with_a_near_one_of_its_folder(
    train: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "repairs_2024.csv", [HEADER, *ROWS])
    monkeypatch.chdir(tmp_path)
    for wrong in ("repairs_2042.csv", "repairs_2024.cvs", "repairs_2024"):
        told = f"there is no file '{wrong}'. Did you mean 'repairs_2024.csv'?"
        assert told in error(run("predict", wrong, "age=1"))
        assert told in error(run("predict", train, wrong))
        assert told.replace("'repairs", f"'{tmp_path}/repairs") in error(run("report", tmp_path / wrong))
    assert "Did you mean 'penguins'?" in error(run("report", "pengins"))  # a data set, since no file is near
    assert "does not exist" in error(run("report", tmp_path / "other" / "repairs_2024.csv"))
