"""Choose the detector on which a verdict on a benchmark rests, on twins of development seeds."""

import json
from pathlib import Path

from exhibits.report.origin import origin_today
from mechaware.core.frames import write_csv
from mechaware.core.levels import significance_at
from mechaware.core.provenance import sidecar
from mechaware.verdicts.choosing import choose, power_and_false_alarms
from mechaware.verdicts.planted_texts import read_planted_models
from mechaware.verdicts.seen_calibration import PLANTED_TEXT
from scripts.command import Output

_COMMAND = "make verdict-detector"


def main(
    *,
    seeds: list[int],
    names_scores: list[Path],
    names_evidence: list[Path],
    docstrings: str,
    docstrings_scores: list[Path],
    docstrings_evidence: list[Path],
    draws: int,
    confidence_level: float,
    seed: int,
    candidates: Output,
) -> None:
    """Write the rows of `power_and_false_alarms`, with the column `chosen`, and with date, machine
    and commit.

    There are two kinds of planted text: questions about invented names (`names_scores`,
    `names_evidence`) and docstrings. `docstrings` is the name of the second kind in a calibration.
    `chosen` is true in the rows of the chosen detector. `draws` and `seed` are those of
    `power_and_false_alarms`.

    Files are in the order of `seeds`; each seed has one file of scores, and twin A's evidence
    before twin B's. The scores must have been made at a commit, which is read from the record next
    to the first file of scores.
    """
    planted = {
        PLANTED_TEXT: read_planted_models(seeds, names_scores, names_evidence),
        docstrings: read_planted_models(seeds, docstrings_scores, docstrings_evidence),
    }
    significance = significance_at(confidence_level)
    table = power_and_false_alarms(planted, draws=draws, significance=significance, seed=seed)

    rows = table.assign(
        chosen=table["detector"] == choose(table, significance), seeds=" ".join(map(str, seeds))
    )
    git = json.loads(sidecar(names_scores[0]).read_text(encoding="utf-8"))["git"]
    origin = origin_today(git, str(names_scores[0]), _COMMAND)
    write_csv(rows.assign(**origin._asdict()), candidates)
