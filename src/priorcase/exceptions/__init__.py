"""Every error of the library: what was wrong, what was expected, what to do.

Each class also derives from the builtin that scikit-learn users expect, so ``except ValueError`` keeps working. The
text of a message is composed here, by a class method named after the mistake, and nowhere else. One file for each
concept that one can be mistaken about.
"""

from priorcase.exceptions.base import (
    NotAvailableError,
    NumericRangeError,
    PriorcaseError,
    TooLargeError,
    advice,
    compose,
    errors_at,
    listed,
    locate,
    misspelt,
    nearest,
    prefix_all_errors,
    prefix_errors,
    quoted,
)
from priorcase.exceptions.case_files import CaseBaseBusyError, CaseBaseFileError, CaseKeyError
from priorcase.exceptions.cases import CaseBaseError, CaseValueError, UnknownAttributeError, UnknownCaseError
from priorcase.exceptions.concepts import ForgettingError
from priorcase.exceptions.conformal import ConformalError
from priorcase.exceptions.conversation import ConversationError
from priorcase.exceptions.data import UnsupportedDataError
from priorcase.exceptions.data_sets import DataSetError
from priorcase.exceptions.distances import DistanceError
from priorcase.exceptions.evaluation import EvaluationError
from priorcase.exceptions.exchange import ExchangeError
from priorcase.exceptions.extras import MissingExtraError
from priorcase.exceptions.formats import FormatError
from priorcase.exceptions.function_graphs import FunctionGraphError
from priorcase.exceptions.ids import UnknownIdError
from priorcase.exceptions.local import FarQueryWarning, UnsettledFitWarning
from priorcase.exceptions.measures import MeasureError
from priorcase.exceptions.names import UnknownNameError
from priorcase.exceptions.parameters import ParameterError
from priorcase.exceptions.queries import QueryIndexError
from priorcase.exceptions.reading import ReadingError
from priorcase.exceptions.reports import ReportError
from priorcase.exceptions.retain import RetainError
from priorcase.exceptions.retrieval import ConditionError, RetrievalError, WeightLearningError
from priorcase.exceptions.reuse import ReuseError
from priorcase.exceptions.rows import TooFewRowsError
from priorcase.exceptions.saving import CaseLearnerError, SavingError
from priorcase.exceptions.schema import SchemaError, SchemaMismatchError
from priorcase.exceptions.scores import ScoreError
from priorcase.exceptions.sharing import SharingError
from priorcase.exceptions.targets import TargetError
from priorcase.exceptions.weights import SampleWeightError

__all__ = [
    "CaseBaseBusyError",
    "CaseBaseError",
    "CaseBaseFileError",
    "CaseKeyError",
    "CaseLearnerError",
    "CaseValueError",
    "ConditionError",
    "ConformalError",
    "ConversationError",
    "DataSetError",
    "DistanceError",
    "EvaluationError",
    "ExchangeError",
    "FarQueryWarning",
    "ForgettingError",
    "FormatError",
    "FunctionGraphError",
    "MeasureError",
    "MissingExtraError",
    "NotAvailableError",
    "NumericRangeError",
    "ParameterError",
    "PriorcaseError",
    "QueryIndexError",
    "ReadingError",
    "ReportError",
    "RetainError",
    "RetrievalError",
    "ReuseError",
    "SampleWeightError",
    "SavingError",
    "SchemaError",
    "SchemaMismatchError",
    "ScoreError",
    "SharingError",
    "TargetError",
    "TooFewRowsError",
    "TooLargeError",
    "UnknownAttributeError",
    "UnknownCaseError",
    "UnknownIdError",
    "UnknownNameError",
    "UnsettledFitWarning",
    "UnsupportedDataError",
    "WeightLearningError",
    "advice",
    "compose",
    "errors_at",
    "listed",
    "locate",
    "misspelt",
    "nearest",
    "prefix_all_errors",
    "prefix_errors",
    "quoted",
]

for _name in __all__:
    # Tracebacks show the place users import from.
    globals()[_name].__module__ = __name__
