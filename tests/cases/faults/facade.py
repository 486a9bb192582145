"""Runs with the shim preloaded: changes of a case base fail at their first, second, ... write, until they meet none.

Usage: LD_PRELOAD=shim.so python facade.py FOLDER. After each failure the cases in memory are those of the file, as
before the change or, where that was admitted, as after it. Prints one line for each change and mode.
"""

import ctypes
import errno
import os
import sys
from pathlib import Path

import priorcase as pc
from priorcase.exceptions import CaseBaseError

SHIM = ctypes.CDLL(None)
MODES = {"an I/O error once": (errno.EIO, 0, 0), "a full disk that stays full": (errno.ENOSPC, 1, 1)}
ADMITTED = ("are forgotten, but", "did not confirm")
LONG = "words " * 900


def changes(folder):
    """Each change that a user can make, by name; each can be made again and again."""
    table = folder / "more.jsonl"
    table.write_text('{"age": 4, "tags": ["a"]}\n{"age": 5, "tags": ["b", "c"]}\n')
    return {
        "add": lambda base: base.add({"age": len(base), "tags": {"x"}, "text": LONG}, solution="drum", note="n"),
        "add_many": lambda base: base.add_many([{"age": i, "text": LONG} for i in range(5)], solution=["a"] * 5),
        "import_": lambda base: base.import_(table),
        "revise": lambda base: base.revise(first(base), {"text": f"{len(base.history())}" + LONG}, outcome=True),
        "retain": lambda base: base.retain({"age": 3}, solution=f"s{len(base.history())}", policy="records"),
        "retire": lambda base: base.retire(next(case.id for case in base.find() if not case.retired)),
        "declare": lambda base: base.declare({f"attribute {len(base.attributes)}": "numeric"}),
        "prefer": lambda base: base.prefer(weights={"age": len(base.history())}),
        "fit": lambda base: base.fit(pc.NaiveBayes(), name="guess"),
        "forget": lambda base: base.forget(first(base)),
    }


def first(base):
    return next(case.id for case in base.find())


def state(base):
    """All that can be seen of a base, in memory and in its file."""
    seen = base.history(), base.learners(), base.records().frame("pandas").to_csv(), base.preferences()
    columns = [base._live.table.column(name) for name in (*base.attributes, "solution", "outcome")]
    held = [(column.name, column.codes.tolist(), column.values) for column in columns]
    return base.digest(), tuple(map(repr, seen)), held, base._live.table.ids.tolist(), base._live.table.retired.tolist()


def attempt(base, change, folder, n, mode):
    """Make a change that fails at its n-th write; the error, and whether it met a failure at all."""
    SHIM.fault_arm(os.fsencode(folder), ctypes.c_long(n), *mode)
    error = None
    try:
        change(base)
    except CaseBaseError as caught:
        error = caught
    finally:
        failures = SHIM.fault_disarm()
    return error, failures > 0


def check(base, before, error, what):
    """The base is as a newly opened one, and as before where the change failed; whether the change is there."""
    now = state(base)
    with pc.CaseBase.open(base.path) as again:
        if state(again) != now:
            raise SystemExit(f"{what}: memory and file differ")
        if not again.verify():
            raise SystemExit(f"{what}: {again.verify()}")
    there = now != before
    if there and error is not None and not any(words in str(error) for words in ADMITTED):
        raise SystemExit(f"{what}: said to have failed, and there: {error}")
    if not there and error is None:
        raise SystemExit(f"{what}: acknowledged, and not there")
    return there


def main(folder):
    base = pc.CaseBase.open(folder / "faulty.priorcase", {"age": "numeric", "tags": "set", "text": "text"})
    base.add_many([{"age": i, "tags": {"x"}, "text": LONG} for i in range(12)], solution=["a", "b"] * 6)
    for name, change in changes(folder).items():
        for words, mode in MODES.items():
            n = met = 0
            while True:
                n += 1 if n < 5 else 13
                before = state(base)
                error, failed = attempt(base, change, folder, n, mode)
                check(base, before, error, f"{name} with {words} at write {n}")
                met += failed
                if not failed:
                    break
            print(f"{name}: {words}: {met} failures")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
