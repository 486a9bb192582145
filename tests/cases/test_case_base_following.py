"""The cases in memory are those of the file, whatever comes between: failures, other processes, forks, other files."""

import os
import pickle
import shutil
import signal
import sqlite3
import threading
import time
from copy import copy as copy_one
from copy import deepcopy

import pytest

import priorcase as pc
from priorcase.cases.storage import Store
from priorcase.exceptions import CaseBaseBusyError, CaseBaseError, CaseBaseFileError

ATTRIBUTES = {"make": "nominal", "age": "numeric"}
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the runner has threads


@pytest.fixture
def base(tmp_path):
    with pc.CaseBase.open(tmp_path / "base.priorcase", ATTRIBUTES, timeout=60.0) as base:
        base.add_many([{"make": "a", "age": 1}, {"make": "b", "age": 2}], solution=["x", "y"])
        yield base


def held(base):
    """All that a base has in memory, and what its file says."""
    names = (*base.attributes, "solution", "outcome")
    columns = [
        (name, base._live.table.column(name).codes.tolist(), base._live.table.column(name).values) for name in names
    ]
    return columns, base._live.table.ids.tolist(), base._live.table.retired.tolist(), base.digest()


def assert_in_step(base):
    found = held(base)
    with pc.CaseBase.open(base.path) as fresh:
        assert found == held(fresh)


def failing_after_the_change(monkeypatch, method):
    """Let reading fail once the file is changed, as another process that takes the lock does."""
    commit, read = Store._commit, getattr(Store, method)
    done = []

    def committed(self, *args):
        commit(self, *args)
        done.append(True)

    def busy(self, *args):
        if done:
            raise CaseBaseBusyError("in use by others")
        return read(self, *args)

    monkeypatch.setattr(Store, "_commit", committed)
    monkeypatch.setattr(Store, method, busy)


@pytest.mark.parametrize(
    "change",
    [
        lambda base: base.revise(1, {"make": "c"}),
        lambda base: base.retire(1),
        lambda base: base.declare(colour="nominal"),
        lambda base: base.prefer(weights={"age": 3}),
        lambda base: base.retain({"make": "q"}, solution="z", policy="records"),
    ],
)
def test_a_durable_change_does_not_fail_because_it_cannot_be_read_back(base, monkeypatch, change):
    with monkeypatch.context() as patch:
        failing_after_the_change(patch, "changes_since")
        change(base)
    assert len(base.history()) > 3
    assert_in_step(base)


def test_a_change_that_waits_to_be_followed_is_not_taken_for_none(base, monkeypatch):
    with pc.CaseBase.open(base.path) as other:
        other.revise(1, {"make": "other"})
    fetch = Store.fetch
    with monkeypatch.context() as patch:
        patch.setattr(Store, "fetch", lambda *_: (_ for _ in ()).throw(CaseBaseBusyError("in use by others")))
        with pytest.raises(CaseBaseBusyError):
            len(base)
    assert Store.fetch is fetch
    assert [case.id for case in base.find(where={"make": "other"})] == [1]
    assert_in_step(base)


def test_an_attribute_declared_while_another_change_is_followed(base, monkeypatch):
    fetch, threads = Store.fetch, []
    with pc.CaseBase.open(base.path) as other:
        other.revise(1, {"make": "c"})

        def declared_meanwhile(self, ids):
            if not threads:
                threads.append(threading.Thread(target=lambda: other.declare(colour="nominal")))
                threads[0].start()
                threads[0].join(0.2)
            return fetch(self, ids)

        monkeypatch.setattr(Store, "fetch", declared_meanwhile)
        assert len(base) == 2
        threads[0].join()
    assert list(base.attributes) == ["make", "age", "colour"]
    assert_in_step(base)


