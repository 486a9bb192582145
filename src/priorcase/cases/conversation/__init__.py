"""Conversational case-based reasoning: asking the most informative question next."""

from priorcase.cases.conversation.conversation import Conversation, Transcript, TranscriptLine
from priorcase.cases.conversation.questions import Choice, Question

__all__ = ["Choice", "Conversation", "Question", "Transcript", "TranscriptLine"]
