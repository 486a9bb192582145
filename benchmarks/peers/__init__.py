"""One module per workload, each with ``run(sizes) -> list[Row]``, and the wrappers of peers that need one."""
