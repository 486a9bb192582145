"""Learners that choose what to remember: IB1 to IB5 and PEBLS."""
