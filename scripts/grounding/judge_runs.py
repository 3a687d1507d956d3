"""The verdict of both sets of rules on every run, and how often each set is right about the controls."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.verdict import score_rule_sets, verdict_table
from scripts.command import Output, SideOutput, run


def main(
    *,
    rules: list[Path],
    answers: list[Path],
    cuts: list[Path],
    alpha: float,
    verdict_share: float,
    confidence_level: float,
    out: Output,
    rule_sets: SideOutput,
) -> None:
    """Write one row per run, and one per set of rules and measure."""
    verdicts = verdict_table(
        read_parquets(rules),
        read_parquets(answers),
        read_parquets(cuts),
        alpha=alpha,
        verdict_share=verdict_share,
        level=confidence_level,
    )
    write_csv(verdicts, out)
    write_csv(score_rule_sets(verdicts, level=confidence_level), rule_sets)


if __name__ == "__main__":
    run(main)
