"""Keys that were made to have the same hash, of which each is compared with all before it."""

from __future__ import annotations

__all__ = ["Hashes"]

_MOST = 1_000
"""So many keys of a dictionary may have the same hash. Of numbers and tuples of these a few do."""


class Hashes:
    """The hashes of the keys of one dictionary, or of the members of one set."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}  # by text, whose own hash nobody can foresee

    def check(self, *keys: object) -> None:
        """Keys more; ``ValueError`` where too many are alike, ``TypeError`` where one has no hash."""
        for key in keys:
            if type(key) is not str:
                found = str(hash(key))
                self._times[found] = times = self._times.get(found, 0) + 1
                if times > _MOST:
                    raise ValueError("keys that were made to be alike")
