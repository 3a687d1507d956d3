"""What patching gives where the result is known: a test of the instrument on the user's model."""

from typing import NamedTuple

from mechaware.instruments.grounding.rules import PairMeasurements


class SelfTest(NamedTuple):
    """The largest errors over all pairs, of logit differences, in logits.

    `unpatched`: of runs without a patch, against the model's own logits. `patched`: of runs in which all of the word is
    patched, its embedding or its keys and values in all blocks, against the run of the prompt that they come from.
    """

    unpatched: float
    patched: float

    @property
    def sentence(self) -> str:
        """The result in a sentence."""
        return (
            f"Self-test on this model: without a patch, logit differences are its own up to {self.unpatched:.0e}; with "
            f"all of the word patched, they are those of the other prompt up to {self.patched:.0e}"
        )


def self_test(measurements: PairMeasurements) -> SelfTest:
    """The self-test, from what is measured for the rules."""
    own = measurements.answers.pivot(index="pair", columns="prompt", values="diff")
    embedding = measurements.patching[measurements.patching["layer"] == 0].set_index("pair")
    unpatched = [
        (embedding[f"{prompt}_diff"] - own[prompt]).abs().max() for prompt in ("clean", "corrupted")
    ]

    whole = measurements.cuts[measurements.cuts["kind"] == "all"]
    source = whole["clean_diff"].where(whole["mode"] == "denoise", whole["corrupted_diff"])
    patched = [
        (embedding["patched_diff"] - embedding["clean_diff"]).abs().max(),
        (whole["cut_diff"] - source).abs().max(),
    ]
    return SelfTest(float(max(unpatched)), float(max(patched)))
