"""One file, several threads and processes: many readers, one writer, and each sees what the others did."""

import multiprocessing
import os
import sys
import threading
import time

import pytest

from priorcase.cases.storage import Declaration, NewCase, Store
from priorcase.exceptions import CaseBaseBusyError, CaseBaseFileError

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the runner has threads
DECLARATION = Declaration([("device", {"kind": "nominal"})])
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")


def write(path, times, name):
    with Store.open(path, timeout=600.0) as store:
        for number in range(times):
            with store.writing() as writer:
                writer.insert([NewCase([name], key=f"{name} {number}"), NewCase(["pair"])])


def read(path, until, ready):
    with Store.open(path, readonly=True, timeout=600.0) as store:
        loaded, seen = store.load(), 0
        ready.set()
        while len(loaded.ids) < until:
            if store.changed_elsewhere():
                changes = store.changes_since(loaded.step)
                loaded = store.load()
                assert {change.id for change in changes} <= set(loaded.ids)
                assert len(loaded.ids) % 2 == 0, "half a transaction"
                seen += 1
            time.sleep(0.001)  # leaves the processors to the writers
        assert loaded.ids == list(range(1, len(loaded.ids) + 1))
        assert seen > 0


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "base.priorcase"
    Store.open(path, create=DECLARATION).close()
    return path


@forks
def test_two_writers_and_two_readers_in_processes_of_their_own(path):
    fork = multiprocessing.get_context("fork")
    ready = [fork.Event() for _ in range(2)]
    readers = [fork.Process(target=read, args=(path, 48, event)) for event in ready]
    writers = [fork.Process(target=write, args=(path, 12, name)) for name in ("a", "b")]
    for reader in readers:
        reader.start()
    assert all(event.wait(600) for event in ready)
    for writer in writers:
        writer.start()
    for process in [*writers, *readers]:
        process.join(600)
    assert [process.exitcode for process in [*writers, *readers]] == [0, 0, 0, 0]
    with Store.open(path) as store:
        assert len(store.load().ids) == 48
        assert store.verify() == []


def test_who_waits_too_long_is_told(path):
    with Store.open(path) as first, Store.open(path, timeout=0.05) as second:
        with first.writing() as writer:
            writer.insert([NewCase(["printer"])])
            with (
                pytest.raises(CaseBaseBusyError, match=r"threads or processes for more than 0.05 seconds"),
                second.writing(),
            ):
                pass
            assert second.load().ids == []  # readers see the last whole state
        assert second.changed_elsewhere()
        assert second.load().ids == [1]
        assert not second.changed_elsewhere()
        assert not first.changed_elsewhere() or first.load().ids == [1]


def test_changes_are_seen_after_a_long_time_without_any(path):
    with Store.open(path) as first, Store.open(path) as second:
        first.load()
        second.load()
        for number in range(3):
            os.utime(path, (number, number))
            for _ in range(3):
                assert not second.changed_elsewhere()
            with first.writing() as writer:
                writer.insert([NewCase(["printer"])])
            assert second.changed_elsewhere()
            assert second.load().ids == list(range(1, number + 2))
            assert not first.changed_elsewhere()


@pytest.mark.skipif(sys.platform != "linux", reason="SQLite is always asked here")
@pytest.mark.parametrize(
    ("age", "device", "believed"),
    [(3600, (8, 1), True), (0, (8, 1), False), (-3600, (8, 1), False), (3600, (0, 40), False)],
    ids=["old", "new", "in the future", "no disk of this machine"],
)
def test_when_a_file_counts_as_unchanged_by_its_time_stamp_alone(path, monkeypatch, age, device, believed):
    """Two changes within one tick of a file system's clock have the same stamp; a network share may show an old one."""
    stamp = (time.time_ns() - age * 10**9, 0, 0, os.makedev(*device), 0)
    monkeypatch.setattr(Store, "_stamp_now", lambda store: stamp)
    with Store.open(path) as first, Store.open(path) as second:
        second.load()
        assert not second.changed_elsewhere()
        with first.writing() as writer:
            writer.insert([NewCase(["printer"])])
        assert second.changed_elsewhere() is not believed


