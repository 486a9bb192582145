"""Files that are sent: where they are kept, what is refused, and that nothing of them is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import explorer
from serving import detail

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
