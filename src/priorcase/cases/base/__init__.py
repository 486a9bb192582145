"""The case base as users hold it: one file, and all its cases in memory, which follow the file."""
