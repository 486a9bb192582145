"""Files that are no case base, or no whole one: one named error each, and the file stays as it is."""

import os
import shutil
import sqlite3
from pathlib import Path
from random import Random

import pytest

from priorcase._files import APPLICATION
from priorcase.cases.storage import Declaration, NewCase, Store
from priorcase.cases.storage.sqlite import PAGE, VERSION
from priorcase.exceptions import CaseBaseError, CaseBaseFileError

DECLARATION = Declaration([("device", {"kind": "nominal"}), ("age", {"kind": "numeric"})])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a small base with a bit of everything, and what it holds."""
    path = tmp_path_factory.mktemp("whole") / "base.priorcase"
    with Store.open(path, create=DECLARATION) as store:
        with store.writing() as writer:
            cases = [NewCase([f"device {n}", n], f'"solution {n}"', None, f"key {n}", "noted") for n in range(20)]
            writer.insert([*cases, NewCase(["x" * 9000, None], None, '"o"')], by="desk", why="ticket")
            writer.retire([3])
            writer.record_use([1, 2], helped=True)
            writer.put_learner("nearest", "{}", state=b"state" * 100, fitted_on=[1, 2])
        with store.writing() as writer:
            writer.delete([7])
        content = content_of(store)
    return path.read_bytes(), content


def content_of(store):
    loaded = store.load()
    return loaded, store.fetch(loaded.ids), store.history(), store.uses(), store.learners()


def snapshot(folder):
    """Every file with its bytes and its time of change."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir() if path.is_file()}


def refused(path, match, *, readonly=None):
    """Opening raises one named error, in both modes, and changes nothing."""
    for mode in (False, True) if readonly is None else (readonly,):
        before = snapshot(path.parent)
        with pytest.raises(CaseBaseFileError, match=match):
            Store.open(path, readonly=mode, create=DECLARATION)
        assert snapshot(path.parent) == before


def with_header(data, place, number):
    return data[:place] + number.to_bytes(4, "big") + data[place + 4 :]


def test_what_is_no_file(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    refused(folder, "is a directory; a case base is one file")
    refused(tmp_path / "absent.priorcase", "There is no case base at", readonly=True)
    with pytest.raises(CaseBaseFileError, match="There is no case base at"):
        Store.open(tmp_path / "absent.priorcase")
    with pytest.raises(CaseBaseFileError, match=r"there is no folder .*nowhere"):
        Store.open(tmp_path / "nowhere" / "base.priorcase", create=DECLARATION)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        refused(tmp_path / "pipe", "not a regular file")
    (tmp_path / "link").symlink_to(tmp_path / "absent.priorcase")
    with pytest.raises(CaseBaseFileError, match="There is no case base at"):
        Store.open(tmp_path / "link", create=DECLARATION)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "it is empty"),
        (b"S", "cut off after 1 bytes"),
        (b"device,age\nprinter,3\n" * 40, "a file of another kind"),
        (b"\0" * 8192, "a file of another kind"),
        (b"SQLite format 3\0", "cut off after 16 bytes"),
    ],
)
def test_foreign_bytes(tmp_path, data, match):
    path = tmp_path / "base.priorcase"
    path.write_bytes(data)
    refused(path, match)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_an_sqlite_file_of_another_program(tmp_path, mode):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("CREATE TABLE cases (id INTEGER PRIMARY KEY)")
    connection.close()
    refused(path, "an SQLite file of another program")


