"""Views of a case base for the page: a list of cases with a search, the columns, and a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

import priorcase as pc
from priorcase.cases.case import Case, text_of
from priorcase.cases.case_base import table_of
from priorcase.cases.conversation import Conversation, Question
from priorcase.cases.conversation.conversation import tolerant_conversation
from priorcase.cases.kinds import kind_name, plain_shown, shown
from priorcase.cases.table import CaseColumn
from priorcase.documents import case_document
from priorcase.explorer.case_routes import Answers
from priorcase.explorer.columns import numbers_summary
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Taxonomy
from priorcase.schema.dates import DAY
from priorcase.serve import answers

_LISTED, _SUPPORT, _LEADING, _OTHERS = 200, 5, 8, 3
_EPOCH = 719_163  # 1970-01-01 as an ordinal (`date.toordinal`), the unit of dates in cases


# -- lists


def found_cases(base: pc.CaseBase, words: str, where: Sequence[str], offset: int, limit: int) -> dict[str, Any]:
    """Return a page of the cases that meet the conditions and contain all words, newest first."""
    wanted, conditions = words.casefold().split(), answers.conditions(base, where)
    if wanted:
        met = [id for case in base.find(where=conditions) if (id := case.id) is not None and _has(case, wanted)]
    else:
        met = base.ids(where=conditions)
    page = list(islice(reversed(met), offset, offset + limit))
    cases = {case.id: case_document(case) for case in base.find(where={"id": page})} if page else {}
    return {"cases": [cases[id] for id in page if id in cases], "met": len(met), "total": len(base)}


def _has(case: Case, words: Sequence[str]) -> bool:
    texts = [text_of(value) for value in case.values() if value is not None]
    texts += [text_of(one) for one in (case.solution, case.key, case.by) if one is not None]
    text = "\n".join([*texts, *(note.text for note in case.notes)]).casefold()
    return all(word in text for word in words)


# -- columns


def case_columns(base: pc.CaseBase) -> dict[str, Any]:
    """Return the attributes, solutions and outcomes of a case base as JSON, with the distribution of their values."""
    with table_of(base) as table:
        columns = [_attribute(table.column(name), len(table)) for name in table.attributes]
        solution, outcome = (_beside(table.column(name)) for name in ("solution", "outcome"))
        return {"cases": len(table), "columns": columns, "solution": solution, "outcome": outcome}


def _attribute(column: CaseColumn, n: int) -> dict[str, Any]:
    kind: Any = column.kind
    counts = np.asarray(column.counts, np.int64)
    told: dict[str, Any] = {
        "name": column.name,
        "kind": kind_name(kind),
        "missing": n - int(counts.sum()),
        "distinct": counts.size,
    }
    values = [shown(kind, value) for value in column.values]
    if isinstance(kind, Date):
        return told | numbers_summary(np.repeat((column.numbers() - _EPOCH) * DAY, counts), None, 0, is_date=True)
    if isinstance(kind, Ordinal | Taxonomy):
        listed = list(kind.order if isinstance(kind, Ordinal) else kind.nodes)
        own = dict(zip(values, counts.tolist(), strict=True))
        return told | {"values": listed[:_LISTED], "counts": [own.get(value, 0) for value in listed[:_LISTED]]}
    if isinstance(kind, Numeric):
        return told | numbers_summary(np.repeat(column.numbers(), counts), None, 0, is_date=False)
    if isinstance(kind, Set):
        return told | {"options": sorted({part for value in values for part in value}, key=str)[:_LISTED]}
    if type(kind) is Nominal:
        order = np.argsort(-counts, kind="stable")[:_LISTED].tolist()
        told |= {"values": [values[at] for at in order], "counts": counts[order].tolist()}
        return told | {"open": kind.values is None}
    return told


def _beside(column: CaseColumn) -> dict[str, Any]:
    order = np.argsort(-np.asarray(column.counts), kind="stable")
    values = [plain_shown(str(column.values[at])) for at in order.tolist()]
    kinds = {_kind_of(value) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None if not kinds else "json"
    return {"kind": kind, "values": values[:_LISTED], "counts": column.counts[order].tolist()[:_LISTED]}


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "numeric" if isinstance(value, int | float) else "text" if isinstance(value, str) else "json"


# -- conversations


def conversation_after(base: pc.CaseBase, asked: Answers) -> dict[str, Any]:
    """Return the state of a conversation: next question, proposed and candidate solutions, and transcript."""
    talk = tolerant_conversation(base, asked.query, where=answers.conditions(base, asked.where) or None)
    for answer in asked.answers:
        talk.tell(answer.attribute, answer.value)
    proposal, question, left = talk.answer(), talk.next_question(), talk.candidates
    of = ("solution", "probability", "cases")
    return {
        "question": None if question is None else _question(base, talk, question),
        "settled": talk.settled,
        "reason": talk.reason,
        "left": left.size,
        "proposal": {name: getattr(proposal, name) for name in ("solution", "confidence", "how")},
        "candidates": [{name: getattr(one, name) for name in of} for one in proposal.candidates[:_LEADING]],
        "n_candidates": len(proposal.candidates),
        "support": list(_documents(base, [source.id for source in proposal.sources[:_SUPPORT]])),
        "transcript": [
            {name: getattr(line, name) for name in ("question", "answer", "candidates", "solution", "probability")}
            for line in talk.transcript.lines
        ],
    }


def _question(base: pc.CaseBase, talk: Conversation, question: Question) -> dict[str, Any]:
    told = {name: getattr(question, name) for name in ("attribute", "kind", "text", "unknown", "gain", "ratio")}
    told["choices"] = [
        {"answer": choice.answer, "text": question.answered(choice.answer), "cases": choice.cases}
        for choice in question.choices
    ]
    others = [one for one in talk.questions() if one.attribute != question.attribute and one.gain]
    told["others"] = [{"text": one.text, "gain": one.gain, "ratio": one.ratio} for one in others[:_OTHERS]]
    return told | {"yes_or_no": question.yes_or_no, "of": kind_name(base.attributes[question.attribute])}


def _documents(base: pc.CaseBase, ids: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Return the cases with these ids as JSON, in this order; cases forgotten in the meantime are omitted."""
    found = {case.id: case for case in base.find(where={"id": list(ids)})} if ids else {}
    return (case_document(found[id]) for id in ids if id in found)
