"""Controls of the trust study: judges of known trust, with which measured judges are compared."""

from collections.abc import Mapping

from mechaware.core.seeds import derive_seed
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    STATUSES,
    Status,
    encode_statuses,
)
from mechaware.verdicts.trust.trials import Answer, Variant

CEILING = "key of the plan"  # the name of the control that knows the truth
FLOOR = "always PARTIAL"
SEED_OF = ", seed "  # separates a control's name from the seed, where one control has several seeds
RANDOM_SEEDS = 5


def controls(seed: int) -> Mapping[str, Answer]:
    """By name, the controls: the truth, PARTIAL throughout, and random statuses by seed."""
    answers: dict[str, Answer] = {CEILING: _true_answer, FLOOR: _always_partial}
    for number in range(RANDOM_SEEDS):
        answers[f"at random{SEED_OF}{number}"] = _at_random(seed, number)
    return answers


def _true_answer(variant: Variant, _run: int) -> list[str]:
    return [variant.truth[number] for number in variant.claims]


def _always_partial(variant: Variant, _run: int) -> list[str]:
    partial: dict[str, Status | None] = dict.fromkeys(CRITERIA, "PARTIAL")
    return [encode_statuses(partial)] * len(variant.claims)


def _at_random(seed: int, number: int) -> Answer:
    """The control that draws a status for each criterion of a claim, anew for each text and run."""
    seed_of_control = derive_seed(seed, "at random", number)

    def answer(variant: Variant, run: int) -> list[str]:
        answers = []
        for claim in variant.claims.values():
            seed_of_claim = derive_seed(seed_of_control, variant.text, claim.statement, run)
            statuses: dict[str, Status | None] = {}
            for code in CRITERIA:
                drawn = derive_seed(seed_of_claim, code) % len(STATUSES)
                statuses[code] = STATUSES[drawn]
            answers.append(encode_statuses(statuses))
        return answers

    return answer
