"""What the grounding study's figures share: the conditions of training by name,
and the ticks of logarithmic axes.
"""

from collections.abc import Mapping

from matplotlib.ticker import StrMethodFormatter

from mechaware.instruments.grounding.names import CONDITIONS

LABELS: Mapping[str, str] = {name: f"trained: {label}" for name, label in CONDITIONS.items()}
DECIMAL = StrMethodFormatter("{x:g}")  # by default they are written as powers
