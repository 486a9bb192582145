"""Files that are sent: where they are kept, what is refused, and that nothing of them is left."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from exploring import explorer, sent
from serving import detail

import priorcase as pc
from priorcase.exceptions import UnknownIdError
from priorcase.explorer.uploads import UPLOADS, Uploads

BYTES = {"content-type": "application/octet-stream"}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "1"),
        ("C:\\new\\cases.CSV.gz", "1.csv.gz"),
        ("cases.csv;rm", "1"),
        ("a.py.csv", "1.csv"),
        ("\0.csv", "1.csv"),
        ("/", "1"),
        ("x.csv::table", "1"),
    ],
)
def test_the_name_of_a_file_is_never_a_path(name: str, kept: str) -> None:
    uploads = Uploads()
    upload = uploads.keep(b"a,b\n1,2\n", name)
    assert upload.path.name == kept
    assert upload.path.parent.name.startswith("priorcase-uploads-")
    assert upload.path.parent.stat().st_mode & 0o077 == 0
    assert [path.name for path in upload.path.parent.iterdir()] == [kept]
    uploads.close()
    assert not upload.path.parent.exists()


def test_old_files_are_removed() -> None:
    uploads = Uploads()
    sent = [uploads.keep(b"a", "x.csv") for _ in range(6)]
    assert [upload.path.exists() for upload in sent] == [False, False, True, True, True, True]
    assert uploads.get(sent[5].id) == sent[5]
    with pytest.raises(UnknownIdError, match="Upload the file again"):
        uploads.get(sent[0].id)
    uploads.remove(sent[5].id)
    uploads.remove(sent[5].id)
    assert not sent[5].path.exists()
    uploads.close()


def test_only_the_route_of_uploads_takes_bytes() -> None:
    with explorer() as (workspace, client):
        found = client.post("/uploads", params={"name": "<b>.csv"}, content=b"age\n1\n", headers=BYTES)
        assert found.json() == {"id": 1, "name": "<b>.csv", "size": 6}
        path = workspace.uploads.get(1).path
        assert path.read_bytes() == b"age\n1\n"
        assert "octet-stream" in detail(client.post("/uploads", content=b"{}"), 415)
        assert "octet-stream" in detail(client.post("/uploads", json={}), 415)
        assert "JSON" in detail(client.post("/predict", content=b"{}", headers=BYTES), 415)
        most = {**BYTES, "content-length": str(UPLOADS["/uploads"] + 1)}
        assert "bytes" in detail(client.post("/uploads", content=b"", headers=most), 413)
        assert client.post("/uploads", content=b"", headers={**BYTES, "authorization": ""}).status_code == 401
    assert not Path(path).exists()


# Files of any kind


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Contents of files, whose names do not tell what they are."""
    folder = tmp_path_factory.mktemp("files")
    frame = pd.DataFrame({"age": [31, 62, 60, 25] * 6, "repaid": ["no", "yes", "yes", "no"] * 6})
    frame.to_excel(folder / "sheet.xlsx", index=False)
    with closing(sqlite3.connect(folder / "data")) as connection, connection:
        frame.to_sql("loans", connection, index=False)
    pc.KNNClassifier(1).fit([[31], [62]], ["no", "yes"]).save(folder / "model")
    pc.CaseBase.open(folder / "base", {"area": "nominal"}).close()
    return {path.name.partition(".")[0]: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        ("sheet", "loans.xlsx", "raw"),
        ("sheet", "loans.priorcase", "raw"),
        ("sheet", "loans", "raw"),
        ("data", "loans.db", "raw"),
        ("data", "loans.cases", "raw"),
        ("model", "model.priorcase", "model"),
        ("model", "model.xlsx", "model"),
    ],
)
def test_the_content_of_a_file_decides_what_it_is(
    files: dict[str, bytes], tmp_path: Path, content: str, name: str, kind: str
) -> None:
    path = tmp_path / name
    path.write_bytes(files[content])
    with explorer() as (workspace, client):
        workspace.jobs.wait(workspace.open(path).id)
        assert workspace.problem == ""
        assert (workspace.opened.kind, workspace.opened.name, workspace.opened.path) == (kind, name, str(path))
        workspace.jobs.wait(workspace.open_upload(sent(client, files[content], name)).id)
        assert workspace.problem == ""
        assert (workspace.opened.kind, workspace.opened.name, workspace.opened.path) == (kind, name, None)
        if kind == "model":
            assert f"pc.load({name!r})" in client.post("/script", json={}).text


def test_a_case_base_is_told_from_other_databases(files: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "desk.db").write_bytes(files["base"])
    with explorer() as (workspace, client):
        workspace.jobs.wait(workspace.open(tmp_path / "desk.db").id)
        assert workspace.opened.kind == "cases"
        told = client.post("/open", json={"upload": sent(client, files["base"], "desk.db")}).json()["detail"]
        assert "priorcase explore FILE" in told


@pytest.mark.parametrize(
    ("content", "name", "word"),
    [("model", "m.priorcase", "damaged"), ("sheet", "t.xlsx", "Excel"), ("data", "d.db", "SQLite")],
)
def test_damaged_uploads_are_called_by_their_names(files: dict[str, bytes], content: str, name: str, word: str) -> None:
    with explorer() as (workspace, client):
        whole = files[content]
        workspace.jobs.wait(workspace.open_upload(sent(client, whole[: len(whole) // 3], name)).id)
        problem = client.get("/status").json()["open"]["problem"]
        assert problem.startswith(f"{name} ")
        assert word in problem
        assert "tmp" not in problem
