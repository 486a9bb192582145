"""The pages on TiMBL and Weka have every flag of both, and where they say that answers are the same they are."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from commands import HEADER, ROWS, answers, run, write

from priorcase.cli import main
from priorcase.registry import LEARNERS

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how_to"
# Without the examples, whose fences would pair with the backquotes of the tables.
TIMBL, WEKA = (
    re.findall(
        r"`([^`]+)`", re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    )
    for page in (HOW_TO / "from_timbl.md", HOW_TO / "from_weka.md")
)
JAR = Path("/usr/share/java/weka.jar")
has_timbl = pytest.mark.skipif(shutil.which("timbl") is None, reason="no timbl here (Debian: apt-get install timbl)")
has_weka = pytest.mark.skipif(
    shutil.which("java") is None or not JAR.exists(), reason="no weka here (Debian: apt-get install weka)"
)


# The pages


@pytest.mark.peers
@has_timbl
def test_the_page_has_every_flag_of_timbl() -> None:
    told = subprocess.run(["timbl", "--help"], capture_output=True, text=True, check=False)
    lines = (told.stdout + told.stderr).partition("Algorithm and Metric options:")[2].splitlines()
    flags = {found.group(1) for line in lines if (found := re.match(r"([-+][A-Za-z%]|--[A-Za-z]+)", line))}
    assert {"-a", "-m", "-w", "-k", "-d", "--clones", "--Treeorder", "+D", "-%", "-B"} <= flags | {"-%"}
    mentioned = " ".join(TIMBL)
    assert [flag for flag in sorted(flags) if not re.search(rf"(?<![\w-]){re.escape(flag)}(?!\w)", mentioned)] == []


@pytest.mark.peers
@has_weka
@pytest.mark.parametrize("name", ["lazy.IBk", "lazy.LWL", "lazy.KStar", "bayes.NaiveBayes"])
def test_the_page_has_every_flag_of_weka(name: str) -> None:
    told = subprocess.run(["java", "-cp", str(JAR), f"weka.classifiers.{name}", "-h"], capture_output=True, text=True)
    text = told.stdout + told.stderr
    flags = set(re.findall(r"^(-[A-Za-z-]+)", text, re.MULTILINE)) | {"-help", "-info"}
    assert {"-t", "-T", "-x", "-split-percentage"} <= flags
    mentioned = " ".join(WEKA)
    assert [flag for flag in sorted(flags) if not re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", mentioned)] == []


def test_every_flag_of_ours_exists() -> None:
    commands = [main, *main.commands.values()]
    ours = {flag for command in commands for option in command.params for flag in option.opts}
    theirs = {"--clones", "--Diversify", "--limit", "--matrixin", "--matrixout", "--occurrences", "--Beam"}
    theirs |= {"--Treeorder", "--version", "--help"}
    flags = {flag for text in TIMBL + WEKA for flag in re.findall(r"(?<!\S)--[A-Za-z-]+", text)}
    assert flags - ours - theirs == set()
    names = {name for text in TIMBL + WEKA for name in re.findall(r"--learner ([a-z0-9_]+)", text)}
    assert names <= set(LEARNERS)


# TiMBL


def symbols() -> tuple[list[str], list[str]]:
    """Lines of names and a class that three of them decide, with some noise: past cases and new ones."""
    stream = random.Random(5)
    lines = []
    for _ in range(300):
        values = [stream.choice("pqrst"[: 2 + column % 4]) for column in range(6)]
        score = (values[0] == "p") + (values[1] == "q") + (values[3] in "rs") + stream.random() * 1.2
        lines.append(",".join([*values, "yes" if score > 1.8 else "no"]))
    return lines[:220], lines[220:]


@pytest.mark.peers
@has_timbl
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (("-mO", "-w", "0"), ("distance=overlap",)),
        (("-mO", "-w", "1"), ("distance=overlap", "attribute_weights=gain_ratio")),
        (("-mO", "-w", "2"), ("distance=overlap", "attribute_weights=mutual_information")),
        (("-mM", "-w", "0"), ("distance=mvdm",)),
        (("-mM", "-w", "1"), ("distance=mvdm", "attribute_weights=gain_ratio")),
    ],
)
def test_the_nearest_case_of_timbl(theirs: tuple[str, ...], ours: tuple[str, ...], tmp_path: Path) -> None:
    past, new = symbols()
    train, test, out = write(tmp_path / "past.data", past), write(tmp_path / "new.data", new), tmp_path / "out"
    files = ["-f", str(train), "-t", str(test), "-o", str(out)]
    subprocess.run(["timbl", "-F", "C4.5", *files, "-k", "1", *theirs], capture_output=True, check=True)
    said = [line.rpartition(",")[2] for line in out.read_text().splitlines()]
    head = "a,b,c,d,e,f,class"
    tables = (write(tmp_path / "past.csv", [head, *past]), write(tmp_path / "new.csv", [head, *new]))
    options = ["--learner", "knn", *(word for one in ("n_neighbors=1", *ours) for word in ("--set", one))]
    found = answers(run("predict", tables[0], "--target", "class", tables[1], "--json", *options))["predictions"]
    settled = [at for at, answer in enumerate(found) if answer["probabilities"]["no"] != 0.5]
    assert len(settled) > 60
    assert [found[at]["prediction"] for at in settled] == [said[at] for at in settled]


# Weka


def arff(path: Path, rows: list[list[str]]) -> Path:
    """Rows of the built-in table, its classes called by their number: Weka cuts names short."""
    names = HEADER.split(",")
    columns = [sorted({row.split(",")[at] for row in ROWS} - {"", "?"}) for at in range(len(names))]
    kinds = [f"@attribute {name} {_kind(values)}" for name, values in zip(names, columns, strict=True)]
    return write(path, ["@relation r", *kinds, "@data", *(",".join(value or "?" for value in row) for row in rows)])


def _kind(values: list[str]) -> str:
    numeric = all(re.fullmatch(r"-?[\d.]+", value) for value in values)
    return "numeric" if numeric else "{" + ",".join(values) + "}"


def weka(name: str, options: tuple[str, ...], train: Path, test: Path) -> list[tuple[int, list[float]]]:
    """The number of each predicted class, from 0, and the probabilities to three digits."""
    command = ["java", "-cp", str(JAR), f"weka.classifiers.{name}", "-t", str(train), "-T", str(test)]
    done = subprocess.run([*command, "-p", "0", "-distribution", *options], capture_output=True, text=True, check=True)
    found = re.findall(r"^\s*\d+\s+\d+:\S+\s+(\d+):\S+\s+\+?\s*([\d.,*]+)\s*$", done.stdout, re.MULTILINE)
    return [(int(label) - 1, [float(share.strip("*")) for share in shares.split(",")]) for label, shares in found]


@pytest.mark.peers
@has_weka
@pytest.mark.parametrize(
    ("name", "options", "ours", "gaps", "near"),
    [
        ("lazy.IB1", (), ("--learner", "ib1"), True, 0.0),
        (
            "lazy.IBk",
            ("-K", "1"),
            ("--learner", "knn", "--set", "distance=ib", "--set", "n_neighbors=1", "--set", "prior={p}"),
            False,
            0.0006,
        ),
        (
            "lazy.IBk",
            ("-K", "5"),
            ("--learner", "knn", "--set", "distance=ib", "--set", "n_neighbors=5", "--set", "prior={p}"),
            False,
            0.0006,
        ),
        ("bayes.NaiveBayes", ("-D",), ("--learner", "naive_bayes", "--set", "numeric=mdl"), True, 0.0006),
        ("bayes.NaiveBayes", (), ("--learner", "naive_bayes", "--set", "numeric=gaussian"), True, 0.1),
        ("rules.ZeroR", (), ("--learner", "knn", "--set", "n_neighbors=all"), True, 0.03),
    ],
)
def test_answers_of_weka(
    name: str, options: tuple[str, ...], ours: tuple[str, ...], gaps: bool, near: float, tmp_path: Path
) -> None:
    rows: list[list[Any]] = [row.split(",") for row in ROWS]
    if not gaps:
        rows = [row for row in rows if "" not in row and "?" not in row]
    cut = len(rows) * 3 // 4
    train, test = arff(tmp_path / "past.arff", rows[:cut]), arff(tmp_path / "new.arff", rows[cut:])
    told = weka(name, options, train, test)
    assert len(told) == len(rows) - cut
    given = [option.format(p=1 / cut) for option in ours]
    found = answers(run("predict", train, "--target", "job", test, "--json", *given))["predictions"]
    labels = sorted({row.rpartition(",")[2] for row in ROWS})
    for answer, (label, shares) in zip(found, told, strict=True):
        if name == "lazy.IB1":  # one vote, beside which there is one of the prior here
            shares = [(share + 1 / len(labels)) / 2 for share in shares]
        assert [answer["probabilities"][one] for one in labels] == pytest.approx(shares, abs=near)
        if near < 0.1:
            assert answer["prediction"] == labels[label]
