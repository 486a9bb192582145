"""Which attributes matter: weights for the axes of a distance, learned from the stored rows."""

from priorcase.relevance.bayes import Bayes
from priorcase.relevance.gain_ratio import GainRatio
from priorcase.relevance.leave_one_out import LeaveOneOut
from priorcase.relevance.mutual_information import MutualInformation
from priorcase.relevance.relief import Relief
from priorcase.relevance.table import AttributeWeights

__all__ = ["AttributeWeights", "Bayes", "GainRatio", "LeaveOneOut", "MutualInformation", "Relief"]
