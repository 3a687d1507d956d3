"""Compute RADAR's 37 features from a prompt set's activations."""

from pathlib import Path
from typing import Literal

from mechaware.errors import UserError
from mechaware.frames import write_parquet
from mechaware.models.activations import iterate_prompts, read_prompt_ids
from mechaware.radar.features.extraction import feature_table
from mechaware.radar.frames import IDENTITY
from mechaware.radar.prompts import read_prompts
from scripts.command import run


def main(
    *,
    activations: Path,
    prompts: Path,
    reduction: Literal["sum", "mean"],
    specialised_head_entropy: float,
    out: Path,
) -> None:
    """Write id, label, category, n_tokens and the features of every prompt, in the order of the CSV `prompts`."""
    rows = read_prompts(prompts)
    if read_prompt_ids(activations) != [row.id for row in rows]:
        raise UserError(f"{activations}: captured from other prompts than {prompts} holds now; capture them again")
    table = feature_table(
        iterate_prompts(activations), reduction=reduction, specialised_head_entropy=specialised_head_entropy
    )
    for column in ("category", "label", "id"):
        table.insert(0, column, [getattr(row, column) for row in rows])
    write_parquet(table[[*IDENTITY, *table.columns.drop(IDENTITY)]], out)


if __name__ == "__main__":
    run(main)
