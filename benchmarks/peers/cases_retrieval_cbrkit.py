"""Run by a Python that has cbrkit, in a process of its own: ``cases_retrieval_cbrkit.py TASK.json POOLING TIMES``.

Reads cases, queries and settings, asks each query once to warm up and some more times, and prints the median seconds
of a query and the most similar cases of each as JSON.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import cbrkit  # type: ignore[import-not-found]
import Levenshtein  # type: ignore[import-not-found]


def loaded(case: dict[str, Any], levels: list[str]) -> dict[str, Any]:
    """A case as its users would keep it: days and levels of an order as numbers, sets as sets."""
    day, extras = date.fromisoformat(case["listed"]).toordinal(), frozenset(case["extras"])
    return case | {"listed": day, "extras": extras, "condition": levels.index(case["condition"])}


def jaccard(x: frozenset[str], y: frozenset[str]) -> float:
    """Members in common of all members; cbrkit's own function of this name is another one, 1 / (2 - this)."""
    return len(x & y) / len(x | y) if x or y else 1.0


def edits(x: str, y: str) -> float:
    """By Levenshtein's distance in compiled code; cbrkit's own function counts an exchange as two edits."""
    return 1.0 - Levenshtein.distance(x, y) / max(len(x), len(y), 1)


def retriever(task: dict[str, Any], pooling: str) -> Callable[..., Any]:
    """A retriever in the words of cbrkit's documentation."""
    similarities: dict[str, Any] = {name: cbrkit.sim.numbers.linear(max=most) for name, most in task["ranges"].items()}
    similarities |= {name: cbrkit.sim.generic.equality() for name in task["names"]}
    similarities["model"] = cbrkit.sim.strings.taxonomy.load(Path(task["taxonomy"]))
    similarities |= {"extras": jaccard, "remark": edits}
    aggregator = cbrkit.sim.aggregator(pooling=pooling, pooling_weights=task["weights"])
    made: Callable[..., Any] = cbrkit.retrieval.build(
        cbrkit.sim.attribute_value(attributes=similarities, aggregator=aggregator), limit=task["k"]
    )
    return made


def main() -> None:
    """Ask, and print what it took and what was found."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    base = {id: loaded(case, task["levels"]) for id, case in enumerate(task["cases"])}
    queries = [loaded(query, task["levels"]) for query in task["queries"]]
    retrieve = retriever(task, sys.argv[2])
    found, taken = [], []
    for query in queries:
        result = cbrkit.retrieval.apply(base, query, retrieve)
        found.append([(id, result.similarities[id].value) for id in result.ranking])
    for query in queries * int(sys.argv[3]):
        start = time.perf_counter()
        cbrkit.retrieval.apply(base, query, retrieve)
        taken.append(time.perf_counter() - start)
    print(json.dumps({"seconds": statistics.median(taken), "found": found}))


if __name__ == "__main__":
    main()
