"""Conversational case-based reasoning: asking for what tells most about the solution."""

from priorcase.reasoning.conversation.conversation import Conversation
from priorcase.reasoning.conversation.question import Choice, Question
from priorcase.reasoning.conversation.transcript import Transcript, TranscriptLine

__all__ = ["Choice", "Conversation", "Question", "Transcript", "TranscriptLine"]
