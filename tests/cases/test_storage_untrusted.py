"""Files and journals that were made up to do harm, or have damaged indexes: one named error, and nothing happens."""

import json
import os
import re
import shutil
import sqlite3
import struct
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis.strategies import booleans, floats, integers, lists, one_of, text

import priorcase as pc
from priorcase.cases import kinds
from priorcase.cases.storage import Declaration, NewCase, Store
from priorcase.cases.storage.integrity import COUNTED, canonical, case_checksum, checksum, event_checksum
from priorcase.cases.storage.sqlite import COLUMNS, PAGE, VERSION
from priorcase.exceptions import CaseBaseError, CaseBaseFileError, PriorcaseError

DECLARATION = Declaration([("device", {"kind": "nominal"}), ("age", {"kind": "numeric"}), ("signs", {"kind": "set"})])
MAGIC = bytes.fromhex("d9d505f920a163d7")
SECRET = "a note that nobody else wrote, number"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The bytes of a small base with keys, notes, uses and a learner."""
    path = tmp_path_factory.mktemp("whole") / "base.priorcase"
    with Store.open(path, create=DECLARATION) as store, store.writing() as writer:
        cases = [
            NewCase([f"device {n}", n, ("noise", "smoke")], '"fuser"', "true", f"key {n}", f"{SECRET} {n}")
            for n in range(1, 21)
        ]
        writer.insert(cases, by="desk", why="ticket")
        writer.retire([3])
        writer.record_use([1, 2], helped=True, detail="{}")
        writer.put_learner("nearest", "{}", state=b"state", fitted_on=[1, 2])
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, data):
    path = tmp_path / "base" / "base.priorcase"
    path.parent.mkdir()
    path.write_bytes(data)
    return path


# Journals ------------------------------------------------------------------------------------------------------------


def journal_of(data, records=(1,), *, pages=None, page=PAGE, sector=512, nonce=7, count=None):
    """A journal that SQLite plays back: the given pages as they are in the file."""
    pages = len(data) // PAGE if pages is None else pages
    header = MAGIC + struct.pack(">iIIII", len(records) if count is None else count, nonce, pages, sector, page)
    parts = [header.ljust(sector, b"\0")]
    for number in records:
        content = data[(number - 1) * PAGE : number * PAGE].ljust(PAGE, b"\0")
        total = (nonce + sum(content[place] for place in range(PAGE - 200, 0, -200))) % 2**32
        parts.append(struct.pack(">I", number) + content + struct.pack(">I", total))
    return b"".join(parts)


def super_journal(victim):
    name = os.fsencode(victim)
    return struct.pack(">I", 2**30 // PAGE + 1) + name + struct.pack(">II", len(name), sum(name)) + MAGIC


def contents(folder):
    return {file.name: (file.is_symlink(), file.read_bytes()) for file in folder.iterdir() if file.exists()}


def refused(path, match):
    """Opening the base raises one named error in both modes, and changes no file."""
    for file in path.parent.iterdir():  # a file that has just changed is looked at again for a while
        os.utime(file, (0, 0), follow_symlinks=False)
    before = contents(path.parent)
    for readonly in (True, False):
        with pytest.raises(CaseBaseFileError, match=match):
            Store.open(path, readonly=readonly, create=DECLARATION)
    assert contents(path.parent) == before


def test_a_journal_like_those_of_sqlite_is_played_back(path, data):
    Path(f"{path}-journal").write_bytes(journal_of(data, [2, 1]))
    with Store.open(path) as store:
        assert store.verify() == []
    assert not Path(f"{path}-journal").exists()  # SQLite has used it


@pytest.mark.parametrize("start", ["whole", "empty header", "zeroed"])
def test_a_journal_that_names_a_super_journal_deletes_nothing(path, data, tmp_path, start):
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    journal = {"whole": journal_of(data), "empty header": journal_of(data, []), "zeroed": bytes(512)}[start]
    Path(f"{path}-journal").write_bytes(journal + super_journal(victim))
    refused(path, "names a super-journal")
    for question in (lambda: pc.CaseBase.open(path), lambda: pc.CaseBase.open(path, readonly=True)):
        with pytest.raises(CaseBaseFileError, match="names a super-journal"):
            question()
    assert victim.read_text() == "precious"


def test_journals_that_do_not_fit_are_refused(path, data):
    wal = bytearray(data)
    wal[18:20] = b"\2\2"  # the page before the change would switch on the write-ahead log
    newer = bytearray(data)
    newer[60:64] = (VERSION + 1).to_bytes(4, "big")
    flipped = bytearray(journal_of(data))
    flipped[512 + 4 + 96] ^= 1
    second = journal_of(data, [1]).ljust(512 * 10, b"\0") + journal_of(data, [2], pages=len(data) // PAGE - 1)
    for journal, match in [
        (journal_of(data, page=1024), "belongs to another file"),
        (journal_of(data, sector=16), "belongs to another file"),
        (journal_of(data, pages=2**31), "belongs to another file"),  # SQLite would make the base 8 terabytes long
        (journal_of(data, [], pages=2**31), "belongs to another file"),
        (journal_of(data, pages=0), "belongs to another file"),
        (journal_of(data, [1, 2], pages=1), "a page in it is invalid"),
        (journal_of(data, [0]), "a page in it is invalid"),
        (journal_of(data, [1, 1]), "a page in it is invalid"),
        (journal_of(data, [1], count=2), "a page in it is invalid"),
        (journal_of(data, [1], count=2**31 - 1), "a page in it is invalid"),
        (bytes(flipped), "a page in it is invalid"),
        (second, "its headers differ"),
        (bytes(journal_of(wal)), "its header is wrong"),
        (bytes(journal_of(newer)), "was written by a newer priorcase"),
        (b"the only copy of a letter\n" * 99, "is a file of another kind"),
        (b"\0the only copy of a letter\n" * 99, "is a file of another kind"),
        (bytes(12) + b"the only copy of a letter\n" * 99, "belongs to another file"),
    ]:
        Path(f"{path}-journal").write_bytes(journal)
        refused(path, match)


@pytest.mark.parametrize("rest", [b"", MAGIC[:5], MAGIC, bytes(600), MAGIC + bytes(12)])
def test_a_journal_cut_off_in_its_header_undoes_nothing(path, rest):
    Path(f"{path}-journal").write_bytes(rest)
    with Store.open(path) as store, store.writing() as writer:
        assert writer.insert([NewCase(["new"])]) == [21]
    with Store.open(path) as store:
        assert store.verify() == []


@pytest.mark.parametrize("kind", ["symbolic", "dangling", "hard"])
def test_a_journal_that_is_a_link_changes_no_other_file(path, tmp_path, kind):
    victim = tmp_path / "victim.txt"
    journal = Path(f"{path}-journal")
    if kind != "dangling":
        victim.write_bytes(bytes(100) + b"precious")
    if kind == "hard":
        os.link(victim, journal)
    else:
        journal.symlink_to(victim)
    refused(path, "it is a link")
    assert not victim.exists() if kind == "dangling" else victim.read_bytes() == bytes(100) + b"precious"


def test_a_write_ahead_log_beside_a_base_is_not_read(path, data, tmp_path):
    other = tmp_path / "other.db"
    other.write_bytes(data)
    connection = sqlite3.connect(other, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE cases SET solution = '\"evil\"'")
    shutil.copyfile(f"{other}-wal", f"{path}-wal")
    connection.close()
    refused(path, "write-ahead log")
    assert sorted(file.name for file in path.parent.iterdir()) == ["base.priorcase", "base.priorcase-wal"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON history BEGIN DELETE FROM cases; END",
        "CREATE VIEW evil AS SELECT load_extension('evil.so')",
        "CREATE INDEX evil ON cases (abs(id))",
        "CREATE TABLE evil (x DEFAULT (randomblob(1000000000)))",
        "DROP INDEX notes_by_case",
    ],
)
def test_a_file_with_other_tables_is_refused(path, statement):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement)
    connection.close()
    refused(path, "its tables are not the tables of a case base")


# Indexes -------------------------------------------------------------------------------------------------------------


def page_of(data, name):
    """Where the root page of an index is in the bytes of a file; here it has no other."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(data)
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    connection.close()
    return range((root - 1) * PAGE, root * PAGE)


