"""The learners that ``priorcase evaluate`` compares: names, each with options of its own or those of the command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from priorcase.cli.choosing import chosen
from priorcase.cli.learners import LEARNERS, OPTIONS, Learner, options_of
from priorcase.cli.words import listed, wrong_value

__all__ = ["ALL", "GUESS", "USUAL", "Contestant", "check_texts", "contestants"]

GUESS = "guess"
"""The learner that looks at no attribute: what every other one has to beat."""
ALL = "all"
"""All learners that can answer what the target asks for."""
_NUMBERS = ("neighbors", "local", "rbf")
_ALL = {"classify": (GUESS, *LEARNERS), "regress": (GUESS, *_NUMBERS)}
USUAL = {"classify": (GUESS, "neighbors", "naive-bayes", "subsets", "trees", "ib3"), "regress": (GUESS, *_NUMBERS)}
"""Who is compared unless asked otherwise, by the task."""


@dataclass(frozen=True)
class Contestant:
    """A learner to compare, under the name it was asked for by; without a learner it is the one that guesses."""

    name: str
    learner: Learner | None

    @property
    def options(self) -> dict[str, Any]:
        """The options in use, but for the seed, which all share."""
        return {} if self.learner is None else {k: v for k, v in asdict(self.learner).items() if k != "seed"}


def contestants(texts: Sequence[str], given: Mapping[str, Any], task: str) -> list[Contestant]:
    """The learners that some texts ask for, such as ``naive-bayes`` or ``neighbors:neighbors=3:vote=tricube``.

    Parameters
    ----------
    texts
        Each has one learner, or several with commas between them; none for the usual ones.
    given
        Options of the command, those that are not None: they go to each learner that takes them and has none of its
        own.
    task
        What the target asks for.
    """
    wanted = [part.strip() for text in texts for part in text.split(",")] or list(USUAL[task])
    wanted = [name for part in wanted for name in (_ALL[task] if part == ALL else (part,))]
    if repeated := next((name for at, name in enumerate(wanted) if name in wanted[:at]), None):
        raise _wrong(f"--learner {repeated} is asked for twice; give it other options, as {_example(repeated)} does.")
    found = [_contestant(text, given) for text in wanted]
    kinds = [type(one.learner) for one in found if one.learner is not None]
    for option in given:
        if not any(option in options_of(kind) for kind in kinds):
            takes = listed([name for name, kind in LEARNERS.items() if option in options_of(kind)])
            raise _wrong(f"{_flag(option)} has no effect with the learners compared, only with {takes}.")
    return found


def check_texts(texts: Sequence[str]) -> None:
    """Refuse learners that nobody knows, and options that they do not take, before any table is read."""
    for text in texts:
        for part in text.split(","):
            if part.strip() != ALL:
                _contestant(part.strip(), {})


def _contestant(text: str, given: Mapping[str, Any]) -> Contestant:
    name, *parts = text.split(":")
    if name == GUESS and not parts:
        return Contestant(GUESS, None)
    if name not in LEARNERS:
        words = [GUESS, ALL, *LEARNERS]
        raise wrong_value("--learner", text, f"not one of {', '.join(words)}, with :option=value or without", words)
    own = dict(_own(text, parts))
    shared = {option: value for option, value in given.items() if option in options_of(LEARNERS[name])}
    return Contestant(text, chosen(name, {**shared, **own}, explained=False))


def _own(text: str, parts: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The options within the text of a learner, each read as the option of that name is."""
    ctx = click.get_current_context()
    known = {parameter.name: parameter for parameter in ctx.command.params if parameter.name in OPTIONS - {"seed"}}
    for part in parts:
        word, given, value = part.partition("=")
        option = known.get(word.removeprefix("--").replace("-", "_"))
        if option is None or option.name is None:
            names = [name.replace("_", "-") for name in known if name]
            problem = f"not right: no learner has an option {word!r}"
            raise wrong_value("--learner", text, problem, [text.replace(word, name, 1) for name in names])
        if getattr(option, "is_flag", False):
            if given:
                raise wrong_value("--learner", text, f"not right: {word} takes no value")
            yield option.name, True
            continue
        if not value:
            raise wrong_value("--learner", text, f"not right: {word} needs a value, as in {word}=VALUE")
        yield option.name, _read(ctx, option, value)


def _read(ctx: click.Context, option: click.Parameter, value: str) -> Any:
    """What a text after an option is read as; a mistake names the option."""
    try:
        return option.process_value(ctx, value)
    except click.BadParameter as error:
        error.ctx, error.param = ctx, option
        raise


def _example(name: str) -> str:
    plain = name.partition(":")[0]
    if plain not in LEARNERS:
        return "neighbors:neighbors=3"
    option = options_of(LEARNERS[plain])[0]
    return f"{plain}:{option.replace('_', '-')}=..."


def _wrong(problem: str) -> click.UsageError:
    return click.UsageError(problem, click.get_current_context(silent=True))


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"