def test_headers_that_do_not_fit(tmp_path, whole):
    data, _ = whole
    path = tmp_path / "base.priorcase"
    for place, number, match in [
        (60, VERSION + 1, f"version {VERSION + 1}, and this priorcase supports versions up to {VERSION}"),
        (60, 0, "its header is wrong"),
        (68, APPLICATION + 1, "an SQLite file of another program"),
        (16, 0x10000202, "its header is wrong"),  # write-ahead log
        (52, 1, "its header is wrong"),
        (24, 9_999, "its header is wrong"),
        (28, len(data) // PAGE + 1, "its header says"),
        (0, 0, "its first bytes are wrong"),
    ]:
        path.write_bytes(with_header(data, place, number))
        refused(path, match)


def test_truncated_files(tmp_path, whole):
    data, _ = whole
    path = tmp_path / "base.priorcase"
    lengths = {1, 15, 16, 50, 99, 100, 101, 512, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, len(data) // 2, len(data) - PAGE}
    for length in sorted(lengths | {len(data) - 1, len(data) + 1}):
        path.write_bytes((data + b"\0")[:length])
        refused(path, "cut off after|its header says", readonly=bool(length % 2))


def judged(path, content):
    """Whether all is as it was; else a named error or a finding."""
    try:
        with Store.open(path) as store:
            found = content_of(store)
            if store.verify():
                return False
    except CaseBaseError:
        return False
    assert found == content
    return True


def test_flipped_bits_are_noticed_or_mean_nothing(tmp_path, whole):
    data, content = whole
    random = Random(0)
    written = [place for place, byte in enumerate(data) if byte and place >= 100]
    blank = [place for place, byte in enumerate(data) if not byte and place >= 100]
    places = [*range(100), *random.sample(written, 500), *random.sample(blank, 50)]
    path, missed = tmp_path / "base.priorcase", 0
    for place in places:
        flipped = bytearray(data)
        flipped[place] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        missed += judged(path, content)
        assert path.read_bytes() == flipped, place
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert missed < len(places) / 2  # header fields without meaning, and unused room


def test_rows_that_were_lost_are_noticed(tmp_path, whole):
    path = tmp_path / "base.priorcase"
    for statement, match in [
        ("DELETE FROM cases WHERE id = 5", "cases has 19 rows"),
        ("DELETE FROM notes WHERE id = 5", "notes has"),
        ("DELETE FROM history WHERE id = 5", "history has"),
        ("DELETE FROM uses", "uses has"),
        ("DELETE FROM learners", "learners has"),
        ("DELETE FROM retirements", "retirements has 0 rows"),
        ("UPDATE cases SET solution = 5 WHERE id = 5", "row 5 of cases"),
        ("UPDATE history SET why = 'other' WHERE id = 5", "of history does not match"),
        ("UPDATE notes SET text = CAST(text AS BLOB) WHERE id = 5", "of notes is invalid"),
        ("UPDATE meta SET value = value || ' '", "of meta does not match"),
        ("DELETE FROM meta WHERE name = 'settings'", "an entry of table meta is missing"),
    ]:
        path.write_bytes(whole[0])
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(statement)
        connection.close()
        assert any(match in finding for finding in findings(path)), statement


def findings(path):
    """What is found wrong with a file, by opening it or by looking closer."""
    try:
        with Store.open(path, readonly=True) as store:
            return store.verify()
    except CaseBaseFileError as error:
        return [str(error)]


# Journals ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def hot(tmp_path, whole):
    """A base whose change was interrupted: pages of the change are in the file, those from before in the journal."""
    path, copy = tmp_path / "source.priorcase", tmp_path / "hot" / "base.priorcase"
    copy.parent.mkdir()
    path.write_bytes(whole[0])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = TRUNCATE")
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("PRAGMA cache_spill = 1")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("PRAGMA user_version = 1")
    connection.execute("UPDATE cases SET solution = 'half'")
    connection.executemany(
        "INSERT INTO cases VALUES (?, 1, NULL, '[]', ?, NULL, NULL, 0)", [(n, "y" * 3000) for n in range(50, 99)]
    )
    shutil.copyfile(path, copy)
    shutil.copyfile(f"{path}-journal", f"{copy}-journal")
    connection.close()
    assert copy.read_bytes() != whole[0]
    return copy


def test_an_interrupted_change_is_undone(hot, whole):
    with Store.open(hot) as store:
        assert content_of(store) == whole[1]
        assert store.verify() == []


def test_an_interrupted_change_cannot_be_undone_where_nothing_may_be_written(hot):
    refused(hot, "interrupted, and undoing it needs write access", readonly=True)


def test_a_journal_of_another_file_is_not_played_back(hot, whole):
    with Store.open(hot.parent / "other.priorcase", create=DECLARATION) as store:
        for _ in range(3):
            with store.writing() as writer:
                writer.insert([NewCase(["modem", 1])])
    Path(f"{hot.parent / 'other.priorcase'}-journal").unlink()
    (hot.parent / "other.priorcase").replace(hot)
    refused(hot, "-journal belongs to another file")
