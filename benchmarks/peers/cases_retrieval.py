"""Retrieval of the ten most similar cases with twelve mixed attributes, and a comparison with cbrkit on fewer cases."""

import statistics
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.machine import THREADS
from benchmarks.peers.cases_retrieval_data import Case, attributes, cases
from benchmarks.peers.cases_retrieval_peer import Comparison, peer
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import compare

K = 10
LIMIT = 1e-3
TIMES_FASTER = 100.0


def run(sizes: Sizes) -> list[Row]:
    """Measure the median time of a query on an open base with prepared measures; the best of some rounds counts."""
    return [_many(sizes), *_beside_cbrkit(sizes)]


def _many(sizes: Sizes) -> Row:
    import priorcase as pc

    stored = sizes.rows(100_000)
    with pc.CaseBase.temporary(attributes()) as base:
        base.add_many(cases(stored))
        asked = cases(sizes.queries(60), gaps=0.0, seed=1)
        taken = [_median(base, asked) for _ in range(sizes.repeats)]
        partial = [{name: case[name] for name in ("price", "model", "remark")} for case in asked]
        three = _median(base, partial)
    note = f"{THREADS} threads; a query of 3 attributes {three * 1e3:.2f} ms"
    return Row(f"retrieve: {stored:,} cases, 12 attributes, k = {K}", "limit", min(taken), LIMIT, 1, note=note)


def _beside_cbrkit(sizes: Sizes) -> list[Row]:
    import priorcase as pc

    stored, asked = (200, 5) if sizes.quick else (1_000, 20)
    together = Comparison(cases(stored, gaps=0.0, seed=2), cases(asked, gaps=0.0, seed=3), K)
    others = [
        peer(together, "mean", bar=TIMES_FASTER, install=not sizes.quick, note="its default pooling"),
        peer(together, "fmean", bar=TIMES_FASTER, install=not sizes.quick, note="its fastest pooling"),
    ]
    measures = together.measures()
    with pc.CaseBase.temporary(attributes()) as base:
        base.add_many(together.cases)

        def ask(query: Case) -> Any:
            return base.retrieve(query, k=K, weights=together.weights, measures=measures, n_jobs=THREADS)

        together.check([[(match.id, match.similarity) for match in ask(query)] for query in together.queries])
        name = f"retrieve: {len(together.cases):,} cases, 12 attributes, k = {K}"
        return compare(name, lambda: _median_of(ask, together.queries), others, sizes.repeats)


def _median(base: Any, queries: Sequence[Case]) -> float:
    return _median_of(lambda query: base.retrieve(query, k=K, n_jobs=THREADS), queries)


def _median_of(ask: Any, queries: Sequence[Case]) -> float:
    """Return the median time of single queries, after a warm-up query."""
    ask(queries[0])
    taken = []
    for query in queries:
        start = time.perf_counter()
        ask(query)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)
