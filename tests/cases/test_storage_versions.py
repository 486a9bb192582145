"""Files of each version: a golden file of each is opened, read, and brought to the newest."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from cases.golden import content

from priorcase.cases.storage import Store, integrity
from priorcase.cases.storage.sqlite import VERSION
from priorcase.exceptions import CaseBaseError, CaseBaseFileError

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(params=[1, 2])
def old(request, tmp_path):
    """A copy of the golden file of a version."""
    path = tmp_path / "copy.priorcase"
    shutil.copyfile(GOLDEN / f"v{request.param}.priorcase", path)
    return request.param, path


def version_of(path):
    return int.from_bytes(path.read_bytes()[60:64], "big")


def check_content(store, version):
    assert store.load().declaration == content.SECOND
    loaded = store.load()
    assert loaded.ids == list(content.CASES)
    rows = zip(zip(*loaded.columns, strict=True), loaded.solutions, loaded.outcomes, loaded.keys, strict=True)
    assert list(rows) == list(content.CASES.values())
    for case in store.fetch(loaded.ids):
        assert (case.values, case.solution, case.outcome, case.key) == content.CASES[case.id]
        assert [note.text for note in case.notes] == content.NOTES[case.id]
        assert case.retired is (version == 2 and case.id == 2)
    assert loaded.retired == [version == 2 and id == 2 for id in loaded.ids]
    first, last = store.fetch([1, 4])
    assert (first.by, first.why, first.revised_at) == ("ann", "ticket", None)
    assert (last.by, last.why, last.notes[1].by) == ("ann", None, "bob")
    assert last.revised_at is not None
    actions = [(event.action, event.id) for event in store.history()]
    migrated = [] if store.readonly else [("migrated", None)]
    assert actions == (content.ACTIONS + migrated if version == 1 else content.ACTIONS_SINCE_2)
    assert [(event.by, event.why) for event in store.history(3)] == [(None, None), ("ann", "wish of the customer")]
    uses = [(use.id, use.helped, use.detail, use.by) for use in store.uses()]
    learners = [(kept.name, kept.recipe, kept.state, kept.fitted_on) for kept in store.learners()]
    assert (uses, learners) == ((content.USES, content.LEARNERS) if version == 2 else ([], []))
    assert store.verify() == []


def test_golden_file_of_every_version_is_there():
    assert {path.name for path in GOLDEN.glob("*.priorcase")} == {f"v{n}.priorcase" for n in range(1, VERSION + 1)}


def test_an_old_file_opens_with_all_it_had_and_becomes_the_newest(old):
    version, path = old
    with Store.open(path) as store:
        check_content(store, version)
    assert version_of(path) == VERSION
    with Store.open(path) as store:
        check_content(store, version)


def test_an_old_file_is_read_without_being_written(old):
    version, path = old
    before = path.read_bytes()
    with Store.open(path, readonly=True) as store:
        check_content(store, version)
        with pytest.raises(CaseBaseError, match="readonly=True"), store.writing():
            pass
    assert path.read_bytes() == before
    assert version_of(path) == version


def test_a_reader_of_an_old_file_follows_those_who_migrate_it(tmp_path):
    path = tmp_path / "copy.priorcase"
    shutil.copyfile(GOLDEN / "v1.priorcase", path)
    with Store.open(path, readonly=True) as reader:
        step = reader.load().step
        writer = Store.open(path)
        with writer.writing() as change:
            change.delete([1])
        assert reader.changed_elsewhere()
        changes = reader.changes_since(step)
        found = [(change.sequence - step.sequence, change.action) for change in changes]
        assert found == [(1, "migrated"), (2, "forgotten")]
        assert reader.load().ids == [2, 4, 5]
        assert not reader.changed_elsewhere()
        writer.close()


def test_an_interrupted_migration_leaves_the_old_version_whole(tmp_path, monkeypatch):
    path = tmp_path / "copy.priorcase"
    shutil.copyfile(GOLDEN / "v1.priorcase", path)
    before = path.read_bytes()

    def fail(*_):
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(integrity, "write_counters", fail)
        with pytest.raises(CaseBaseFileError, match="disk I/O error"):
            Store.open(path)
    assert path.read_bytes() == before
    with Store.open(path) as store:
        check_content(store, 1)


def test_a_damaged_old_file_is_not_migrated(tmp_path):
    path = tmp_path / "copy.priorcase"
    data = (GOLDEN / "v1.priorcase").read_bytes().replace(b"seen twice", b"seen thrice"[:10])
    path.write_bytes(data)
    with pytest.raises(CaseBaseFileError, match="of notes does not match its checksum"):
        Store.open(path)
    assert path.read_bytes() == data