@pytest.mark.parametrize("column", ["make", "age", "outcome"])
@pytest.mark.parametrize("change", ["add", "revise", "forget"])
def test_an_interrupted_table_is_read_anew(base, monkeypatch, column, change):
    growing = base._live.table._columns[column]
    for method in ("append", "replace", "keep"):
        monkeypatch.setattr(growing, method, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        {
            "add": lambda: base.add({"make": "c", "age": 3}),
            "revise": lambda: base.revise(1, {"make": "c"}),
            "forget": lambda: base.forget(1),
        }[change]()
    assert_in_step(base)
    base.add({"make": "d"})
    assert_in_step(base)


@pytest.mark.parametrize("cases", [2, 9])
def test_a_file_overwritten_in_its_place_is_read_anew(base, tmp_path, cases):
    with pc.CaseBase.open(tmp_path / "other.priorcase", ATTRIBUTES) as other:
        for age in range(cases):
            other.add({"make": "other", "age": age})
    shutil.copyfile(tmp_path / "other.priorcase", base.path)
    assert [case["make"] for case in base] == ["other"] * cases
    assert len(base) == cases
    assert_in_step(base)


@forks
def test_a_process_forked_while_another_thread_changes_the_base_can_use_it(base):
    entered, go_on = threading.Event(), threading.Event()

    def slow(value):
        entered.set()
        go_on.wait(120)
        return value == "a"

    # The thread holds the lock of the table, not that of the file, while a condition is asked.
    reader = threading.Thread(target=lambda: list(base.find(where={"make": slow})))
    writer = threading.Thread(target=lambda: base.add({"make": "c"}))  # waits for the reader
    reader.start()
    entered.wait(120)
    writer.start()
    time.sleep(0.1)
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        try:
            found = len(base) == 2 and base.retrieve({"make": "a"}, 1)[0].id == 1
            base.add({"make": "child"})
            os._exit(0 if found and len(base) == 3 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    go_on.set()
    reader.join()
    writer.join()
    assert {case["make"] for case in base} == {"a", "b", "c", "child"}
    assert_in_step(base)


def test_a_digest_is_of_one_moment(base, monkeypatch):
    """Another process changes the base between following it and reading its cases."""
    with pc.CaseBase.open(base.path) as other:
        moment, done = base._live.store.moment, []

        def late():
            if not done:
                done.append(other.forget(1))
            return moment()

        monkeypatch.setattr(base._live.store, "moment", late)
        assert base.digest() == other.digest()
        assert done == [1]


def test_rows_that_another_program_took_away_are_missed(base):
    connection = sqlite3.connect(base.path)
    connection.execute("DELETE FROM cases WHERE id = 1")
    connection.commit()
    connection.close()
    with pytest.raises(CaseBaseFileError, match="damaged: case 1 is missing"):
        base.revise(1, {"age": 3})
    with pytest.raises(CaseBaseFileError, match="damaged: case 1 is missing"):
        base.digest()
    assert not base.verify()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("CREATE TABLE more (x)", "not the tables of a case base"),
        ("PRAGMA journal_mode = wal", "set it to write-ahead logging"),
    ],
)
def test_what_keeps_a_file_from_being_opened_is_found_by_verify(base, statement, words):
    connection = sqlite3.connect(base.path)
    connection.execute(statement)
    connection.commit()
    found = base.verify()
    assert words in repr(found)
    with pytest.raises(CaseBaseFileError, match="damaged"):
        pc.CaseBase.open(base.path)
    connection.close()


def test_what_was_retrieved_holds_on_to_no_other_case(base):
    base.add_many([{"make": f"make {age}", "age": age} for age in range(3, 2_000)])
    found = base.retrieve({"age": 1}, k=2)
    assert len(pickle.dumps(found.load.args[1])) < 1_000
    assert [match.case["make"] for match in found] == ["a", "b"]


def test_a_base_is_not_copied(base):
    for copy in (pickle.dumps, copy_one, deepcopy):
        with pytest.raises(CaseBaseError, match="cannot be copied or pickled, but its file can be opened many times"):
            copy(base)


@pytest.mark.parametrize("timeout", [float("inf"), 1e9, 10**400])
def test_a_very_long_timeout_waits(base, timeout):
    locker = sqlite3.connect(base.path, isolation_level=None, check_same_thread=False)
    with pc.CaseBase.open(base.path, timeout=timeout) as patient:
        locker.execute("BEGIN EXCLUSIVE")
        release = threading.Timer(0.15, locker.execute, ["ROLLBACK"])
        release.start()
        patient.add({"make": "late"})
        release.join()
    locker.close()
    assert len(base) == 3


def test_a_change_seen_by_an_interrupted_call_is_followed_by_the_next(base, monkeypatch):
    """Another process changes the file just after a call asked whether it had, and Ctrl-C ends that call."""
    live, asked = base._live, base._live.store.changed_elsewhere

    def changed_just_after():
        answer = asked()
        monkeypatch.undo()
        with pc.CaseBase.open(base.path) as other:
            other.add({"make": "c", "age": 3}, solution="z")
        monkeypatch.setattr(live._lock, "writing", interrupted)
        return answer

    def interrupted():
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(live.store, "changed_elsewhere", changed_just_after)
    with pytest.raises(KeyboardInterrupt):
        base.digest()
    assert len(base) == 3
    assert_in_step(base)
