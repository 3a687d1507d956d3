"""What patching gives where the result is known: a test of the instrument on the user's model."""

from collections.abc import Collection
from typing import NamedTuple

from mechaware.instruments.grounding.rules import PairMeasurements


class SelfTest(NamedTuple):
    """The largest errors of logit differences over all pairs, in logits.

    - `unpatched`: of runs without a patch, against the model's own logits.
    - `patched`: of runs in which all of the word is patched (its embedding, or its keys and values in all blocks),
      against the other prompt's run, which gave them. None if the words of every pair differ in length: then no patch
      gives the other prompt's run.
    """

    unpatched: float
    patched: float | None

    @property
    def sentence(self) -> str:
        """The result in a sentence."""
        own = (
            "Self-test on this model: without a patch, logit differences differ from those of the model itself by "
            f"at most {self.unpatched:.0e}"
        )
        if self.patched is None:
            return own
        return (
            f"{own}; with all of the word patched, they differ from those of the other prompt by at most "
            f"{self.patched:.0e}"
        )


def self_test(measurements: PairMeasurements, unequal: Collection[str] = ()) -> SelfTest:
    """The self-test, from the measurements that the rules read.

    `unequal`: the ids of the pairs whose words differ in length.
    """
    own = measurements.answers.pivot(index="pair", columns="prompt", values="diff")
    embedding = measurements.patching[measurements.patching["layer"] == 0].set_index("pair")
    unpatched = [
        (embedding["clean_diff"] - own["clean"]).abs().max(),
        (embedding["corrupted_diff"] - own["corrupted"]).abs().max(),
    ]

    embedding = embedding[~embedding.index.isin(unequal)]
    if embedding.empty:
        return SelfTest(float(max(unpatched)), None)

    whole = measurements.cuts[measurements.cuts["kind"] == "all"]
    whole = whole[~whole["pair"].isin(unequal)]
    source = whole["clean_diff"].where(whole["mode"] == "denoise", whole["corrupted_diff"])
    patched = [
        (embedding["patched_diff"] - embedding["clean_diff"]).abs().max(),
        (whole["cut_diff"] - source).abs().max(),
    ]
    return SelfTest(float(max(unpatched)), float(max(patched)))
