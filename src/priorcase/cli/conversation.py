"""Ask questions on a terminal, in plain text, to find the solution for a new case."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from priorcase.cases import CaseBase, Conversation, Question
from priorcase.cases.case import text_of
from priorcase.cases.conversation.conversation import tolerant_conversation
from priorcase.cli.case_values import Success, case_table, read_value, split_pair
from priorcase.cli.shell import BadInputError, n_cases, one_line, say
from priorcase.exceptions import PriorcaseError, nearest
from priorcase.learning.results import short
from priorcase.schema import Nominal, Text

_CHOICES, _LEADING, _OTHERS, _WIDE = 12, 3, 3, 60
_YES_NO = {"y": True, "yes": True, "n": False, "no": False}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def converse(
    base: CaseBase,
    query: Mapping[str, Any],
    *,
    where: Mapping[str, Any],
    tolerance: float | None,
    k: int,
    explain: bool,
    **settings: Any,
) -> None:
    """Ask questions until one solution is probable enough, then show this solution and the cases that support it."""
    success = Success()
    talk = tolerant_conversation(base, query, where=where or None, tolerance=tolerance, success=success, **settings)
    success.note_others()
    Talk(base, talk, terminal_line, say).run()
    proposal = talk.answer()
    say(f"\n{proposal}")
    support = [base.get(source.id) for source in proposal.sources[:k]]
    say(f"\n{case_table(support, 'supporting cases')}")
    if explain:
        say(f"\n{talk.transcript}")


def terminal_line(prompt: str) -> str | None:
    """Read a line from the terminal; return None at the end of the input."""
    say(prompt, nl=False)
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return "\ufffd"
    return line.rstrip("\r\n") if line else None


class Talk:
    """Asks questions until the conversation is settled, the user quits, or the input ends (``read`` returns None)."""

    def __init__(
        self, base: CaseBase, talk: Conversation, read: Callable[[str], str | None], say: Callable[[str], Any]
    ) -> None:
        self._base, self._talk, self._read, self._say = base, talk, read, say
        self._attributes = base.attributes

    def run(self) -> None:
        told = "Answer with a number or in words. Press Enter to skip; type ? for help, back to undo, or quit to stop."
        if not self._talk.settled:
            self._say(f"{told}\n{self._standing()}")
        while not self._talk.settled and (question := self._talk.next_question()) is not None:
            self._say(f"\n{self._question(question)}")
            while True:
                line = self._read("> ")
                if line is None:
                    self._say("")
                    return
                if (line := line.strip()) == "quit":
                    return
                if self._heard(question, line):
                    break
            self._say(self._standing())

    def _heard(self, question: Question, line: str) -> bool:
        """Process the user's answer; return False if the same question must be asked again."""
        try:
            if not line:
                self._talk.skip(question.attribute)
            elif line == "?":
                self._say(self._why(question))
                return False
            elif line == "back":
                self._talk.back()
            else:
                self._talk.tell(*self._answer(question, line))
        except (PriorcaseError, BadInputError) as error:
            told = one_line(str(error.args[0]))
            for known in (" Nothing was changed.", "; nothing was changed"):  # this is obvious here
                told = told.replace(known, "")
            self._say(f"  {told}")
            return False
        return True

    def _answer(self, question: Question, line: str) -> tuple[str, Any]:
        """Parse an answer to a question, and return the attribute and the value."""
        name, kind = question.attribute, self._attributes[question.attribute]
        if line.startswith("=") and line[1:].strip():
            return name, read_value(self._base, name, kind, line[1:].strip())
        if (told := self._told(line, free=question.kind == "text")) is not None:
            return told
        if question.yes_or_no and (yes := _YES_NO.get(line.casefold())) is not None:
            return name, yes
        if question.kind in ("word", "member"):
            raise BadInputError(f"answer yes or no, or set the value with {name}=...")
        if question.kind == "value" and (found := _chosen(question, line)) is not None:
            return name, found
        if question.kind == "value" and type(kind) is Nominal and kind.values is None:
            meant = nearest(line, [str(choice.answer) for choice in question.choices])
            hint = f"did you mean {meant!r}?" if meant is not None else "answer with a number, or press Enter to skip."
            raise BadInputError(f"{line!r} is not one of the choices; {hint} '={line}' enters this value anyway.")
        return name, line if isinstance(kind, Text) else read_value(self._base, name, kind, line)

    def _told(self, line: str, *, free: bool) -> tuple[str, Any] | None:
        """Parse an answer of the form NAME=VALUE; return None for other answers, such as text with an equals sign."""
        if "=" not in line:
            return None
        try:
            name, text = split_pair(line, self._attributes)
        except BadInputError:
            if free:
                return None
            raise
        return name, read_value(self._base, name, self._attributes[name], text)

    def _question(self, question: Question) -> str:
        if question.kind == "value":
            lines = [question.text]
            for mark, choice in list(zip(labels(question), question.choices, strict=False))[:_CHOICES]:
                answer = short(question.answered(choice.answer), _WIDE)
                lines.append(f"  {mark:>2}  {answer}  ({n_cases(choice.cases)})")
            if len(question.choices) > _CHOICES:
                lines.append(f"      and {len(question.choices) - _CHOICES} more; type a name")
            return "\n".join(lines)
        if not question.yes_or_no:
            return question.text
        told = [f"{question.answered(choice.answer)}: {n_cases(choice.cases)}" for choice in question.choices]
        more = "; or its value" if question.kind == "cut" else ""
        return f"{question.text} ({', '.join(told)}{more})"

    def _why(self, question: Question) -> str:
        left = self._talk.candidates.size
        if question.gain is None:
            told = "  No value is known yet, and free text is more informative than any single value."
        else:
            told = f"  The answer gives {question.gain:.2f} bits of information about the solution on average, "
            told += (
                f"{question.ratio or 0.0:.2f} for each bit of the answer's entropy. "
                "No other question with a large gain has a higher ratio of gain to entropy."
            )
        unknown = f"; the value is missing in {question.unknown} of these cases" if question.unknown else ""
        lines = [told, f"  {n_cases(left)} left{unknown}."]
        others = [other for other in self._talk.questions() if other.attribute != question.attribute and other.gain]
        if others:
            lines.append(
                "  Next best: " + ", ".join(f"{other.text} {other.ratio or 0.0:.2f}" for other in others[:_OTHERS])
            )
        return "\n".join(lines)

    def _standing(self) -> str:
        """Return the number of remaining cases and the most probable solutions, as text."""
        found = self._talk.answer().candidates
        told = [f"{short(text_of(one.solution), 40)} {one.probability:.0%}" for one in found[:_LEADING]]
        rest = [f"{len(found) - _LEADING} more"] if len(found) > _LEADING else []
        return f"{n_cases(self._talk.candidates.size)} left: {', '.join([*told, *rest])}"


def labels(question: Question) -> list[str]:
    """Return the labels of the choices of a question: numbers, or letters if the values look like numbers."""
    if any(str(choice.answer).strip().isdecimal() for choice in question.choices):
        return list(_LETTERS[: len(question.choices)])
    return [str(place) for place in range(1, len(question.choices) + 1)]


def _chosen(question: Question, line: str) -> Any:
    """Return the choice whose value or label equals an answer, or the only choice whose value begins with it."""
    wanted = line.casefold()
    texts = {str(choice.answer).casefold(): choice.answer for choice in question.choices}
    if wanted in texts:
        return texts[wanted]
    by_label = dict(zip(labels(question)[:_CHOICES], (choice.answer for choice in question.choices), strict=False))
    if wanted in by_label:
        return by_label[wanted]
    beginning = [answer for text, answer in texts.items() if text.startswith(wanted)]
    return beginning[0] if len(beginning) == 1 else None
