"""The self-test of patching on the user's model: patches whose results are known in advance."""

from collections.abc import Collection
from typing import NamedTuple

from mechaware.instruments.grounding.rules import PairMeasurements


class SelfTest(NamedTuple):
    """The largest errors of logit differences over all pairs, in logits.

    - `unpatched`: runs without a patch, against the model's own logits.
    - `patched`: runs with all of the word patched (its embedding, or its keys and values in all
      blocks), against the run of the prompt that the patch comes from. The patched run equals that
      run only if the pair's two words have equally many tokens; None if no pair has such words.
    """

    unpatched: float
    patched: float | None

    @property
    def sentence(self) -> str:
        """The result in a sentence, without a full stop."""
        without_patch = (
            "Self-test on this model: without a patch, logit differences differ from those of the "
            f"model itself by at most {self.unpatched:.0e}"
        )
        if self.patched is None:
            return without_patch
        return (
            f"{without_patch}; with all of the word patched, they differ from those of the other "
            f"prompt by at most {self.patched:.0e}"
        )


def self_test(measurements: PairMeasurements, unequal: Collection[str] = ()) -> SelfTest:
    """The self-test, from the measurements that the rules read.

    `unequal` has the ids of the pairs whose words differ in length.
    """
    own_diffs = measurements.answers.pivot(index="pair", columns="prompt", values="diff")
    patching = measurements.patching
    # Layer 0 is the embedding.
    embedding = patching[patching["layer"] == 0].set_index("pair")
    unpatched_errors = [
        (embedding["clean_diff"] - own_diffs["clean"]).abs().max(),
        (embedding["corrupted_diff"] - own_diffs["corrupted"]).abs().max(),
    ]
    unpatched = float(max(unpatched_errors))

    equal_embedding = embedding[~embedding.index.isin(unequal)]
    if equal_embedding.empty:
        return SelfTest(unpatched, None)

    # A cut takes the word's keys and values from the other prompt's run; kind `all` does so in all
    # blocks.
    cuts = measurements.cuts
    all_blocks = cuts[(cuts["kind"] == "all") & ~cuts["pair"].isin(unequal)]
    # Denoising patches from the clean run, noising from the corrupted one.
    is_denoised = all_blocks["mode"] == "denoise"
    source_diff = all_blocks["clean_diff"].where(is_denoised, all_blocks["corrupted_diff"])
    patched_errors = [
        (equal_embedding["patched_diff"] - equal_embedding["clean_diff"]).abs().max(),
        (all_blocks["cut_diff"] - source_diff).abs().max(),
    ]
    return SelfTest(unpatched, float(max(patched_errors)))
