"""Cases that do not fit their case base."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, advice, compose, listed, named, quoted


class CaseBaseError(PriorcaseError, ValueError):
    """Something that a case base cannot do; nothing was changed."""

    @classmethod
    def closed(cls, path: str) -> Self:
        """A case base that was closed before."""
        return cls(compose(f"The case base {path} is closed.", hint="open it again with CaseBase.open(path)."))

    @classmethod
    def not_opened(cls, given: object) -> Self:
        """A case base made by its class instead of being opened."""
        problem = f"CaseBase got {quoted(given)}; expected to be opened."
        return cls(compose(problem, hint="use CaseBase.open(path), which creates the file if there is none."))

    @classmethod
    def not_copied(cls, path: str) -> Self:
        """A case base that was to be copied, or sent to another process."""
        problem = f"The open case base {path} cannot be copied or pickled; its file can be opened many times."
        return cls(compose(problem, hint="hand on the path, and call CaseBase.open(path) there; backup copies a file."))

    @classmethod
    def read_only(cls, path: str) -> Self:
        """A change of a case base that was opened to be read."""
        problem = f"would change {path}, which was opened with readonly=True; nothing was changed."
        return cls(compose(problem, hint="open it with CaseBase.open(path)."))

    @classmethod
    def reserved(cls, names: Iterable[str]) -> Self:
        """Attributes named like something that every case has."""
        problem = f"got {named('attribute', names)}, a name that every case has for something else."
        hint = "choose another name; solution=, outcome=, key= and note= are given beside the attributes."
        return cls(compose(problem, hint=hint))

    @classmethod
    def bad_name(cls, name: object) -> Self:
        """An attribute whose name is no text."""
        problem = f"got an attribute named {quoted(name)}; expected a text that is not empty."
        return cls(compose(problem, hint="name each attribute, for example {'device': 'printer'}."))

    @classmethod
    def no_attributes(cls) -> Self:
        """A case from which no attribute can be learned."""
        problem = "got a case without attributes, and the case base declares none."
        return cls(compose(problem, hint="add a case with attributes, or declare them by CaseBase.open(path, {...})."))

    @classmethod
    def other_attributes(cls, path: str, differing: Sequence[str]) -> Self:
        """A case base that exists already, with other attributes than those asked for."""
        problem = (
            f"CaseBase.open got other attributes than {path} has: {listed(differing)} differ; nothing was changed."
        )
        hint = "leave attributes out to open it as it is; CaseBase.declare adds attributes."
        return cls(compose(problem, hint=hint))

    @classmethod
    def not_a_case(cls, found: object) -> Self:
        """Something that is no mapping from attributes to values."""
        problem = f"got {quoted(found)} as a case; expected a mapping from attributes to values."
        return cls(compose(problem, hint="for example {'device': 'printer', 'age': 3}."))

    @classmethod
    def not_cases(cls, found: object) -> Self:
        """Something that is no list of cases."""
        expected = "a frame, or a list of mappings from attributes to values"
        problem = f"got {quoted(found)}; expected {expected}. Nothing was changed."
        return cls(compose(problem, hint="add takes a single case."))

    @classmethod
    def not_beside(cls, parameter: str, found: object) -> Self:
        """Something that is no list of solutions, outcomes or keys."""
        problem = f"got {parameter}={quoted(found)}; expected the name of a column, or one value for each case."
        return cls(compose(problem, hint="nothing was changed."))

    @classmethod
    def not_attributes(cls, found: object) -> Self:
        """Something that declares no attributes."""
        problem = f"got attributes={quoted(found)}; expected a mapping from names to kinds."
        return cls(compose(problem, hint="for example {'age': 'numeric', 'message': Text()}."))

    @classmethod
    def lengths(cls, parameter: str, given: int, cases: int) -> Self:
        """As many solutions, outcomes or keys as there are not cases."""
        problem = f"got {given} values of {parameter} for {cases} cases; expected one for each case."
        return cls(compose(problem, hint="write None where a case has none; nothing was changed."))

    @classmethod
    def what_to_forget(cls) -> Self:
        """Neither ids nor conditions, or both."""
        problem = "got neither or both of ids and conditions; expected one of them. Nothing was changed."
        return cls(compose(problem, hint="forget(7), forget([7, 8]) or forget(device='printer')."))

    @classmethod
    def kind_holds(cls, name: str, found: object, wanted: str) -> Self:
        """A new kind that stored values do not fit."""
        problem = f"CaseBase.declare cannot make {name!r} {wanted}: a stored case has {quoted(found)}; nothing changed."
        return cls(compose(problem, hint="revise those cases first, or declare another attribute."))

    @classmethod
    def unknown_kind(cls, name: str, given: object) -> Self:
        """A declared attribute whose kind is none."""
        problem = f"Attribute {name!r} was declared as {quoted(given)}, which is no kind."
        hint = (
            "use 'numeric', 'nominal', 'text', 'set', 'date', 'graph', or Numeric(), Ordinal(order), Nominal(), "
            "Text(), Set(), Date(), Taxonomy(tree), Graph()."
        )
        return cls(compose(problem, hint=hint))


class CaseValueError(CaseBaseError):
    """A value that does not fit its attribute."""

    @classmethod
    def wrong(cls, attribute: str, value: object, *, expected: str, hint: str = "") -> Self:
        """A value of another kind than its attribute."""
        problem = f"got {quoted(value)} for {attribute!r}; expected {expected}."
        return cls(compose(problem, hint=hint or "write None where the value is not known."))

    @classmethod
    def too_long(cls, attribute: str, length: int, most: int, unit: str) -> Self:
        """A value without end."""
        problem = f"got {length:,} {unit} for {attribute!r}; expected at most {most:,}."
        return cls(compose(problem, hint="keep long documents elsewhere and store what tells cases apart."))

    @classmethod
    def malformed(cls, attribute: str, error: Exception) -> Self:
        """A graph that is none; ``error`` says why."""
        problem, _, hint = str(error.args[0]).partition("\nHint: ")
        problem = f"got no graph for {attribute!r}: {problem}"
        return cls(compose(problem, hint=hint))

    @classmethod
    def not_plain(cls, what: str, value: object) -> Self:
        """A solution or outcome that cannot be written down."""
        expected = "text, a number, a boolean, None, or lists and mappings of them"
        problem = f"got {quoted(value)} as {what}; expected {expected}."
        return cls(compose(problem, hint="convert it, for example with str(...) or dataclasses.asdict(...)."))


class UnknownAttributeError(CaseBaseError):
    """A name that is no attribute of the case base."""

    @classmethod
    def absent(cls, names: Sequence[object], attributes: Iterable[str], source: str | None = None) -> Self:
        """Names of no attribute."""
        attributes = list(attributes)
        problem = f"{'' if source is None else source + ' '}got {named('attribute', names)}, unknown to the case base."
        there = listed(attributes, limit=12) or "none yet"
        known = f"it has {there}; CaseBase.declare adds attributes."
        return cls(compose(problem, hint=advice(names[0], attributes, otherwise=known)))

    @classmethod
    def no_graph(cls, attribute: object, graphs: Sequence[str]) -> Self:
        """An attribute that holds no graphs, or no attribute at all where several do."""
        got = f"got attribute={attribute!r}" if attribute is not None else "got no attribute"
        problem = f"{got}; expected one that holds graphs."
        hint = f"those that do: {listed(graphs)}." if graphs else "declare one as 'graph'."
        return cls(compose(problem, hint=hint))


class UnknownCaseError(CaseBaseError, KeyError):
    """An id or a key that names no case."""

    @classmethod
    def absent(cls, ids: Sequence[object]) -> Self:
        """Ids that were never given out, or whose cases were forgotten."""
        which = "which names no case" if len(ids) == 1 else "which name no cases"
        problem = f"got {named('id', ids)}, {which}."
        return cls(compose(problem, hint="ids are what add returned; find() shows all cases."))

    @classmethod
    def which(cls) -> Self:
        """Neither an id nor a key, or both."""
        return cls(compose("got neither or both of id and key; expected one.", hint="get(7) or get(key=...)."))

    @classmethod
    def no_key(cls, key: object) -> Self:
        """A key that no case has."""
        return cls(compose(f"got the key {quoted(key)}, which no case has.", hint="find() shows all cases."))

    @classmethod
    def not_an_id(cls, value: object) -> Self:
        """Something that cannot be an id."""
        problem = f"got {quoted(value)} as an id; expected a whole number."
        return cls(compose(problem, hint="ids are what add returned; find(key=...) finds a case by its key."))
