"""Count how many seeded faults the tests catch: one line of the library is changed at a time, and its tests are run.

``python tools/seed_faults.py --log build/faults.jsonl`` draws 60 faults with a fixed seed: a comparison turned round,
``+`` for ``-``, a dropped ``not``, ``or`` for ``and``, a number off by one, another default. For each fault it runs the
tests of the changed file's own folder, then the default suite, until a test fails. The files of the checkout are
changed and restored, so run it in a checkout of its own. A fault that the log already holds is not tried again.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "priorcase"
LONGEST = 1800.0
"""Seconds that the tests may run with a fault before it counts as caught: it has made something endless."""

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", ">="),
    ast.LtE: ("<=", ">"),
    ast.Gt: (">", "<="),
    ast.GtE: (">=", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
}


@dataclass(frozen=True)
class Fault:
    """A change of a part of one line: the bytes from ``start`` to ``end`` become ``text``."""

    path: str
    line: int
    start: int
    end: int
    text: str

    def applied(self, source: bytes) -> bytes:
        lines = source.splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.start] + self.text.encode() + line[self.end :]
        return b"".join(lines)


def between(path: str, source: list[bytes], left: ast.expr, right: ast.expr, swap: tuple[str, str]) -> Iterator[Fault]:
    """The operator between two operands that stand on one line, replaced by another."""
    old, new = swap
    if left.end_lineno != right.lineno:
        return
    gap = source[right.lineno - 1][left.end_col_offset : right.col_offset].decode()
    found = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", gap) if old.isalpha() else re.search(re.escape(old), gap)
    if found:
        first = (left.end_col_offset or 0) + found.start()
        yield Fault(path, right.lineno, first, first + len(old), new)


def constants(path: str, node: ast.expr) -> Iterator[Fault]:
    """A number off by one, or the other truth value."""
    if not isinstance(node, ast.Constant) or node.end_lineno != node.lineno:
        return
    if isinstance(node.value, bool):
        text = str(not node.value)
    elif isinstance(node.value, int):
        text = str(node.value + 1)
    else:
        return
    yield Fault(path, node.lineno, node.col_offset, node.end_col_offset or 0, text)


def left_alone(tree: ast.Module) -> set[int]:
    """The nodes of annotations, f-strings and decorators: a change there is no fault in what runs."""
    roots = list[ast.AST | None]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            roots += [node.returns, *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            roots += node.decorator_list
        elif isinstance(node, ast.arg | ast.AnnAssign):
            roots.append(node.annotation)
        elif isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ):
            roots.append(node)
    return {id(node) for root in roots if root is not None for node in ast.walk(root)}


def faults_of(file: Path) -> Iterator[Fault]:
    """Every fault that can be seeded in one file."""
    source = file.read_bytes()
    lines = source.splitlines()
    path = file.relative_to(ROOT).as_posix()
    tree = ast.parse(source)
    skipped = left_alone(tree)
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
                yield from between(path, lines, left, right, COMPARISONS[type(operator)])
                yield from constants(path, right)
        elif isinstance(node, ast.BinOp):
            if type(node.op) in OPERATORS:
                yield from between(path, lines, node.left, node.right, OPERATORS[type(node.op)])
                yield from constants(path, node.right)
        elif isinstance(node, ast.BoolOp):
            swap = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from between(path, lines, left, right, swap)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            if lines[node.lineno - 1][node.col_offset :].startswith(b"not "):
                yield Fault(path, node.lineno, node.col_offset, node.col_offset + len("not "), "")
        elif isinstance(node, ast.arguments):
            for default in [*node.defaults, *node.kw_defaults]:
                if default is not None:
                    yield from constants(path, default)
        elif isinstance(node, ast.Subscript):
            yield from constants(path, node.slice)


def drawn(number: int, seed: int) -> list[Fault]:
    """Faults drawn at random from all of the library, the same for the same sources and seed."""
    found = [fault for file in sorted(SOURCES.rglob("*.py")) for fault in faults_of(file)]
    return random.Random(seed).sample(found, number)


def own_tests(path: str) -> list[str]:
    """The tests that mirror a file: its examples, the test files of its name, then its folder."""
    inside = Path(path).relative_to("src/priorcase")
    named = sorted((ROOT / "tests").rglob(f"test_{inside.stem}*.py"))
    places = [ROOT / path, *named]
    if len(inside.parts) > 1:
        folder = ROOT / "tests" / inside.parts[0]
        deeper = folder / inside.parts[1]
        places += [place for place in (deeper, folder) if place.is_dir()]
    return [place.relative_to(ROOT).as_posix() for place in places]


def failure(arguments: list[str]) -> str:
    """The first test that fails, or an empty text."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
    # The compiled files of unchanged sources stay; none is written for a changed one.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*command, *arguments], cwd=ROOT, env=environment, capture_output=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return "endless"
    if done.returncode in (0, 5):
        return ""
    if -done.returncode in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        raise InterruptedError("the tests were stopped from outside: what they would have found is unknown")
    output = (done.stdout + done.stderr).decode(errors="replace")
    first = re.search(r"^(?:FAILED|ERROR) (.*)$", output, re.MULTILINE)
    return first[1] if first else output.strip()[-200:]


def caught_by(fault: Fault, *, workers: int) -> str:
    """Run the tests with the fault, its own first; the first test that fails."""
    file = ROOT / fault.path
    source = file.read_bytes()
    times = file.stat()
    file.write_bytes(fault.applied(source))
    try:
        return failure(["-n", "0", *own_tests(fault.path)]) or failure(["-n", str(workers)])
    finally:
        file.write_bytes(source)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def described(fault: Fault) -> str:
    line = (ROOT / fault.path).read_bytes().splitlines()[fault.line - 1].decode().strip()
    changed = fault.applied((ROOT / fault.path).read_bytes()).splitlines()[fault.line - 1].decode().strip()
    return f"{fault.path}:{fault.line}: {line} -> {changed}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--faults", type=int, default=60, help="how many to draw (60)")
    parser.add_argument("--seed", type=int, default=36, help="seed of the draw (36)")
    parser.add_argument("--workers", type=int, default=2, help="test processes for the whole suite (2)")
    parser.add_argument("--log", type=Path, default=Path("build/faults.jsonl"), help="what was found so far")
    parser.add_argument("--list", action="store_true", help="show the faults and run nothing")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # files are restored then too
    faults = drawn(options.faults, options.seed)
    if options.list:
        print("\n".join(described(fault) for fault in faults))
        return 0
    changed = subprocess.run(["git", "status", "--porcelain", "src"], cwd=ROOT, capture_output=True, check=True)
    if changed.stdout:
        print("src/ has changes that are not committed: commit them, or run this in a checkout of its own.")
        return 2
    found = dict[str, str]()
    if options.log.exists():
        found = dict(json.loads(line) for line in options.log.read_text(encoding="utf-8").splitlines())
    for fault in faults:
        name = described(fault)
        if name not in found:
            found[name] = caught_by(fault, workers=options.workers)
            with options.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps([name, found[name]]) + "\n")
        print(name, f"caught by {found[name]}" if found[name] else "NOT CAUGHT", sep="\n    ", flush=True)
    caught = sum(bool(found[described(fault)]) for fault in faults)
    print(f"{caught} of {len(faults)} faults caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
