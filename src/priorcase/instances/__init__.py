"""Storage of rows in encoded form with stable ids; rows can be appended, removed, selected and hashed."""

from priorcase.instances.instances import Instances, as_floats, check_ids, check_weights

__all__ = ["Instances", "as_floats", "check_ids", "check_weights"]
