"""Take the quotes of a judge's YES statuses out of a paper and ask the judge again."""

from pathlib import Path

import pandas as pd

from mechaware.claims.judges.kinds import open_judge
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.records import PaperText, Scores, read_record
from mechaware.claims.trust.removal import COLUMNS, remove_evidence
from mechaware.frames import write_csv
from scripts.command import Output, SideOutput, run


def main(
    *,
    text: Path,
    flags: Path,
    scores: Path,
    prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    seed: int,
    responses: SideOutput,
    out: Output,
) -> None:
    """Write a row for each status at YES whose quote the paper has."""
    about, content = read_record(PaperText, flags), text.read_text(encoding="utf-8")
    claims = read_record(Scores, scores).claims
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        rows = pd.DataFrame(remove_evidence(judge, content, about, claims, seed=seed), columns=COLUMNS)
    write_csv(rows.assign(judge=settings.name, paper=about.paper), out)


if __name__ == "__main__":
    run(main)
