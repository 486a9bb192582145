"""Writers killed with SIGKILL at random moments: what was acknowledged is there, and nothing is half there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from priorcase.cases.storage import Declaration, NewCase, Store, sqlite, store
from priorcase.cases.storage.integrity import read_counters
from priorcase.exceptions import CaseBaseFileError

ROOT = Path(__file__).resolve().parents[2]
DECLARATION = Declaration([("device", {"kind": "nominal"})])
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),  # the runner has threads; children do little
]


@pytest.mark.parametrize("kills", [4, pytest.param(15, marks=pytest.mark.slow)])
def test_nothing_acknowledged_is_lost_when_writers_are_killed(kills):
    command = [sys.executable, "-m", "benchmarks.crash", "--kills", str(kills), "--cases", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = {line[:36].strip(): line[36:].split()[0] for line in done.stdout.splitlines()}
    assert figures["writers killed"] == str(kills)
    assert int(figures["operations acknowledged"]) > kills
    assert figures["lost, partial or not erased"] == "0"


def in_child(work):
    """Run something in a forked process that dies at the end as if it was killed."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_crash_between_forgetting_and_wiping_is_finished_at_the_next_opening(tmp_path, monkeypatch):
    path = tmp_path / "base.priorcase"
    text = "a very long text of its own " * 300
    with Store.open(path, create=DECLARATION) as base, base.writing() as writer:
        writer.insert([NewCase([text]), NewCase(["modem"])])

    def die(*_):
        os._exit(7)

    def forget():
        with Store.open(path) as base, base.writing() as writer:
            writer.delete([1])

    with monkeypatch.context() as patch:
        patch.setattr(store, "wipe", die)
        in_child(forget)
    with Store.open(path, readonly=True) as base:
        assert base.load().ids == [2]
        assert base.history()[-1].action == "forgotten"
    with Store.open(path) as base:
        assert base.verify() == []
    assert text[:28].encode() not in path.read_bytes()


def test_who_forgets_is_told_when_the_bytes_must_wait(tmp_path, monkeypatch):
    path = tmp_path / "base.priorcase"
    with Store.open(path, create=DECLARATION) as base:
        with base.writing() as writer:
            writer.insert([NewCase(["printer"]), NewCase(["modem"])])

        def fail(*_):
            raise CaseBaseFileError("The disk is full.")

        with monkeypatch.context() as patch:
            patch.setattr(store, "wipe", fail)
            words = r"are forgotten, but their bytes could not be erased .* when the file is next opened\.$"
            with pytest.raises(CaseBaseFileError, match=words):  # noqa: SIM117
                with base.writing() as writer:
                    writer.delete([1])
            assert base.load().ids == [2]
            with base.writing() as writer:  # others' changes go on
                writer.insert([NewCase(["monitor"])])
            assert read_counters(base._connection).wipe > 0
        with base.writing() as writer:
            writer.insert([NewCase(["mouse"])])
        assert read_counters(base._connection).wipe == 0


def test_a_crash_while_creating_leaves_nothing(tmp_path, monkeypatch):
    def die(*_, **__):
        os._exit(7)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite.os, "link", die)
        in_child(lambda: Store.open(tmp_path / "base.priorcase", create=DECLARATION))
    assert [path for path in tmp_path.iterdir() if path.suffix != ".part"] == []
    Store.open(tmp_path / "base.priorcase", create=DECLARATION).close()
