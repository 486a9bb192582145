"""Run the workloads and print one table."""

import argparse
import importlib
import sys
from pathlib import Path

from benchmarks import machine  # before NumPy: it sets the number of threads
from benchmarks.report import Row, judge, markdown, plain

WORKLOADS = {
    "heom": "mixed columns, independent and in groups, HEOM, 10 neighbors",
    "mvdm": "nominal columns, MVDM, 1 neighbor",
    "euclidean": "numeric columns, Euclidean, 10 neighbors",
    "all_rows": "the neighbors of every stored row: leave-one-out and k-NN graphs",
    "index": "building the index of a million mixed rows, and setting up a query",
    "memory": "a million mixed rows: memory and fitting time",
    "mapped": "a saved model of five million mixed rows: opening it and predicting once",
    "end_to_end": "from a pandas frame with strings and missing values to probabilities",
    "one_row": "latency of predicting, learning and forgetting one row",
    "naive_bayes": "naive Bayes on a million rows of categories, and one row at a time",
    "bayes_memory": "memory that fitting naive Bayes on a million rows takes",
    "trees": "the average over all trees",
    "prequential": "k-NN on a stream: predict a row, then store it",
    "concepts": "learners that choose which rows to store: IB2 on a table, IB3 on a stream",
    "reduction": "instance selection: ENN, AllKNN and DROP3",
    "local": "locally weighted regression compared with loess, NumPy and Weka",
    "stretching": "attribute weights by leave-one-out",
    "leave_one_out": "tuning the number of neighbors and the kernel with one search",
    "stacked": "fitting a stack of learners to mixed tables",
    "own_distance": "differences and distances written in Python",
    "texts": "a column of texts beside other columns",
    "reading": "a table from a CSV file",
    "report": "a whole report on a table: time and memory",
    "reproduce": "a paper's table, and all papers with --quick",
    "startup": "the command line's help, and imports",
    "cases_retrieval": "retrieving the most similar cases, also compared with cbrkit",
    "cases_durable": "the file of a case base: adding, opening, forgetting, killed writers",
    "scale": "naive Bayes from Parquet files larger than memory",
    "serving": "a service under load: single rows over HTTP",
    "concurrent": "single rows while batches are predicted, by threads of one process and over HTTP",
    "page": "the explorer in Chromium: first paint and predictions",
    "distributed": "k-NN and counts over a Dask cluster of two processes",
    "auto": "algorithm='auto' against each algorithm by itself",
}


def main() -> int:
    """Run the workloads; return 1 if a target was missed, otherwise 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Compare the speed and memory of priorcase with other software."
    )
    parser.add_argument(
        "workload", nargs="*", help=f"which to run (default: all): {', '.join(WORKLOADS)}", metavar="WORKLOAD"
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one round, no targets: a smoke test")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the table to FILE as Markdown")
    parser.add_argument("--repeats", type=int, default=5, help="rounds in which the peers take turns; the best counts")
    options = parser.parse_args()
    unknown = [name for name in options.workload if name not in WORKLOADS]
    if unknown:
        parser.error(f"unknown workload {unknown[0]!r}; expected one of {', '.join(WORKLOADS)}")

    from benchmarks.sizes import Sizes

    sizes = Sizes(quick=options.quick, repeats=1 if options.quick else options.repeats)
    rows: list[Row] = []
    for name in options.workload or WORKLOADS:
        print(f"measuring {name}: {WORKLOADS[name]}", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"benchmarks.peers.{name}").run(sizes)
    facts = machine.describe()
    print("\n".join(facts), plain(rows, judged=not options.quick), sep="\n\n")
    if options.markdown:
        options.markdown.write_text(markdown(facts, rows, judged=not options.quick), encoding="utf-8")
    if options.quick:
        return 0
    missed = [row for row in rows if judge(row) is False]
    print(f"\n{len(rows) - len(missed)} comparisons without a miss, {len(missed)} targets missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
