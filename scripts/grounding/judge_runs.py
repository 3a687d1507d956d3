"""The verdict of both sets of rules on every run, and how often each set is right about the controls."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.verdict import category_table, score_rule_sets, set_table, verdict_table
from scripts.command import Output, run


def main(
    *,
    rules: list[Path],
    answers: list[Path],
    cuts: list[Path],
    alpha: float,
    verdict_share: float,
    confidence_level: float,
    out: Output,
    rule_sets: Output,
    categories: Output,
    block_sets: Output,
) -> None:
    """Write a row per run, per set of rules and measure, per run and category, and per run of its sets of blocks."""
    of_pairs, answered, cut = map(read_parquets, (rules, answers, cuts))
    verdicts = verdict_table(of_pairs, answered, cut, alpha=alpha, verdict_share=verdict_share, level=confidence_level)
    write_csv(verdicts, out)
    write_csv(score_rule_sets(verdicts, level=confidence_level), rule_sets)
    write_csv(category_table(of_pairs, answered), categories)
    write_csv(set_table(cut, alpha=alpha), block_sets)


if __name__ == "__main__":
    run(main)
