"""Draw the planted items of one seed of a pretrained base, and the corpora of its twins."""

from mechaware.planted.twins.items import VERBATIM
from mechaware.planted.twins.planted_files import write_planted
from mechaware.planted.twins.planting import plant
from scripts.command import Output


def main(
    *,
    items_per_cell: int,
    doses: list[int],
    canary_dose: int,
    kind_prompts: int,
    fresh_questions: int,
    twin_lines: int,
    seed: int,
    planted: Output,
    truth: Output,
) -> None:
    """Write items, corpora and questions for measurements to the folder `planted`, and the counts
    of the items to `truth`.
    """
    drawn = plant(
        per_cell=items_per_cell,
        conditions=[(VERBATIM, dose) for dose in doses],
        canary_dose=canary_dose,
        kind_prompts=kind_prompts,
        fresh=fresh_questions,
        twin_lines=twin_lines,
        seed=seed,
    )
    write_planted(drawn, planted, truth)
