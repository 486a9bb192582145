"""Kill writers and time writing and reading: python -m benchmarks.crash [--kills N] [--cases N]"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.crash.killing import run
from benchmarks.crash.speed import measure


def main() -> int:
    """Print a table of kills and a table of times; return 1 if a kill damaged the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how many writers to kill (default 100)")
    parser.add_argument("--cases", type=int, default=100_000, help="how many cases to time (default 100,000; 0: none)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="priorcase-crash-") as folder:
        outcome = run(Path(folder), options.kills, seed=options.seed)
        times = measure(Path(folder), options.cases, 500) if options.cases else []
    done = sum(outcome.acknowledged.values())
    print(f"writers killed                      {outcome.kills:>9,}")
    print(f"operations acknowledged             {done:>9,}  ({_listed(outcome.acknowledged)})")
    print(f"in progress, found complete         {outcome.whole:>9,}")
    print(f"in progress, found absent           {outcome.absent:>9,}")
    print(f"lost, partial or not erased         {len(outcome.problems):>9,}")
    for problem in outcome.problems:
        print(f"  {problem}")
    for work, figure, unit, bar in times:
        print(f"{work:<42}{figure:>9,.{0 if figure > 100 else 2}f} {unit:<9} {bar}".rstrip())
    return 1 if outcome.problems else 0


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))


if __name__ == "__main__":
    sys.exit(main())
