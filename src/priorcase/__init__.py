"""Answers from precedents."""
