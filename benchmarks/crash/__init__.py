"""A case base under SIGKILL: no acknowledged change is lost, none is half-written. Run: python -m benchmarks.crash"""
