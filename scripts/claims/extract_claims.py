"""Judge a paper in N independent runs."""

from pathlib import Path

from mechaware.claims.judges.open import open_judge
from mechaware.claims.judges.progress import with_progress
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.records import PaperText, read_record, write_record
from scripts.command import Output, SideOutput, run


def main(
    *,
    text: Path,
    flags: Path,
    prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    responses: SideOutput,
    out: list[Output],
) -> None:
    """Write one run to each of `out`. `prompts` are the files of a version, `weights` an embedded judge's file."""
    about, content = read_record(PaperText, flags), text.read_text(encoding="utf-8")
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        for number, path in with_progress(f"{settings.name}, {about.paper}", enumerate(out), len(out)):
            write_record(judge.extract(content, about, number), path)


if __name__ == "__main__":
    run(main)
