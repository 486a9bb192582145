"""How a learner was fitted, written down: enough to fit it again, and nothing that a case said."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from priorcase.cases.errors import damaged_learner
from priorcase.cases.saving.closed import check_learner, class_name, closed_class, is_learner
from priorcase.cases.saving.reading import Reader
from priorcase.cases.saving.saved import MADE_UP
from priorcase.cases.saving.writing import Writer
from priorcase.exceptions import ReadingError, quoted

__all__ = ["Recipe"]

_SOURCE = "The recipe of a learner"


@dataclass(frozen=True)
class Recipe:
    """The class of a learner, its parameters, and what it was fitted to.

    It holds nothing that a case said: when a case is forgotten, what the learner has learned goes, and the recipe stays
    to fit it again.

    Parameters
    ----------
    learner
        The class, by name.
    parameters
        Its parameters as the nodes of a saved learner (see ``saving/nodes.py``), and the bytes of arrays among them.
    shown
        The learner as it prints itself.
    target
        What it predicts; None for learners without targets.
    attributes
        What it learned from.
    cases
        On how many cases.
    fitted_at
        When, in UTC.
    sequence
        The number of the last change of the case base that it saw.
    version
        The priorcase that fitted it.
    """

    learner: str
    parameters: Mapping[str, Any]
    shown: str
    target: str | None
    attributes: tuple[str, ...]
    cases: int
    fitted_at: str
    sequence: int
    version: str

    @classmethod
    def of(cls, learner: Any, **about: Any) -> Recipe:
        """The recipe of a learner; ``UnsupportedDataError`` where a parameter cannot be written down."""
        check_learner(learner)
        writer = Writer()
        name = type(learner).__name__
        # As attributes, so that messages name KNNClassifier.vote.
        writer.write_attributes(learner.get_params(deep=False), name)
        parameters = {"nodes": writer.nodes, "blobs": b64encode(b"".join(writer.blobs)).decode()}
        shown = " ".join(repr(learner).split())
        return cls(class_name(type(learner)), parameters, shown, **about)

    @property
    def name(self) -> str:
        """The class of the learner in one word."""
        return self.learner.rpartition(":")[2]

    def unfitted(self) -> Any:
        """The learner with its parameters, not fitted."""
        found = closed_class(self.learner)
        if found is None or not is_learner(found):  # a constructor is called: that of a learner only
            raise ReadingError(
                f"{_SOURCE} names the class {quoted(self.learner)}, which is no part of a learner of priorcase. "
                "Nothing was loaded; do not trust where this file came from."
            )
        try:
            blobs = memoryview(b64decode(self.parameters["blobs"], validate=True))
            parameters = Reader(self.parameters["nodes"], blobs, _SOURCE).read()
            return found(**parameters)  # type: ignore[arg-type]
        except ReadingError:
            raise
        except MADE_UP as error:
            raise damaged_learner(_SOURCE, f"its parameters do not fit {self.name}") from error

    def json(self) -> str:
        """The recipe as canonical JSON text."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        """The recipe that `json` wrote down."""
        try:
            found = json.loads(text)
            recipe = cls(**found | {"attributes": tuple(found["attributes"]), "parameters": dict(found["parameters"])})
        except MADE_UP as error:
            raise damaged_learner(_SOURCE, "it is no recipe") from error
        return recipe