def use(path):
    """Ask for keys and notes, add a key again, and forget a case."""
    with Store.open(path) as store:
        assert [store.with_key(f"key {n}") for n in range(1, 21)] == list(range(1, 21))
        assert store.keys() == {n: f"key {n}" for n in range(1, 21)}
        assert [[note.text for note in case.notes] for case in store.fetch(range(1, 21))] == [
            [f"{SECRET} {n}"] for n in range(1, 21)
        ]
        assert [len(store.history(n)) for n in (1, 3, 20)] == [2, 2, 1]
        assert [len(store.uses([n])) for n in (1, 2, 3)] == [1, 1, 0]
        change(store)
    assert f"{SECRET} 7".encode() not in path.read_bytes()


def change(store):
    with store.writing() as writer:
        assert writer.insert([NewCase(["again"], key=f"key {n}") for n in range(1, 21)]) == list(range(1, 21))
        assert writer.delete([7]) == [7]
    assert store.verify() == []


def change_first(path):
    with Store.open(path) as store:
        change(store)


def noticed(path, match="", work=use):
    """Whether work on the base raises one named error and changes nothing, or is done right."""
    before = path.read_bytes()
    try:
        work(path)
    except CaseBaseFileError as error:
        found = str(error)
    else:
        return False
    assert re.search(match, found)
    assert path.read_bytes() == before
    return True


