"""Runs with the shim preloaded: each operation meets a failure at its first, second, ... write, until it meets none.

Usage: LD_PRELOAD=shim.so python driver.py FOLDER. Prints one line for each operation and mode; exits 1 at the first
surprise: an error of another kind, something acknowledged that is gone, a file that is not clean afterwards.
"""

import ctypes
import errno
import os
import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.crash.model import Model, Operation, new_case, perform
from priorcase.cases.storage import Declaration, Store
from priorcase.exceptions import CaseBaseError

SHIM = ctypes.CDLL(None)
MODES = {
    "an I/O error once": (errno.EIO, 0, 0),
    "a full disk that stays full": (errno.ENOSPC, 1, 1),
    "I/O errors that stay": (errno.EIO, 1, 0),
}
ADMITTED = ("are forgotten, but", "did not confirm")
DECLARATION = Declaration([("first", {"kind": "nominal"}), ("second", {"kind": "nominal"})])


def operations(model):
    """One operation of each kind that the content allows."""
    random = Random(model.last_id)
    ids = list(model.cases)
    width = len(model.declaration.attributes)
    yield Operation("add", cases=[new_case(random, width)], text="one")
    yield Operation("add", cases=[new_case(random, width) for _ in range(6)], text="many")
    yield Operation("revise", [ids[0]], [new_case(random, width, note=True)], text="again")
    attributes = [*model.declaration.attributes, (f"attribute {width}", {"kind": "nominal"})]
    yield Operation("declare", declaration=Declaration(attributes))
    yield Operation("learn", ids[:3], text="x" * 5000)
    yield Operation("forget", ids[:2])


def attempt(store, operation, folder, n, mode):
    """Do an operation that fails at its n-th write; the error, and whether it met a failure at all."""
    SHIM.fault_arm(os.fsencode(folder), ctypes.c_long(n), *mode)
    error = None
    try:
        with store.writing() as writer:
            perform(operation, writer)
    except CaseBaseError as caught:
        error = caught
    finally:
        failures = SHIM.fault_disarm()
    return error, failures > 0


def check(path, store, before, after, error, what):
    """The file is as before, or as after where the operation was done; clean, for this and for a new connection."""
    for opened in (store, Store.open(path)):
        if problems := opened.verify():
            raise SystemExit(f"{what}: {problems}")
        found = before if before.differs(opened) is None else after
        difference = found.differs(opened)
        if difference is not None:
            raise SystemExit(f"{what}: {difference} are neither as before nor as after")
        if error is None and found is before:
            raise SystemExit(f"{what}: acknowledged, and not there")
        if found is after and error is not None and not any(words in str(error) for words in ADMITTED):
            raise SystemExit(f"{what}: said to have failed, and there: {error}")
        if opened is not store:
            opened.close()
    data = b"".join(file.read_bytes() for file in path.parent.iterdir())  # opening has wiped what was to be wiped
    if any(text.strip('"').encode() in data for text in found.forgotten):
        raise SystemExit(f"{what}: bytes of forgotten cases are left")
    found.forgotten.clear()
    return found


def main(folder):
    path = folder / "faulty.priorcase"
    model = Model(DECLARATION)
    create(path, folder)
    store = Store.open(path)
    refill(store, model)
    random = Random(1)
    for name, mode in MODES.items():
        for operation in list(operations(model)):
            n, met, kinds = 1, 0, set()
            while True:
                what = f"{operation.name} with {name} at write {n}"
                after = model.after(operation)
                error, failed = attempt(store, operation, folder, n, mode)
                found = check(path, store, model, after, error, what)
                if error is not None:
                    kinds.add(type(error).__name__ + ": " + str(error).split(" ")[0])
                if found is after:
                    model = after
                    if not failed:
                        break
                    if operation.name != "forget":
                        break  # a failure that SQLite could do without
                    refill(store, model)
                    operation = Operation("forget", list(model.cases)[:2])
                met += 1
                n += 1 if n < 16 else random.randint(1, 24)  # rewriting the whole file takes hundreds of writes
            print(f"{operation.name}: {name}: {met} failures, {sorted(kinds)}")


def refill(store, model):
    """Add cases where few are left."""
    if len(model.cases) > 6:
        return
    random = Random(-model.last_id)
    operation = Operation("add", cases=[new_case(random, 2) for _ in range(12)])
    with store.writing() as writer:
        perform(operation, writer)
    model.apply(operation)


def create(path, folder):
    """Creating fails at each write too, and leaves nothing behind."""
    for mode in MODES.values():
        for n in range(1, 100):
            SHIM.fault_arm(os.fsencode(folder), ctypes.c_long(n), *mode)
            try:
                Store.open(path, create=DECLARATION).close()
            except CaseBaseError as error:
                SHIM.fault_disarm()
                if path.exists():
                    with Store.open(path) as store:
                        if store.verify() or Model(DECLARATION).differs(store):
                            raise SystemExit("half a file was created") from error
                    path.unlink()
                continue
            if SHIM.fault_disarm() == 0:
                break
            path.unlink()
        else:
            raise SystemExit("creating fails without end")
        print(f"create: {n - 1} failures")
        path.unlink()
    Store.open(path, create=DECLARATION).close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
