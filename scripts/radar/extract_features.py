"""Compute RADAR's features from a prompt set's activations."""

from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.feature_extraction.features import FEATURES, summary_table
from mechaware.instruments.radar.identity import IDENTITY
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.activations import iterate_summaries, read_prompt_ids
from scripts.command import Output


def main(
    *,
    activations: Path,
    prompts: Path,
    specialised_head_entropy: float,
    entropy_sum: Output,
    entropy_mean: Output,
) -> None:
    """Write id, label, category, n_tokens and all features of each prompt, in the order of the CSV
    `prompts`.

    There are two tables: attention entropies are summed in `entropy_sum` and averaged in
    `entropy_mean`. Raises `UserError` if the activations were captured from other prompts than
    those of the CSV `prompts`, and for what `summary_table` refuses.
    """
    rows = read_prompts(prompts)
    if read_prompt_ids(activations) != [row.id for row in rows]:
        raise UserError(
            f"{activations}: captured from other prompts than {prompts} holds now; capture them again"
        )
    summaries = list(iterate_summaries(activations))
    identity = {
        "id": [row.id for row in rows],
        "label": [row.label for row in rows],
        "category": [row.category for row in rows],
    }
    for reduction, out in {"sum": entropy_sum, "mean": entropy_mean}.items():
        table = summary_table(
            summaries, reduction=reduction, specialised_head_entropy=specialised_head_entropy
        )
        write_parquet(table.assign(**identity)[[*IDENTITY, *FEATURES]], out)
