"""How far the prompts `v1` press a judge's statuses downwards: the same claims judged with and
without those sentences.

Run `.venv/bin/python -m benchmarks.prompt_pressure --judge smollm2 --weights
results/downloads/NAME.gguf` after `make results`. It judges the run's planted papers twice, by the
prompts as they are and by a copy that lacks the sentences of `PRESSING`, prints what it found, and
writes the judge's row of docs/measured/claims_pressure.csv.

Everything else is the same for both: papers, criteria, settings, runs, and the claims, which are
found once, by the prompts as they are. A status that rises without a sentence was pressed down by
it; by how much a judge errs anyway is on its card.
"""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
import tyro
from tqdm import tqdm

from exhibits.claims.schemas import PRESSURE
from exhibits.report.origin import origin_today
from mechaware.core.errors import UserError
from mechaware.core.frames import read_csv, write_csv
from mechaware.core.git_repository import REPOSITORY, git_state
from mechaware.core.stats.intervals import mean_interval
from mechaware.doors.claims.library import settings_of
from mechaware.instruments.claims.judges.judge import Judge
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.criteria import VALUE
from mechaware.instruments.claims.rubric.records import Claim, PaperText, Run, read_record

PROMPTS = REPOSITORY / "config/judge_prompts/v1"
MEASURED = REPOSITORY / "docs/measured/claims_pressure.csv"
CONFIDENCE_LEVEL = 0.95

Question = tuple[str, int, str, str]  # paper, run, claim, criterion

# By file, the sentence or clause that asks for the lower status, as it stands in the file.
PRESSING = {
    "system.md": " Between two statuses give the lower one.",
    "criteria_small.md": " In doubt, the lower.",
    "judge_claim_again.md": "; if no passage shows it, the status is NO",
}


@dataclass(frozen=True)
class Pressure:
    """Statuses by both versions of the prompts: NO is 0, PARTIAL 0.5 and YES 1.

    `difference` is the mean without the sentences minus the mean with them, with a t interval over
    papers. `raised` and `lowered` are the shares of statuses that rise and fall when the sentences
    are gone.
    """

    papers: int
    statuses: int
    with_them: float
    without_them: float
    difference: float
    difference_low: float
    difference_high: float
    raised: float
    lowered: float


def without_pressing(source: Path, copy: Path) -> list[Path]:
    """Copy the prompts of the folder `source` to `copy`, less the sentences of `PRESSING`. Returns
    the copied files.

    Raises `ValueError` for a file that does not have its sentence exactly once.
    """
    shutil.copytree(source, copy)
    for name, sentence in PRESSING.items():
        path = copy / name
        text = path.read_text(encoding="utf-8")
        if text.count(sentence) != 1:
            raise ValueError(
                f"{source / name}: {text.count(sentence)} times {sentence!r}, not once"
            )
        path.write_text(text.replace(sentence, ""), encoding="utf-8")
    return prompt_files(copy)


def prompt_files(folder: Path) -> list[Path]:
    """The files of a version of the prompts."""
    return sorted(folder.glob("*.*"))


def values_by_question(paper: str, runs: Sequence[Run]) -> dict[Question, float]:
    """The values of a paper's statuses by question; what is unscored is left out."""
    values = {}
    for run in runs:
        for claim in run.claims:
            for code, judgement in claim.criteria.items():
                if judgement.status is not None:
                    values[paper, run.run, claim.statement, code] = VALUE[judgement.status]
    return values


def compare(
    with_them: dict[Question, float],
    without_them: dict[Question, float],
) -> Pressure:
    """Both versions over the questions that both answered. A paper has one mean, whatever its
    number of claims.

    Raises `UserError` where fewer than two papers have such questions: then there is no interval.
    """
    rows = []
    for question in with_them.keys() & without_them.keys():
        paper = question[0]
        rows.append((paper, with_them[question], without_them[question]))
    answered = pd.DataFrame(rows, columns=["paper", "with_them", "without_them"])
    if answered["paper"].nunique() < 2:
        raise UserError("fewer than two papers have statuses by both versions; judge more papers")

    by_paper = answered.groupby("paper").mean()
    change = (by_paper["without_them"] - by_paper["with_them"]).to_numpy(float)
    interval = mean_interval(change, CONFIDENCE_LEVEL)
    return Pressure(
        papers=len(by_paper),
        statuses=len(answered),
        with_them=float(by_paper["with_them"].mean()),
        without_them=float(by_paper["without_them"].mean()),
        difference=float(change.mean()),
        difference_low=interval.low,
        difference_high=interval.high,
        raised=float(np.mean(answered["without_them"] > answered["with_them"])),
        lowered=float(np.mean(answered["without_them"] < answered["with_them"])),
    )


