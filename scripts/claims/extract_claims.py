"""N independent runs of a judge over a paper."""

from pathlib import Path

from mechaware.claims.judges.judging import open_judge
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.records import PaperText, read_record, write_record
from scripts.command import run


def main(
    *,
    text: Path,
    flags: Path,
    prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    responses: Path,
    out: list[Path],
) -> None:
    """Write one run to each of `out`. `prompts` are the files of one folder; `weights` an embedded judge's, or none."""
    about, content = read_record(PaperText, flags), text.read_text(encoding="utf-8")
    with open_judge(settings, prompts=prompts[0].parent, responses=responses, weights=weights) as judge:
        for number, path in enumerate(out):
            write_record(judge.extract(content, about, number), path)


if __name__ == "__main__":
    run(main)
