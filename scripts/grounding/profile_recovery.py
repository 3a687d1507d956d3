"""How much of the gap each layer recovers, under every intervention."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.summaries import recovery_profile
from scripts.command import Output, run


def main(
    *, patching: list[Path], tau: float, confidence_level: float, bootstrap_resamples: int, seed: int, out: Output
) -> None:
    """Write one row per run, intervention and layer."""
    table = recovery_profile(
        read_parquets(patching), tau=tau, level=confidence_level, resamples=bootstrap_resamples, seed=seed
    )
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
