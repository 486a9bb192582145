"""A case base under SIGKILL: nothing acknowledged is lost, nothing is half there. Run: python -m benchmarks.crash"""
