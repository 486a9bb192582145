"""Conversational case-based reasoning: asking for what tells most about the solution."""

from priorcase.cases.conversation.conversation import Conversation
from priorcase.cases.conversation.question import Choice, Question
from priorcase.cases.conversation.transcript import Transcript, TranscriptLine

__all__ = ["Choice", "Conversation", "Question", "Transcript", "TranscriptLine"]
