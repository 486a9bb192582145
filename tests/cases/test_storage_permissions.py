"""Files and folders that may not be written or not be read."""

import os
import stat
from pathlib import Path

import pytest

from priorcase.cases.storage import Declaration, NewCase, Store
from priorcase.exceptions import CaseBaseFileError

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are other ones here"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),  # the runner has threads; children do little
]


@pytest.fixture
def whole(tmp_path):
    """The bytes of a small base, and what it holds."""
    path = tmp_path / "whole.priorcase"
    with Store.open(path, create=Declaration([("device", {"kind": "nominal"}), ("age", {"kind": "numeric"})])) as store:
        with store.writing() as writer:
            writer.insert([NewCase(["printer", 3], note="noted")])
        return path.read_bytes(), content_of(store)


def content_of(store):
    loaded = store.load()
    return loaded, store.fetch(loaded.ids), store.history()


def as_nobody(work):
    """Run something in a process that may not write what others own; root may write everything."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                os.setegid(65534)
                os.seteuid(65534)
            work()
            status = 0
        except BaseException as error:
            print(repr(error))
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("locked", ["file", "folder"])
def test_a_read_only_file_can_be_read_and_not_written(tmp_path, whole, locked):
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "base.priorcase"
    path.write_bytes(whole[0])
    for above in [tmp_path, *tmp_path.parents][:4]:
        if above != Path("/tmp") and above != Path("/"):
            above.chmod(above.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    path.chmod(0o444 if locked == "file" else 0o666)
    folder.chmod(0o777 if locked == "file" else 0o555)

    def work():
        for readonly in (True, False):
            with Store.open(path, readonly=readonly) as store:
                assert content_of(store) == whole[1]
        with Store.open(path) as store, pytest.raises(CaseBaseFileError, match="the file or its folder is read-only"):  # noqa: SIM117
            with store.writing() as writer:
                writer.insert([NewCase(["modem", 1])])

    try:
        as_nobody(work)
    finally:
        folder.chmod(0o777)
    assert path.read_bytes() == whole[0]


def test_a_base_that_may_not_be_read(tmp_path, whole):
    path = tmp_path / "base.priorcase"
    path.write_bytes(whole[0])
    path.chmod(0)

    def work():
        with pytest.raises(CaseBaseFileError, match="could not be opened: Permission denied"):
            Store.open(path)

    as_nobody(work)
