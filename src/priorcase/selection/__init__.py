"""Choosing attributes by leave-one-out: steps forward or back, and races between sets of attributes."""
