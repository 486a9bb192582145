"""The stored rows over HTTP: sorted, filtered and searched, and changes that can be undone until they are saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import numpy as np
import pytest
from commands import write
from exploring import explorer

import priorcase as pc
from priorcase.datasets import read_table
from priorcase.datasets.past import Reading
from priorcase.explorer import Workspace
from priorcase.explorer.checking import Score
from priorcase.explorer.learners import answer_by
from priorcase.explorer.workspace import over_rows


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    lines = []
    for i in range(40):
        age = "" if i == 7 else 20.5 + i
        label = ("no" if i < 20 else "yes") if i != 30 else "no"  # row 30 is among rows of the other class
        lines.append(f"L-{i:03d},{age},{('own', 'rent', '<b>')[i % 3]},2024-01-{i % 28 + 1:02d},{label}")
    return write(tmp_path / "loans.csv", ["number,age,housing,since,repaid", *lines])


@pytest.fixture
def opened(loans: Path) -> Iterator[tuple[Workspace, httpx.Client]]:
    with explorer(loans, target="repaid") as found:
        yield found


def ids(client: httpx.Client, **options: Any) -> list[int]:
    if "filters" in options:
        options["filters"] = json.dumps(options["filters"])
    found = client.get("/rows", params={"limit": 500, **options})
    assert found.status_code == 200, found.text
    assert found.json()["total"] == len(found.json()["rows"])
    return [row["id"] for row in found.json()["rows"]]


def done(workspace: Workspace) -> None:
    for job in workspace.jobs.documents():
        workspace.jobs.wait(job["id"], 60)


def review(workspace: Workspace, client: httpx.Client) -> dict[str, Any]:
    client.get("/review")
    done(workspace)
    client.get("/review")
    done(workspace)
    found: dict[str, Any] = client.get("/review").json()
    return found


# -- finding


def test_rows_come_some_at_a_time_in_their_order(opened: tuple[Workspace, httpx.Client]) -> None:
    _, client = opened
    page = client.get("/rows", params={"offset": 5, "limit": 3}).json()
    assert (page["total"], page["offset"], [row["id"] for row in page["rows"]]) == (40, 5, [5, 6, 7])
    assert page["rows"][2] == {"id": 7, "target": "no", "values": [None, "rent", "2024-01-08"]}
    row = client.get("/rows/7").json()
    assert row["values"] == {"age": None, "housing": "rent", "since": "2024-01-08"}
    assert client.get("/rows/400").status_code == 404


def test_rows_are_sorted_with_missing_values_last(opened: tuple[Workspace, httpx.Client]) -> None:
    _, client = opened
    up, down = ids(client, sort="age"), ids(client, sort="age", descending=True)
    assert up[:3] == [0, 1, 2]
    assert down[:3] == [39, 38, 37]
    assert up[-1] == down[-1] == 7
    assert ids(client, sort="housing")[0] == 2  # <b>
    assert ids(client, sort="#", descending=True)[0] == 39
    assert ids(client, sort="repaid", descending=True)[0] == 20


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([{"column": "age", "low": 57}], [37, 38, 39]),
        ([{"column": "age", "high": 21.5}], [0, 1]),
        ([{"column": "age", "missing": True}], [7]),
        ([{"column": "age", "values": [25.5, 26.5]}], [5, 6]),
        ([{"column": "housing", "values": ["<b>"]}, {"column": "age", "high": 30}], [2, 5, 8]),
        ([{"column": "since", "low": "2024-01-27"}], [26, 27]),
        ([{"column": "repaid", "values": ["yes"]}, {"column": "age", "high": 41.5}], [20, 21]),
    ],
)
def test_rows_are_filtered(
    opened: tuple[Workspace, httpx.Client], filters: list[dict[str, Any]], expected: list[int]
) -> None:
    assert ids(opened[1], filters=filters) == expected


def test_every_word_of_a_search_is_found_in_some_column(opened: tuple[Workspace, httpx.Client]) -> None:
    _, client = opened
    assert ids(client, search="2024-01-03") == [2, 30]
    assert ids(client, search="2024-01-03 YES") == []
    assert ids(client, search="<B> 22") == [2]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"sort": "agee"}, "age"),
        ({"filters": "{}"}, "list"),
        ({"filters": "[1]"}, "object"),
        ({"filters": "["}, "JSON"),
        ({"filters": '[{"column": "housing", "low": 1}]'}, "values"),
        ({"filters": '[{"column": "age", "low": "old"}]'}, "old"),
        ({"filters": '[{"column": "nothing", "missing": true}]'}, "nothing"),
        ({"filters": '[{"column": "age", "low": 1%s}]' % ("0" * 400)}, "not a valid value"),
        ({"filters": '[{"column": "age", "low": [1]}]'}, "string, a number"),
        ({"filters": '[{"column": "age", "high": {"a": 1}}]'}, "string, a number"),
        ({"filters": '[{"column": "housing", "values": [["own"]]}]'}, "string, a number"),
        ({"filters": '[{"column": "housing", "values": [{}]}]'}, "string, a number"),
        ({"filters": '[{"column": "age", "missing": [true]}]'}, "true or false"),
        ({"filters": '[{"column": "age", "low": 1, "low": 2}]'}, "more than once"),
        ({"queue": "unknown"}, "selection"),
    ],
)
def test_wrong_conditions_are_refused(
    opened: tuple[Workspace, httpx.Client], options: dict[str, str], word: str
) -> None:
    found = opened[1].get("/rows", params=options)
    assert 400 <= found.status_code < 500
    assert word in found.json()["detail"]


def test_selected_rows_are_listed_by_a_name(opened: tuple[Workspace, httpx.Client]) -> None:
    _, client = opened
    name = client.post("/rows/selection", json={"ids": [9, 3]}).json()["selection"]
    assert client.post("/rows/selection", json={"ids": [3, 9]}).json()["selection"] == name
    assert ids(client, queue=name) == [3, 9]


# -- lines


def test_rows_have_their_lines_in_the_file(tmp_path: Path) -> None:
    lines = [f"{i},{'' if i == 3 else 'ab'[i % 2]}" for i in range(12)]  # line 5 has no target
    path = write(tmp_path / "letters.csv", ["size,letter", *lines])
    with explorer(path, target="letter") as (workspace, client):
        assert client.get("/lines").json() == {"rows": 11, "runs": [[0, 2], [3, 6]], "origins": {}}
        assert [workspace.place(i) for i in (2, 3, 11)] == ["line 4", "line 6", "#11"]
        client.post("/review/correct", json={"id": 3, "values": {"size": 27}})
        assert client.get("/lines").json()["origins"] == {"11": 3}
        assert client.get("/review").json()["undo"] == "Correct line 6"
        client.post("/review/forget", json={"ids": [11]})
        assert client.get("/review").json()["undo"] == "Forget line 6"


def test_rows_have_no_lines_where_they_are_not_known(opened: tuple[Workspace, httpx.Client]) -> None:
    workspace, client = opened
    client.post("/review/forget", json={"ids": [5]})
    model = over_rows(pc.IB3(), workspace.served)
    assert model.ids_[0] == 0
    workspace.answer_with(model, workspace.rows_version)  # whose ids are positions among 39 rows
    assert client.get("/lines").json()["runs"] == []
    assert workspace.place(0) == "#0"
    with explorer() as (_, built_in):
        assert built_in.get("/lines").json() == {"rows": 0, "runs": [], "origins": {}}


# -- changing


def test_a_forgotten_row_comes_back_as_it_was(opened: tuple[Workspace, httpx.Client]) -> None:
    workspace, client = opened
    digest = workspace.served.digest()
    before = client.post("/predict", json={"age": 50}).json()
    assert client.post("/review/forget", json={"ids": [30, 31]}).json() == {"rows": 38}
    assert workspace.served.n_samples_fit_ == 38
    told = client.get("/review").json()
    assert (told["unsaved"], told["undo"]) == (1, "Forget 2 rows")
    assert client.post("/review/undo").json() == {"undone": "Forget 2 rows"}
    assert workspace.served.digest() == digest
    assert workspace.served.ids_.tolist() == list(range(40))
    assert client.post("/predict", json={"age": 50}).json() == before
    assert client.get("/review").json()["unsaved"] == 0
    assert client.post("/review/undo").status_code == 409


def test_a_corrected_row_keeps_its_place(opened: tuple[Workspace, httpx.Client]) -> None:
    workspace, client = opened
    digest = workspace.served.digest()
    body = {"id": 7, "values": {"age": 27, "since": None}, "target": "yes"}
    assert client.post("/review/correct", json=body).json() == {"id": 40, "was": 7}
    assert ids(client)[6:9] == [6, 40, 8]
    row = client.get("/rows/40").json()
    assert row == {"id": 40, "was": 7, "target": "yes", "values": {"age": 27.0, "housing": "rent", "since": None}}
    again = client.post("/review/correct", json={"id": 40, "values": {"housing": "a new one"}}).json()
    assert again == {"id": 41, "was": 40}
    assert client.get("/rows/41").json()["was"] == 7
    client.post("/review/undo")
    client.post("/review/undo")
    assert workspace.served.digest() == digest
    assert client.get("/rows/7").json()["values"]["age"] is None


@pytest.mark.parametrize(
    "body",
    [
        {"id": 7, "values": {"nothing": 1}},
        {"id": 7, "values": {"age": "old"}},
        {"id": 7, "target": None},
        {"id": 70, "target": "yes"},
        {"id": 7, "target": ["yes"]},
    ],
)
def test_a_correction_that_is_refused_changes_nothing(
    opened: tuple[Workspace, httpx.Client], body: dict[str, Any]
) -> None:
    workspace, client = opened
    digest = workspace.served.digest()
    assert 400 <= client.post("/review/correct", json=body).status_code < 500
    assert workspace.served.digest() == digest
    assert client.get("/review").json()["undo"] is None


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[tuple[Workspace, httpx.Client]]:
    """Two groups of rows far apart, and row 30 with the class of the other group."""
    labels = ["no" if i < 20 or i == 30 else "yes" for i in range(40)]
    lines = [f"{10 * (i >= 20) + i % 7 / 10},{label}" for i, label in enumerate(labels)]
    with explorer(write(tmp_path / "groups.csv", ["size,kind", *lines]), target="kind") as found:
        yield found


def test_suspects_are_a_queue_that_stays_while_it_is_worked_on(groups: tuple[Workspace, httpx.Client]) -> None:
    workspace, client = groups
    assert client.get("/rows", params={"queue": "suspects"}).json()["state"] == "running"
    done(workspace)
    page = client.get("/rows", params={"queue": "suspects"}).json()
    assert [row["id"] for row in page["rows"]] == [30]
    assert page["rows"][0]["note"]["predicted"] == "yes"
    assert page["rows"][0]["note"]["doubt"] < 0.11
    client.post("/review/keep", json={"ids": [30]})
    assert ids(client, queue="suspects") == []
    assert client.get("/rows/30").json()["kept"]
    assert client.get("/review").json()["undo"] == "Keep line 32"
    client.post("/review/undo")
    assert ids(client, queue="suspects") == [30]
    client.post("/review/correct", json={"id": 30, "target": "yes"})
    assert ids(client, queue="suspects") == []
    client.post("/review/check/suspects")
    done(workspace)
    client.get("/rows", params={"queue": "suspects"})
    done(workspace)
    assert ids(client, queue="suspects") == []


def test_unusual_rows_are_a_queue_with_what_was_expected(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{rng.normal():.3f},{rng.normal():.3f},{'ab'[i % 2]}" for i in range(200)]
    path = write(tmp_path / "numbers.csv", ["u,v,kind", *lines, "40,-40,a"])
    with explorer(path, target="kind") as (workspace, client):
        client.get("/rows", params={"queue": "outliers"})
        done(workspace)
        rows = client.get("/rows", params={"queue": "outliers"}).json()["rows"]
        assert rows[0]["id"] == 200
        assert {value["column"] for value in rows[0]["note"]["unexpected"]} == {"u", "v"}


def test_the_score_before_and_after_is_of_the_learner_that_answers(loans: Path) -> None:
    with explorer(loans, target="repaid", stack=True) as (workspace, client):
        first = review(workspace, client)["score"]
        assert first["learner"].startswith("Stack")
        assert first["before"] == first["after"]
        client.post("/review/correct", json={"id": 30, "target": "yes"})
        second = review(workspace, client)["score"]
        assert second["learner"].startswith("Stack")
        assert second["before"] == first["after"]
        assert [score["name"] for score in second["after"]] == ["accuracy", "log-score"]
        assert second["after"][1]["value"] > first["after"][1]["value"]
        client.post("/review/undo")
        assert review(workspace, client)["score"]["after"] == first["after"]


def test_a_learner_that_is_chosen_after_a_change_has_the_changed_rows_and_undoes_it(
    opened: tuple[Workspace, httpx.Client],
) -> None:
    workspace, client = opened
    digest = workspace.served.digest()
    client.post("/review/forget", json={"ids": [1, 2]})
    answer_by(workspace, "naive_bayes")
    done(workspace)
    assert isinstance(workspace.served, pc.NaiveBayes)
    assert workspace.served.ids_.tolist()[:3] == [0, 3, 4]
    client.post("/review/undo")
    assert isinstance(workspace.served, pc.NaiveBayes)
    assert workspace.served.digest() == digest
    assert workspace.served.ids_.tolist() == list(range(40))


def test_rows_that_others_change_cannot_be_undone(opened: tuple[Workspace, httpx.Client]) -> None:
    workspace, client = opened
    client.post("/review/forget", json={"ids": [1]})
    client.post("/rows/forget", json={"ids": [2]})
    assert client.get("/review").json()["undo"] is None
    assert workspace.served.n_samples_fit_ == 38


# -- saving


def test_changes_are_saved_when_asked_for(loans: Path, tmp_path: Path) -> None:
    file = tmp_path / "saved.priorcase"
    with explorer(loans, target="repaid", save=file) as (workspace, client):
        client.post("/review/forget", json={"ids": [1]})
        assert not file.exists()
        told = client.post("/review/save").json()
        assert (told["unsaved"], told["undo"], told["saved"]) == (0, None, "saved.priorcase")
        assert pc.load(file).digest() == workspace.served.digest()
        assert client.post("/review/undo").status_code == 409


def test_model_and_table_are_downloaded(opened: tuple[Workspace, httpx.Client], tmp_path: Path) -> None:
    workspace, client = opened
    assert client.post("/review/save").status_code == 409
    client.post("/review/correct", json={"id": 7, "values": {"age": 27}, "target": "yes"})
    client.post("/review/forget", json={"ids": [0]})
    got = client.get("/review/model")
    (tmp_path / "got").write_bytes(got.content)
    assert pc.load(tmp_path / "got").digest() == workspace.served.digest()
    table = client.get("/review/table")
    assert 'filename="loans-corrected.csv"' in table.headers["content-disposition"]
    lines = table.content.decode("utf-8-sig").splitlines()
    assert lines[0] == "number,age,housing,since,repaid"
    assert lines[1] == "L-001,21.5,rent,2024-01-02,no"
    assert lines[7] == "L-007,27,rent,2024-01-08,yes"
    assert len(lines) == 40


def test_a_table_is_written_as_it_was_read(tmp_path: Path) -> None:
    lines = [f"K-{i:02d};{i}.516,{i:02d};{i % 28 + 1:02d}.03.2025;{('ja', 'nein')[i % 2]}" for i in range(1, 30)]
    path = write(tmp_path / "german.csv", ["Kundennr;Betrag;Datum;zu spät", *lines])
    with explorer(path, target="zu spät") as (_, client):
        client.post("/review/correct", json={"id": 1, "values": {"Betrag": -12.25, "Datum": "2025-12-24"}})
        content = client.get("/review/table").content
    found = content.decode("utf-8-sig").splitlines()
    assert found[:4] == [
        "Kundennr;Betrag;Datum;zu spät",
        "K-01;1516,01;02.03.2025;nein",
        "K-02;-12,25;24.12.2025;ja",
        "K-03;3516,03;04.03.2025;nein",
    ]
    (tmp_path / "corrected.csv").write_bytes(content)
    read = read_table(tmp_path / "corrected.csv")
    assert read_table(path, like=read)["Betrag"].tolist() == read_table(path)["Betrag"].tolist()
    assert read["Datum"].dtype.kind == "M"


def test_no_cell_of_a_table_is_a_formula(tmp_path: Path) -> None:
    lines = [f"{('=1+1', '@x', '-5 dB')[i % 3]},{i},{('+', '-')[i % 2]}" for i in range(12)]
    path = write(tmp_path / "formulas.csv", ["a,=b,class", *lines])
    with explorer(path, target="class") as (_, client):
        found = client.get("/review/table").content.decode("utf-8-sig").splitlines()
    assert found[:4] == ["a,'=b,class", "'=1+1,0,+", "'@x,1,-", "'-5 dB,2,+"]


def test_it_is_said_that_a_stand_in_is_saved(loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with explorer(loans, target="repaid", save=tmp_path / "saved.priorcase") as (workspace, client):
        assert client.post("/review/save").json()["stands_in"] is False  # fitting stacked learners was cancelled
        begun, end = Event(), Event()

        def fit(job: Any, work: Any, model: Any) -> Any:
            begun.set()
            end.wait(60)
            return model

        monkeypatch.setattr("priorcase.explorer.workspace.in_process", fit)
        job = workspace.fit_stack()
        assert begun.wait(60)
        assert client.get("/status").json()["stands_in"] is True
        assert client.post("/review/save").json()["stands_in"] is True
        workspace.jobs.cancel(job.id)
        end.set()


def test_a_file_that_cannot_be_opened_leaves_changes_as_they_are(opened: tuple[Workspace, httpx.Client]) -> None:
    workspace, client = opened
    client.post("/review/forget", json={"ids": [0]})
    workspace.jobs.wait(workspace.correct(Reading({}, {}), "nothing").id, 60)
    assert "nothing" in client.get("/status").json()["open"]["problem"]
    assert client.get("/review").json()["undo"] == "Forget line 2"


def test_nothing_is_changed_in_read_only_mode(loans: Path) -> None:
    with explorer(loans, target="repaid", read_only=True) as (workspace, client):
        for path, body in {"keep": {"ids": [1]}, "forget": {"ids": [1]}, "correct": {"id": 1}}.items():
            assert client.post(f"/review/{path}", json=body).status_code == 403
        assert client.post("/review/undo").status_code == 403
        assert client.post("/review/save").status_code == 403
        assert workspace.served.n_samples_fit_ == 40
        assert client.get("/rows").status_code == 200


def test_scores_are_told_as_they_are_shown() -> None:
    before, after = Score("accuracy", 0.86461, True).document(), Score("accuracy", 0.85749, True).document()
    assert (before["value"], after["value"]) == (0.865, 0.857)
    assert f"{before['value'] - after['value']:.3f}" == "0.008"  # not 0.007, which the exact scores differ by
    assert Score("RMSE", 12345.678, False).document()["value"] == 12346.0
