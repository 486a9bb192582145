"""Run cbrkit in its own environment and process: ``cases_retrieval_cbrkit.py TASK.json POOLING TIMES``.

The script reads cases, queries and settings and runs each query once to warm up and TIMES more times. It prints the
median seconds of a query and the most similar cases of each query as JSON.
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
    """Return a case in the types that cbrkit expects: dates and ordinal levels as numbers, sets as frozensets."""
    day, extras = date.fromisoformat(case["listed"]).toordinal(), frozenset(case["extras"])
    return case | {"listed": day, "extras": extras, "condition": levels.index(case["condition"])}


def jaccard(x: frozenset[str], y: frozenset[str]) -> float:
    """Return the Jaccard similarity J of two sets; cbrkit's own function of this name returns 1 / (2 - J) instead."""
    return len(x & y) / len(x | y) if x or y else 1.0


def edits(x: str, y: str) -> float:
    """Return the Levenshtein similarity, by compiled code; cbrkit's own function counts a substitution as two edits."""
    return 1.0 - Levenshtein.distance(x, y) / max(len(x), len(y), 1)


def retriever(task: dict[str, Any], pooling: str) -> Callable[..., Any]:
    """Build a retriever as cbrkit's documentation describes."""
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
    """Run the queries and print the median time and the retrieved cases."""
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
