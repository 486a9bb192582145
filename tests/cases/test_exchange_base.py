"""A case base given away as a file and taken in by another: the same digest, whole or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from priorcase.cases.case_base import CaseBase
from priorcase.cases.kinds import Taxonomy
from priorcase.exceptions import CaseBaseError
from priorcase.schema import Ordinal

KINDS: dict[str, Any] = {
    "device": Taxonomy({"printer": ["laser", "inkjet"]}),
    "age": "numeric",
    "size": Ordinal(("S", "M", "L")),
    "code": "nominal",
    "message": "text",
    "tags": "set",
    "bought": "date",
    "how": "graph",
}


def filled() -> CaseBase:
    """A base with all that cases can have."""
    base = CaseBase.temporary(KINDS, by="desk 1")
    base.add({"device": "laser", "age": 3.5, "message": "", "tags": {"a", 2}}, solution="fix", key="T-1", note="loud")
    base.add({"code": "7", "bought": "2024-05-01"}, solution={"do": ["x", 1]}, outcome=True, by="desk 2", why="asked")
    base.add({"code": 7, "size": "M", "how": "Q1 +> Q3; Q2 +> Q3"}, outcome=0.25)
    last = base.add({"code": True, "message": 'a,\n"b"', "bought": "2024-05-01T10:00:00+02:00"}, solution="7")
    base.revise(2, note="came back", by="desk 3")
    base.revise(2, note="and again")
    base.retire(last)
    return base


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_the_digest_is_the_same_after_a_round_trip(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"cases.{form}"
    with filled() as base, CaseBase.temporary(KINDS if form == "csv" else None) as copy:
        assert base.export(path) == 4
        assert len(copy.import_(path)) == 4
        assert copy.digest() == base.digest()
        assert copy.attributes == base.attributes
        assert [dict(case) for case in copy] == [dict(case) for case in base]
        again = copy.import_(path)
        assert again[0] == 1  # the same key is the same case
        assert len(copy) == 7
        with pytest.raises(CaseBaseError, match=r"CaseBase\.export: would replace"):
            base.export(path)


def test_a_line_that_is_wrong_leaves_the_base_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    with filled() as base:
        base.export(path)
        lines = path.read_text(encoding="utf-8").splitlines()
        lines[3] = lines[3].replace('"size":"M"', '"size":"XL"')
        path.write_text("\n".join(lines), encoding="utf-8")
        before = base.digest()
        with pytest.raises(CaseBaseError, match=r"cases\.jsonl line 4: got 'XL' for 'size'"):
            base.import_(path)
        assert base.digest() == before
        with CaseBase.temporary() as copy:
            with pytest.raises(CaseBaseError):
                copy.import_(path)
            assert len(copy) == 0
            assert copy.attributes == {}