@pytest.mark.parametrize("index", ["cases_by_key", "notes_by_case", "history_by_case", "uses_by_case"])
def test_a_flipped_bit_of_an_index_is_noticed_or_means_nothing(path, data, index):
    random, page, found = Random(index), page_of(data, index), 0
    written = [place for place in page if data[place]]
    places = random.sample(written, min(len(written), 60)) + random.sample(page, 10)
    for place in places:
        flipped = bytearray(data)
        flipped[place] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        found += noticed(path)
        path.write_bytes(flipped)
        noticed(path, work=change_first)
    assert found > len(places) / 2  # the others are in the unused room of the page


def test_rows_that_an_index_hides_are_not_answered_around(path, data):
    """An index that lacks a row, or has one too many, as SQLite itself would write it."""
    for index, table in [("cases_by_key", "cases"), ("notes_by_case", "notes"), ("history_by_case", "history")]:
        path.write_bytes(data)
        connection = sqlite3.connect(path, isolation_level=None)
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).fetchone()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (hiding(sql), index))
        connection.close()
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"REINDEX {index}")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, index))
        connection.close()
        damaged = path.read_bytes()
        for work in (use, change_first):
            assert noticed(path, rf"damaged: .*{index}|damaged: .*{table}", work)
            assert path.read_bytes() == damaged


def hiding(sql):
    return f"{sql} AND id <> 7" if "WHERE" in sql else f"{sql} WHERE id <> 7"


# Rows made up with right checksums -----------------------------------------------------------------------------------

SUMS = {"cases": case_checksum, "history": event_checksum}


def forge(path, table, row_key, **fields):
    """Change a row, with the right checksum and tallies, and whatever type its new values have."""
    connection = sqlite3.connect(path, isolation_level=None)
    schema = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.execute("PRAGMA writable_schema = ON")
    for name, sql in schema:  # columns without a type take every value as it is
        bare = sql.replace(" TEXT PRIMARY KEY", " PRIMARY KEY").replace(" TEXT", "").replace(" BLOB", "")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (bare, name))
    connection.close()
    connection = sqlite3.connect(path, isolation_level=None)
    names = list(COLUMNS[table])
    (row,) = connection.execute(f"SELECT {', '.join(names)} FROM {table} WHERE {names[0]} = ?", (row_key,)).fetchall()
    row = list((dict(zip(names, row, strict=True)) | fields).values())[:-1]
    changes = ", ".join(f"{name} = ?" for name in names)
    values = [*row, SUMS.get(table, checksum)(*row)]
    connection.execute(f"UPDATE {table} SET {changes} WHERE {names[0]} = ?", (*values, row_key))
    if table != "meta":
        (text,) = connection.execute("SELECT value FROM meta WHERE name = 'counters'").fetchone()
        counters = json.loads(text)
        for counted in COUNTED[VERSION]:
            sums = [each for (each,) in connection.execute(f"SELECT sum FROM {counted}")]
            counters["tables"][counted] = [len(sums), sum(sums) % 2**64]
        text = canonical(counters)
        connection.execute(
            "UPDATE meta SET value = ?, sum = ? WHERE name = 'counters'", (text, checksum("counters", text))
        )
    connection.execute("PRAGMA writable_schema = ON")
    for name, sql in schema:
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, name))
    connection.close()


