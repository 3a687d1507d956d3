"""Where each run reads the schema word: shares by block, the map of the residual stream, and behaviour by place."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.behaviour import behaviour_table
from mechaware.grounding.study.reading import cut_profile, map_profile
from scripts.command import Output, run


def main(
    *,
    cuts: list[Path],
    answers: list[Path],
    residual_maps: list[Path],
    tau: float,
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Output,
    behaviour: Output,
    residual_map: Output,
) -> None:
    """Write the shares by block, the answers by prompt and place, and the recovery by position and layer."""
    level = confidence_level
    write_csv(cut_profile(read_parquets(cuts), tau=tau, level=level, resamples=bootstrap_resamples, seed=seed), out)
    write_csv(behaviour_table(read_parquets(answers), level=level), behaviour)
    write_csv(map_profile(read_parquets(residual_maps)), residual_map)


if __name__ == "__main__":
    run(main)
