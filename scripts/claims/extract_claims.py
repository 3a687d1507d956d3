"""Judge a paper in N independent runs."""

from pathlib import Path

from mechaware.claims.judges.judge import ClaimsFound, independent_runs, with_progress
from mechaware.claims.judges.kinds import open_judge
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
    claims_found: ClaimsFound,
    responses: SideOutput,
    out: list[Output],
) -> None:
    """Write one run to each of `out`. `prompts` are the files of a version, `weights` an embedded judge's file."""
    about, content = read_record(PaperText, flags), text.read_text(encoding="utf-8")
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        runs = independent_runs(judge, content, about, len(out), claims_found=claims_found)
        shown = with_progress(f"{settings.name}, {about.paper}", runs, len(out))
        for record, path in zip(shown, out, strict=True):
            write_record(record, path)


if __name__ == "__main__":
    run(main)
