"""What the closed list of classes is made from: every concrete class in the folders of the learners.

``python -m priorcase.cases.saving._make_closed_list`` prints ``closed_list.py`` anew; a test compares the two.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from types import ModuleType

FOLDERS = (
    "schema",
    "instances",
    "similarity",
    "learning",
    "relevance",
    "bayes",
    "neighbors",
    "local",
    "selection",
    "concepts",
    "reduction",
    "evaluation.conformal",
)
"""Where learners and their parts are defined."""


def found_classes() -> dict[str, tuple[str, ...]]:
    """The names of the classes of each module, modules in the order of `FOLDERS`."""
    found = {}
    for module in _modules():
        names = tuple(sorted(name for name, kind in vars(module).items() if _is_part(kind, module)))
        if names:
            found[module.__name__] = names
    return found


def _modules() -> Iterator[ModuleType]:
    for folder in FOLDERS:
        package = import_module(f"priorcase.{folder}")
        yield package
        for each in pkgutil.walk_packages(getattr(package, "__path__", []), f"{package.__name__}."):
            yield import_module(each.name)


def _is_part(kind: object, module: ModuleType) -> bool:
    """Whether something is a class of which an object can be: neither an error, an interface nor a step in one."""
    return (
        inspect.isclass(kind)
        and kind.__module__ == module.__name__
        and not kind.__name__.startswith("_")
        and not issubclass(kind, BaseException | Enum)
        and not getattr(kind, "_is_protocol", False)
        and not inspect.isabstract(kind)
        and (issubclass(kind, tuple) or kind.__new__ is object.__new__)
    )


def source() -> str:
    """The text of ``closed_list.py``."""
    lines = [
        '"""Every class that a saved learner may hold an object of, by module; made by ``_make_closed_list.py``."""',
        "",
    ]
    lines.append("CLASSES: dict[str, tuple[str, ...]] = {")
    for module, names in found_classes().items():
        inside = ", ".join(f'"{name}"' for name in names) + "," * (len(names) == 1)
        lines.append(f'    "{module}": ({inside}),')
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    print(source(), end="")