class Asked(NamedTuple):
    """A planted paper as a judge gets it, and the claims about which it is asked."""

    about: PaperText
    text: str
    claims: Sequence[Claim]


def find_claims(judge: Judge, folders: Sequence[Path]) -> list[Asked]:
    """What a judge finds in papers, folders with text.txt and flags.json;
    a paper without a claim is left out.
    """
    asked = []
    for folder in folders:
        text = (folder / "text.txt").read_text(encoding="utf-8")
        about = read_record(PaperText, folder / "flags.json")
        claims = judge.extract(text, about, 0).claims
        if claims:
            asked.append(Asked(about, text, claims))
    return asked


def judge_given_claims(judge: Judge, asked: Sequence[Asked], runs: int) -> dict[Question, float]:
    """The values of the statuses that a judge gives to known claims in `runs` runs."""
    values: dict[Question, float] = {}
    for about, text, claims in tqdm(asked, unit="paper"):
        judged = [judge.judge_claims(text, about, claims, run) for run in range(runs)]
        values |= values_by_question(about.paper, judged)
    return values


def measure_pressure(
    settings: JudgeSettings,
    folders: Sequence[Path],
    *,
    responses: Path,
    weights: Sequence[Path],
    runs: int,
) -> Pressure:
    """Judge papers, folders with text.txt and flags.json, by both versions of the prompts, and
    compare the statuses.

    `weights` holds the GGUF file of an embedded judge, or is empty. Raises `UserError` as `compare`
    does, and as opening a judge does.
    """
    opened = partial(open_judge, settings, responses=responses, weights=weights)
    with opened(prompts=prompt_files(PROMPTS)) as judge:
        asked = find_claims(judge, folders)
        with_them = judge_given_claims(judge, asked, runs)

    with TemporaryDirectory() as scratch:
        unpressed = without_pressing(PROMPTS, Path(scratch) / "prompts")
        with opened(prompts=unpressed) as judge:
            without_them = judge_given_claims(judge, asked, runs)
    return compare(with_them, without_them)


def main(
    *,
    judge: str,
    weights: Path | None = None,
    results: Path = REPOSITORY / "results",
    responses: Path = REPOSITORY / "judge_responses",
    runs: int = 3,
    out: Path = MEASURED,
) -> None:
    """Judge all planted papers of `results` by both versions, and write the judge's row.

    Args:
        judge: A name of config/judges.yaml, or the address of a model, such as ollama/llama3.2.
        weights: The GGUF file of an embedded judge.
        results: Of a finished run.
        responses: Where replies are kept; no reply is asked for twice.
        runs: Of each paper and version.
        out: The table; other judges' rows stay.

    Raises:
        UserError: `results` has no planted papers, or what `measure_pressure` raises.
    """
    settings = settings_of(judge)
    folders = sorted((results / "claims/papers").glob("planted-*"))
    if not folders:
        raise UserError(f"{results}: no planted papers; run `make results` first")
    command = f"python -m benchmarks.prompt_pressure --judge {judge}"
    origin = origin_today(git_state(), out.name, command)

    pressure = measure_pressure(
        settings,
        folders,
        responses=responses,
        weights=[] if weights is None else [weights],
        runs=runs,
    )

    row = {"judge": settings.name, **asdict(pressure), **origin._asdict()}
    print(pd.Series(row).to_string())
    write_csv(with_row(out, row), out)


def with_row(path: Path, row: dict[str, object]) -> pd.DataFrame:
    """The table at `path`, if there is one, with the row of a judge in place of
    the judge's older one.
    """
    added = pd.DataFrame([row])
    if not path.exists():
        return added
    known = read_csv(path, PRESSURE)
    others = known[known["judge"] != row["judge"]]
    return pd.concat([others, added], ignore_index=True) if len(others) else added


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