def ask_everything(path):
    """Every question that a case base answers, and every change; the errors it gives."""
    errors = []
    try:
        base = pc.CaseBase.open(path)
    except PriorcaseError as error:
        return [error]
    with base:
        for work in (
            lambda: repr(base),
            lambda: [repr(case) for case in base.find()],
            lambda: base.get(key="key 5"),
            lambda: repr(base.history()),
            lambda: base.digest(),
            lambda: repr(base.records()),
            lambda: base.drop_learner("nearest"),
            lambda: base.preferences(),
            lambda: base.retrieve({"device": "device 5", "age": 5}, 3)[0].case,
            lambda: base.revise(5, {"age": 6}),
            lambda: base.add({"device": "new"}, key="key 5"),
            lambda: base.forget(6),
        ):
            try:
                work()
            except PriorcaseError as error:
                errors.append(error)
    return errors


DEEP = "[" * 500 + "]" * 500
MADE_UP = [
    ("cases", 5, {"data": "{"}),
    ("cases", 5, {"data": "{}"}),
    ("cases", 5, {"data": "5"}),
    ("cases", 5, {"data": '[{"a":1}]'}),
    ("cases", 5, {"data": "[[[[{}]]]]"}),
    ("cases", 5, {"data": "[NaN]"}),
    ("cases", 5, {"data": "[null,1e999]"}),
    ("cases", 5, {"data": f"[{DEEP}]"}),
    ("cases", 5, {"data": "[" * 100_000}),
    ("cases", 5, {"data": "[" + "9" * 5_000 + "]"}),
    ("cases", 5, {"data": '["\\ud800"]'}),
    ("cases", 5, {"data": "[1,2,3,4]"}),
    ("cases", 5, {"data": '["a"],["b"]'}),
    ("cases", 5, {"solution": "no JSON"}),
    ("cases", 5, {"solution": "Infinity"}),
    ("cases", 5, {"solution": DEEP}),
    ("cases", 5, {"solution": "[" * 100_000}),
    ("cases", 5, {"outcome": ""}),
    ("cases", 5, {"solution": 5}),
    ("cases", 5, {"key": 5}),
    ("cases", 5, {"added": 10**9}),
    ("cases", 5, {"id": 99}),
    ("cases", 5, {"id": -5}),
    ("notes", 2, {"text": 5}),
    ("notes", 2, {"text": b"bytes"}),
    ("history", 2, {"action": 5}),
    ("history", 2, {"why": 5.5}),
    ("uses", 23, {"helped": 7}),
    ("learners", "nearest", {"fitted_on": "[[1,1000000000000]]"}),
    ("learners", "nearest", {"fitted_on": "7"}),
    ("learners", "nearest", {"fitted_on": "[[1,null]]"}),
    ("learners", "nearest", {"fitted_on": DEEP}),
    ("learners", "nearest", {"recipe": 5}),
    ("meta", "attributes", {"value": "{}"}),
    ("meta", "attributes", {"value": "[1]"}),
    ("meta", "attributes", {"value": '[["device",{}]]'}),
    ("meta", "attributes", {"value": '[["device",{"kind":"nominal"}],["device",{"kind":"nominal"}]]'}),
    ("meta", "settings", {"value": "[]"}),
    ("meta", "settings", {"value": DEEP}),
    ("meta", "counters", {"value": "{}"}),
    ("meta", "counters", {"value": "[]"}),
    ("meta", "counters", {"value": '{"last_id":"x","sequence":1,"wipe":0,"tables":{}}'}),
    ("meta", "counters", {"value": '{"last_id":1,"sequence":1e99,"wipe":0,"tables":{}}'}),
    ("meta", "counters", {"value": '{"last_id":1,"sequence":1,"wipe":0,"tables":{"evil":[1,1]}}'}),
]


