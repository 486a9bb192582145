"""Measurements side by side with what users would pick instead: ``python -m benchmarks --help``."""
