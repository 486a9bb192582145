"""Compare speed and memory with the software that users would choose instead: ``python -m benchmarks --help``."""