def test_threads_share_a_store_and_wait_for_each_other(path):
    with Store.open(path) as store, Store.open(path) as other:
        errors = []

        def work(mine, number):
            try:
                for step in range(10):
                    with mine.writing() as writer:
                        writer.insert([NewCase([f"{number} {step}"])])
                    mine.load()
                    Store.open(path, readonly=True).close()  # looks at the first bytes while others write
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(mine, n)) for n, mine in enumerate([store, store, other, other])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert store.load().ids == list(range(1, 41))
        assert store.verify() == []


def test_a_thread_that_waits_too_long_is_told(path):
    with Store.open(path, timeout=0.05) as store:
        begun, done = threading.Event(), threading.Event()

        def hold():
            with store.writing():
                begun.set()
                done.wait(10)

        thread = threading.Thread(target=hold)
        thread.start()
        begun.wait(10)
        with pytest.raises(CaseBaseBusyError, match="in use by other threads or processes"):
            store.load()
        done.set()
        thread.join()
        assert store.load().ids == []


def test_two_creators_make_one_base(tmp_path):
    path, stores, barrier = tmp_path / "base.priorcase", [], threading.Barrier(8)

    def create():
        barrier.wait()
        with Store.open(path, create=DECLARATION) as store, store.writing() as writer:
            stores.extend(writer.insert([NewCase(["a"])]))

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(stores) == list(range(1, 9))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["base.priorcase", "base.priorcase-journal"]


def forked(work):
    """What a forked process returns: 0 where its work went well."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException as error:
            print(repr(error))
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@forks
def test_a_forked_process_gets_a_connection_of_its_own(path):
    with Store.open(path) as store:
        with store.writing() as writer:
            writer.insert([NewCase(["parent"])])

        def work():
            assert store.load().ids == [1]
            with store.writing() as writer:
                writer.insert([NewCase(["child"])])
            store.close()

        assert forked(work) == 0
        assert store.changed_elsewhere()
        assert store.load().columns == [("parent", "child")]
        assert store.verify() == []


@forks
def test_a_process_forked_within_a_change_cannot_share_it(path):
    with Store.open(path) as store:
        with store.writing() as writer:
            writer.insert([NewCase(["parent"])])

            def work():
                with pytest.raises(CaseBaseBusyError, match=r"forked while .* was being changed"):
                    store.load()
                with pytest.raises(CaseBaseBusyError, match="cannot use that file"):
                    Store.open(path)

            assert forked(work) == 0
            writer.insert([NewCase(["parent again"])])
        assert store.load().ids == [1, 2]
        assert store.verify() == []


@forks
def test_a_fork_waits_for_other_threads(path):
    with Store.open(path) as store:
        begun, forking = threading.Event(), threading.Event()
        os.register_at_fork(before=forking.set)  # before the store waits for the thread

        def change():
            with store.writing() as writer:
                writer.insert([NewCase(["thread"])])
                begun.set()
                assert forking.wait(120)

        thread = threading.Thread(target=change)
        thread.start()
        assert begun.wait(120)

        def work():
            assert store.load().ids == [1]

        assert forked(work) == 0
        thread.join()


def test_a_file_that_was_replaced_is_noticed(path):
    with Store.open(path) as store:
        with store.writing() as writer:
            writer.insert([NewCase(["printer"])])
        store.backup(path.with_name("copy.priorcase"))
        path.with_name("copy.priorcase").replace(path)
        before = path.read_bytes()
        for work in (store.load, store.changed_elsewhere, lambda: store.writing().__enter__()):
            with pytest.raises(CaseBaseFileError, match="moved, removed or replaced"):
                work()
        assert path.read_bytes() == before
        path.unlink()
        with pytest.raises(CaseBaseFileError, match="moved, removed or replaced"):
            store.history()


def test_links_and_relative_paths_lead_to_the_same_base(path, monkeypatch):
    (path.parent / "link").symlink_to(path)
    monkeypatch.chdir(path.parent)
    with Store.open("link") as store, Store.open(path.name) as other:
        monkeypatch.chdir("/")
        with store.writing() as writer:
            writer.insert([NewCase(["printer"])])
            writer.delete(writer.insert([NewCase(["modem"])]))
        assert other.load().ids == [1]
    assert sorted(file.name for file in path.parent.iterdir()) == ["base.priorcase", "base.priorcase-journal", "link"]
