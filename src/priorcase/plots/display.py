"""What every display can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Display(ABC):
    """Numbers that can be drawn: `frame` has them, `plot` draws them, and the display prints as one line about them."""

    @abstractmethod
    def frame(self) -> Any:
        """The numbers as a frame."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """The picture; the axes come back."""

    @abstractmethod
    def _said(self) -> str:
        """What is drawn, in a line."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self._said()}"
