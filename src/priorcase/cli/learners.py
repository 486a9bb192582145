"""Create learners from the options ``--learner`` and ``--set``, and print help on the parameters of learners."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from priorcase.cli.shell import BadInputError, option, options, usage
from priorcase.exceptions import ParameterError
from priorcase.registry import LEARNERS, Learner, find

if TYPE_CHECKING:
    from priorcase.datasets.past import Past

NAMES = textwrap.fill(f"Learners: {', '.join(LEARNERS)}.", 76)
"""The names of all learners, as text for help pages."""
_SHARED = ("categorical_features", "schema", "n_jobs")  # set by the table, or without effect on results


learner_options = options(
    option("--learner", "NAME", "Learner (add --help for parameters).  [stacked]", default="stacked"),
    option("--set", "NAME=VALUE", "Parameter of the learner. Repeatable.", multiple=True),
)


def parameters(texts: Sequence[str], flag: str = "--set") -> dict[str, Any]:
    """Parse ``NAME=VALUE`` parameters; a value is a Python or JSON literal, an object such as ``BDeu(5)``, or text.

    >>> parameters(["prior=BDeu(5)", "vote=gaussian"])
    {'prior': BDeu(equivalent_sample_size=5.0), 'vote': 'gaussian'}
    >>> parameters(["n_neighbors=3", "distance=hvdm", "shuffle=true", "prior=None", "attribute_weights=[1, 0.5]"])
    {'n_neighbors': 3, 'distance': 'hvdm', 'shuffle': True, 'prior': None, 'attribute_weights': [1, 0.5]}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, given, value = text.partition("=")
        if not given or not name.strip():
            raise usage(f"{flag} {text!r} is not of the form NAME=VALUE, such as n_neighbors=3.")
        if name.strip() in found:
            raise usage(f"{flag} {name.strip()} is specified twice.")
        found[name.strip()] = _literal(value)
    return found


def _literal(text: str) -> Any:
    for read in (ast.literal_eval, json.loads):
        try:
            return read(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text if (made := _strategy(text)) is None else made


def _strategy(text: str) -> Any:
    """Create the strategy object that a string such as ``BDeu(5)`` describes; return None for any other string."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    from priorcase.saving import strategy_named  # loads NumPy

    if (cls := strategy_named(call.func.id)) is None:
        return None
    try:
        options = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
        return cls(*map(ast.literal_eval, call.args), **options)
    except (TypeError, ValueError) as error:  # errors of priorcase are ValueErrors too, and say what was expected
        raise usage(f"{text.strip()} is not a valid strategy: {error}") from error


def make(learner: Learner, past: Past, given: dict[str, Any], *, seed: int | None = 0) -> Any:
    """Create the estimator; ``seed`` is the random_state unless ``given`` contains a random_state."""
    if past.task not in learner.tasks:
        others = ", ".join(one.name for one in LEARNERS.values() if past.task in one.tasks)
        raise BadInputError(
            f"{learner.name} does not predict numbers, and {past.target!r} is numeric. Use one of {others}, or "
            f"--column {past.target}=nominal if each number is a class."
        )
    known = inspect.signature(learner.cls(past.task)).parameters
    if "random_state" in known:
        given = {"random_state": seed} | given
    if past.schema and "schema" in known:
        given = {"schema": dict(past.schema)} | given
    return learner.make(past.task, **given)


def learner_help(name: str) -> str:
    """Return the summary and the parameters of a learner, from the docstrings of its classes."""
    try:
        learner = find(name)
    except ParameterError as error:
        raise BadInputError(str(error)) from error
    parts = [f"{learner.name}: {learner.title}. {learner.summary}"]
    for task in learner.tasks:
        cls = learner.cls(task)
        texts, indent = _documented(cls), " " * 6
        lines = [f"Parameters of {cls.__name__} (used to {task}), for --set NAME=VALUE:"]
        for parameter in inspect.signature(cls).parameters.values():
            if parameter.name not in _SHARED:
                lines.append(f"  {parameter.name}={parameter.default}")
                text = texts.get(parameter.name, "")
                lines += textwrap.wrap(text, 78, initial_indent=indent, subsequent_indent=indent)
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _documented(cls: type[Any], depth: int = 2) -> dict[str, str]:
    """Return the description of each parameter in a class docstring; follow references such as "As in `IB1`"."""
    import priorcase

    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}|\Z)", inspect.getdoc(cls) or "", re.M | re.S)
    entries = re.findall(r"^(\S[^\n]*)\n((?:[ \t]+[^\n]*\n?|\n)+)", section[1] + "\n", re.M) if section else []
    found: dict[str, str] = {}
    for names, text in entries:
        other = re.match(r"\s*(?:As in|See) `(\w+)`", text)
        there: dict[str, str] = {}
        if other is not None and depth and other[1] in dir(priorcase):
            there = _documented(getattr(priorcase, other[1]), depth - 1)
        for name in re.split(r",\s*", names):
            found[name] = there.get(name) or re.sub(r"`+", "", " ".join(text.split()))
    return found
