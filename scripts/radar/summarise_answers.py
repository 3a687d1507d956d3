"""Count a model's right answers, and RADAR's verdicts on them, by label."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.identity import from_sets
from mechaware.radar.schemas import ANSWERS
from mechaware.radar.study.summaries import answer_counts, read_predictions
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_sets: list[str],
    answers: list[Path],
    predictions: list[Path],
    confidence_level: float,
    out: Output,
) -> None:
    """Write one row per prompt set and label; `answers` and `predictions` are those of each set."""
    counts = [
        answer_counts(read_csv(answered, ANSWERS), read_predictions(predicted), level=confidence_level)
        for answered, predicted in zip(answers, predictions, strict=True)
    ]
    write_csv(from_sets(counts, model, prompt_sets), out)


if __name__ == "__main__":
    run(main)
