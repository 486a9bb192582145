"""Options in groups: the help of a command, by what its options are for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["Function", "GroupedArgument", "GroupedOption", "GroupedOptions", "option", "together"]

Function = TypeVar("Function", bound=Callable[..., Any])

_OTHERS = "Output"


class GroupedOption(click.Option):
    """An option that says under which heading the help lists it.

    Parameters
    ----------
    group
        The heading.
    """

    def __init__(self, *args: Any, group: str = _OTHERS, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.group = group


class GroupedArgument(click.Argument):
    """An argument that the help lists among the options of a group.

    Parameters
    ----------
    group
        The heading.
    text
        What the help says of it.
    """

    def __init__(self, *args: Any, group: str, text: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.group = group
        self.text = text

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """The line of the help."""
        return self.make_metavar(ctx), self.text


class GroupedOptions(click.Command):
    """A command whose help lists its options by group, in the order in which they were added."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                groups.setdefault(getattr(parameter, "group", _OTHERS), []).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def option(group: str, name: str, metavar: str | None, text: str, **settings: Any) -> Callable[[Function], Function]:
    """Add an option to a group."""
    shown = "default" in settings
    return click.option(
        name, cls=GroupedOption, group=group, metavar=metavar, help=text, show_default=shown, **settings
    )


def together(function: Function, *decorators: Callable[[Function], Function]) -> Function:
    """Add several options, which the help lists in this order."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function
