"""Name the blocks in which each run reads the schema word, by each instrument,
and score them on matched controls.
"""

from pathlib import Path

from exhibits.grounding.localisation import named_places, score_places
from mechaware.core.frames import read_parquets, write_parquet
from scripts.command import Output


def main(
    *,
    measured: list[Path],
    attribution: list[Path],
    tau: float,
    alpha: float,
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    places: Output,
    localisation: Output,
) -> None:
    """Write the `places` of all runs, and the `localisation` of the matched controls.

    `measured` are the folders of the runs' measurements. `attribution` has what heads contribute,
    in the matched controls and in the trained models.
    """
    patching = read_parquets([folder / "patching.parquet" for folder in measured])
    cuts = read_parquets([folder / "cuts.parquet" for folder in measured])

    of_heads = read_parquets(attribution)
    named = named_places(patching, cuts, of_heads, tau=tau, alpha=alpha)
    write_parquet(named, places)

    scored = score_places(
        named, confidence_level=confidence_level, resamples=bootstrap_resamples, seed=seed
    )
    write_parquet(scored, localisation)
