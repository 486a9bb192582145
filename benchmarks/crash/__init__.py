"""Kill writers of a case base and check that no acknowledged change is lost: ``python -m benchmarks.crash``."""
