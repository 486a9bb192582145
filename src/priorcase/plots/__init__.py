"""Pictures of models and of what they say: displays with ``.plot(ax=None)`` and ``.frame()``."""
