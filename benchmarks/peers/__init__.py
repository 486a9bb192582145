"""One module per workload, each with ``run(sizes) -> list[Row]``, and wrappers for the peers that need them."""
