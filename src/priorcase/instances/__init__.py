"""Encoded rows with stable ids: append, remove, subset, digest."""

from priorcase.instances.instances import Instances

__all__ = ["Instances"]
