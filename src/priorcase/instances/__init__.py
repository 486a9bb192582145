"""Encoded rows with stable ids: append, remove, subset, digest."""

from priorcase.instances.instances import Instances, as_floats, check_ids, check_weights

__all__ = ["Instances", "as_floats", "check_ids", "check_weights"]
