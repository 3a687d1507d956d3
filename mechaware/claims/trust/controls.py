"""What judges of known trust answer, to stand beside those that are measured."""

from collections.abc import Mapping

from mechaware.claims.rubric.criteria import CRITERIA, STATUSES, encode_statuses
from mechaware.claims.trust.trials import Answer, Variant
from mechaware.seeds import derive_seed

CEILING = "key of the plan"  # the name of the control that knows the truth
FLOOR = "always PARTIAL"
SEED_OF = ", seed "  # parts the name of a control from the seed, where several seeds stand for one control
RANDOM_SEEDS = 5


def controls(seed: int) -> Mapping[str, Answer]:
    """By name: the truth, the same status throughout, and one at random for each text, by several seeds."""
    return {
        CEILING: lambda variant, _: [variant.truth[number] for number in variant.claims],
        FLOOR: lambda variant, _: [encode_statuses(dict.fromkeys(CRITERIA, "PARTIAL")) for _ in variant.claims],
        **{f"at random{SEED_OF}{number}": _at_random(seed, number) for number in range(RANDOM_SEEDS)},
    }


def _at_random(seed: int, number: int) -> Answer:
    own = derive_seed(seed, "at random", number)

    def answer(variant: Variant, run: int) -> list[str]:
        drawn = [derive_seed(own, variant.text, claim.statement, run) for claim in variant.claims.values()]
        return [
            encode_statuses({code: STATUSES[derive_seed(draw, code) % len(STATUSES)] for code in CRITERIA})
            for draw in drawn
        ]

    return answer
