"""Plot of attribute weights or relevance, with bootstrap intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from priorcase._parameters import check_seed, check_value, is_whole
from priorcase._typing import Backend, FloatArray, IntArray, Name
from priorcase.bayes.results import Relevance
from priorcase.exceptions import ParameterError, quoted
from priorcase.learning.plotting import INK, MUTED, captions, color, drawing, tint
from priorcase.learning.resampling import bar, taken_rows
from priorcase.learning.results import framed, label_text
from priorcase.local.regressor import LEVEL
from priorcase.plots.display import Display
from priorcase.relevance import AttributeWeights

_SHOWN = 30
_WIDTH = 28


@dataclass(frozen=True, eq=False, repr=False)
class WeightsDisplay(Display):
    """Attribute weights, or posterior probabilities that attributes are relevant; created by `WeightsDisplay.of`.

    ``names`` and ``weights`` are in the order of the columns, and ``meaning`` describes the weights. ``posterior`` is
    True if the weights are probabilities. ``prior`` is the prior probability if it is the same for all attributes, and
    None otherwise. ``draws`` contains the weights of each bootstrap sample, shape (samples, attributes). ``level`` is
    the share of the bootstrap samples that each interval contains.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "blue"], [30, "red"], [62, "blue"], [60, "red"], [65, "blue"]]
    >>> y = ["no", "no", "no", "yes", "yes", "yes"]
    >>> display = WeightsDisplay.of(pc.SubsetAveragedBayes().fit(X, y))
    >>> display.frame()["probability"].round(3).tolist()
    [0.257, 0.037]
    """

    names: tuple[Name, ...]
    weights: FloatArray
    draws: FloatArray
    meaning: str
    posterior: bool = False
    prior: float | None = None
    level: float = 0.9
    backend: Backend | None = None

    @classmethod
    def of(
        cls, model: Any, X: Any = None, y: Any = None, *, bootstrap: int = 0, level: float = 0.9, random_state: Any = 0
    ) -> WeightsDisplay:
        """Create a display of the weights that a model has learned.

        Parameters
        ----------
        model
            A fitted model with ``attribute_weights_`` (neighbors and local models) or ``relevance_``
            (`SubsetAveragedBayes`), or the table in one of these attributes.
        X, y
            The rows and targets from which bootstrap samples are drawn, usually the training data.
        bootstrap
            Number of bootstrap samples, or 0 for no intervals. The model is refitted to each sample, and the intervals
            are quantiles of the weights.
        level
            Share of the samples within an interval.
        random_state
            Random seed for the samples.
        """
        check_value("level", level, LEVEL)
        table = _table(model)
        if not is_whole(bootstrap) or bootstrap < 0 or bootstrap == 1:
            raise ParameterError(
                f"bootstrap must be 0, or an integer >= 2, got {quoted(bootstrap)}. Pass 0 for no "
                "intervals, or 100 for rough intervals."
            )
        draws = np.empty((0, len(table)))
        if bootstrap:
            if X is None or y is None or not hasattr(model, "fit"):
                raise ParameterError(
                    f"bootstrap must be 0 without a model, X and y, got {quoted(bootstrap)}. Bootstrap samples are "
                    "drawn from the rows of X, and the model is fitted to each sample."
                )
            draws = _draws(model, X, y, int(bootstrap), check_seed(random_state))
        if isinstance(table, Relevance):
            inclusion = getattr(model, "inclusion", None)
            prior = float(inclusion) if isinstance(inclusion, (int, float)) else None
            words = "probability that the attribute is relevant"
            return cls(table.labels, table.probabilities, draws, words, True, prior, float(level), table.backend)
        words = f"weight ({table.method})"
        return cls(table.names, table.weights, draws, words, level=float(level), backend=table.backend)

    @property
    def order(self) -> IntArray:
        """Positions of the attributes in descending order of weight; ties are in column order."""
        return np.argsort(-self.weights, kind="stable")

    @property
    def interval(self) -> tuple[FloatArray, FloatArray] | None:
        """Lower and upper bounds of each weight, as quantiles of the bootstrap samples; None without a bootstrap."""
        if not len(self.draws):
            return None
        low, high = np.quantile(self.draws, [(1 - self.level) / 2, (1 + self.level) / 2], axis=0)
        return low, high

    def _summary(self) -> str:
        sampled = f", {len(self.draws)} bootstrap samples" if len(self.draws) else ""
        return f"{self.meaning} of {len(self.names)} attributes{sampled}"

    def frame(self) -> Any:
        """Return a frame with one row per attribute, largest weights first.

        The columns are ``attribute``, ``weight`` or ``probability`` and, with a bootstrap, ``low`` and ``high``.
        """
        order = self.order
        columns: dict[str, Any] = {"attribute": [self.names[a] for a in order.tolist()]}
        columns["probability" if self.posterior else "weight"] = self.weights[order]
        columns |= {name: end[order] for name, end in zip(("low", "high"), self.interval or (), strict=False)}
        return framed(columns, self.backend)

    def plot(self, ax: Any = None) -> Any:
        """Plot the thirty largest weights as dots with their intervals; return the axes."""
        order = self.order[:_SHOWN]
        with drawing(ax, size=(6.0, 0.9 + 0.26 * max(order.size, 5))) as ax:
            places, words = np.arange(order.size), self.meaning
            ax.hlines(places, 0.0, self.weights[order], color=tint(0, 0.45), linewidth=2.2, zorder=2)
            if self.interval is not None:
                low, high = self.interval
                ax.hlines(places, low[order], high[order], color=INK, linewidth=1.0, zorder=4)
                words = f"{words}\nlines: {self.level:.0%} of {len(self.draws)} bootstrap samples"
            ax.plot(self.weights[order], places, "o", color=color(0), markeredgecolor="white", zorder=5, clip_on=False)
            if self.prior is not None:
                ax.axvline(self.prior, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)), zorder=1)
                ax.text(self.prior, -0.75, " prior", color=MUTED, fontsize=8, va="center")
            ax.set_yticks(places, captions([label_text(self.names[a]) for a in order.tolist()], _WIDTH))
            ax.set(xlabel=words, ylim=(order.size - 0.4, -1.0))
            ax.set_xlim(left=0.0, right=1.02 if self.posterior else None)
            ax.tick_params(axis="y", length=0)
            ax.grid(False, axis="y")
            if self.order.size > _SHOWN:
                ax.set_title(f"the {_SHOWN} largest of {self.order.size} weights")
            return ax


def _table(model: Any) -> AttributeWeights | Relevance:
    """Return the table of weights of a model, or the argument itself if it is such a table."""
    if isinstance(model, (AttributeWeights, Relevance)):
        return model
    found = model.relevance_ if hasattr(model, "relevance_") else getattr(model, "attribute_weights_", None)
    if not isinstance(found, (AttributeWeights, Relevance)):
        raise ParameterError(
            f"model must be a fitted model with attribute weights, or a table of weights, got {quoted(model)}. Fit, "
            "for example, KNNClassifier(attribute_weights='relief') or SubsetAveragedBayes()."
        )
    return found


def _draws(model: Any, X: Any, y: Any, samples: int, seed: int) -> FloatArray:
    """Return the weights of models fitted to bootstrap samples of the rows."""
    random, rows = np.random.default_rng(seed), len(model.ids_)
    found = []
    with bar(samples, shown=True, text="bootstrap") as advance:
        for _ in range(samples):
            at = np.sort(random.integers(0, rows, rows))
            table = _table(clone(model).fit(taken_rows(X, at), taken_rows(y, at)))
            found.append(table.probabilities if isinstance(table, Relevance) else table.weights)
            advance("bootstrap")
    return np.array(found)