@pytest.mark.parametrize(("table", "key", "fields"), MADE_UP, ids=[f"{row[0]}-{n}" for n, row in enumerate(MADE_UP)])
def test_rows_made_up_with_right_checksums_give_one_named_error(path, table, key, fields):
    forge(path, table, key, **fields)
    try:
        with Store.open(path, readonly=True) as store:
            found = store.verify()
    except CaseBaseFileError as error:
        found = [str(error)]
    assert found
    assert all(isinstance(error, CaseBaseError) for error in ask_everything(path))


@pytest.mark.parametrize("kind", ["evil", "ordinal", "taxonomy"])
def test_attributes_of_an_unknown_kind_give_one_named_error(path, kind):
    forge(path, "meta", "attributes", value=canonical([["device", {"kind": kind}], ["age", {"kind": "numeric"}]]))
    with pytest.raises(CaseBaseFileError, match="damaged"):
        pc.CaseBase.open(path)


SETTINGS = [
    {"weights": 5},
    {"weights": [["device", 1]]},
    {"weights": {"device": "heavy"}},
    {"weights": {"device": -1}},
    {"weights": {"device": None}},
    {"weights": {"evil": 1}},
    {"measures": []},
    {"measures": {"device": 5}},
    {"measures": {"device": {}}},
    {"measures": {"device": {"measure": "evil"}}},
    {"measures": {"device": {"measure": "linear", "scale": "evil"}}},
    {"measures": {"evil": {"measure": "equality"}}},
    {"measures": {"device": {"measure": "tfidf"}}},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_made_up_settings_give_one_named_error(path, settings):
    forge(path, "meta", "settings", value=canonical(settings))
    assert ask_everything(path)


def test_a_forged_row_that_could_have_been_written_is_none_of_our_business(path):
    forge(path, "cases", 5, solution='"drum"')
    with Store.open(path) as store:
        assert store.verify() == []
        assert store.fetch([5])[0].solution == '"drum"'
    assert ask_everything(path) == []


KINDS = {
    "age": "numeric",
    "make": "nominal",
    "message": "text",
    "signs": "set",
    "opened": "date",
    "urgency": pc.Ordinal(("low", "high")),
    "device": pc.Taxonomy({"printer": ["laser"]}),
}


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("age", "three"),
        ("age", True),
        ("make", ["a"]),
        ("message", 3),
        ("signs", 3),
        ("signs", [["a"]]),
        ("opened", 3),
        ("opened", "soon"),
        ("opened", " 2024-05-01"),
        ("urgency", "medium"),
        ("device", "fridge"),
    ],
)
def test_values_made_up_that_do_not_fit_their_kind_give_one_named_error(tmp_path, attribute, value):
    path = tmp_path / "base.priorcase"
    with pc.CaseBase.open(path, KINDS) as base:
        base.add({"age": 3}, solution="oil")
        with Store.open(path) as other, other.writing() as writer:  # as another process would
            writer.insert([NewCase([value if name == attribute else None for name in KINDS], '"oil"')])
        with pytest.raises(CaseBaseFileError, match="content that priorcase did not write"):
            base.retrieve({"age": 3})
    with pytest.raises(CaseBaseFileError, match="content that priorcase did not write"):
        pc.CaseBase.open(path)


@pytest.mark.parametrize(
    "kind", [kinds.Numeric(), kinds.Nominal(), kinds.Text(), kinds.Text(longest=3), kinds.Set()], ids=str
)
@given(rows=lists(one_of(integers(), floats(allow_nan=False), booleans(), text(max_size=5), lists(text(max_size=2)))))
def test_values_that_are_taken_at_a_glance_pass_the_full_check(kind, rows):
    values = [tuple(value) if isinstance(value, list) else value for value in rows]
    for some in ([value for value in values if type(value) is wanted] for wanted in (int, float, str, tuple)):
        if kinds.plainly_fit(kind, some):
            assert [kinds.check(kind, value, attribute="") for value in some] == some
    if kinds.plainly_fit(kind, values):
        assert [kinds.check(kind, value, attribute="") for value in values] == values
