"""How far the prompts `v1` press a judge's statuses downwards.

Three of the prompts have a sentence or clause that asks for the lower status (`PRESSING`). A judge
judges the same claims twice: by the prompts as they are, and by a copy without these sentences.

Run `.venv/bin/python -m benchmarks.prompt_pressure --judge smollm2 --weights
results/downloads/NAME.gguf` after `make results`. It judges the planted papers among the results,
prints both mean statuses and their difference, and writes the judge's row of
docs/measured/claims_pressure.csv.

Both times the papers, criteria, settings and number of runs are the same. So are the claims, which
are found once, by the prompts as they are. If statuses are higher without the sentences, the
sentences press them down. How often a judge errs at all is on its calibration card.
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

# File -> the sentence or clause that asks for the lower status, exactly as in the file.
PRESSING = {
    "system.md": " Between two statuses give the lower one.",
    "criteria_small.md": " In doubt, the lower.",
    "judge_claim_again.md": "; if no passage shows it, the status is NO",
}


class Question(NamedTuple):
    """What a judge gives a status to: a criterion of a claim, in one of the runs over a paper."""

    paper: str
    run: int
    claim: str
    criterion: str


class PaperClaims(NamedTuple):
    """A planted paper as a judge reads it, and the claims that are judged."""

    about: PaperText
    text: str
    claims: Sequence[Claim]


@dataclass(frozen=True)
class Pressure:
    """Statuses with and without the sentences of `PRESSING`: NO is 0, PARTIAL 0.5 and YES 1.

    - `papers`, `statuses`: the numbers of papers and of statuses that are compared.
    - `with_them`, `without_them`: the mean over papers of a paper's mean status, with and without
      the sentences.
    - `difference`: `without_them` minus `with_them`.
    - `difference_low`, `difference_high`: its t interval over papers, at `CONFIDENCE_LEVEL`.
    - `raised`, `lowered`: the shares of statuses that are higher, and lower, without the sentences.
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
    """Copy the prompts of the folder `source` to `copy`, without the sentences of `PRESSING`.

    Returns the copied files. Raises `ValueError` for a file that does not have its sentence exactly
    once.
    """
    shutil.copytree(source, copy)
    for name, sentence in PRESSING.items():
        path = copy / name
        text = path.read_text(encoding="utf-8")
        occurrences = text.count(sentence)
        if occurrences != 1:
            raise ValueError(f"{source / name}: {occurrences} times {sentence!r}, not once")
        path.write_text(text.replace(sentence, ""), encoding="utf-8")
    return prompt_files(copy)


def prompt_files(folder: Path) -> list[Path]:
    """The files of a version of the prompts."""
    return sorted(folder.glob("*.*"))


def values_by_question(paper: str, runs: Sequence[Run]) -> dict[Question, float]:
    """The value of each of a paper's statuses; a question without a status is left out."""
    values: dict[Question, float] = {}
    for run in runs:
        for claim in run.claims:
            for code, judgement in claim.criteria.items():
                if judgement.status is not None:
                    question = Question(paper, run.run, claim.statement, code)
                    values[question] = VALUE[judgement.status]
    return values


def compare(
    with_them: dict[Question, float],
    without_them: dict[Question, float],
) -> Pressure:
    """Compare both versions on the questions to which both gave a status.

    Each paper counts once, by its mean, whatever its number of claims. Raises `UserError` if fewer
    than two papers have such questions: then there is no interval.
    """
    rows = []
    for question in with_them.keys() & without_them.keys():
        rows.append((question.paper, with_them[question], without_them[question]))
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


def find_claims(judge: Judge, folders: Sequence[Path]) -> list[PaperClaims]:
    """The claims that a judge finds in each paper; a paper without a claim is left out.

    A paper is a folder with text.txt and flags.json.
    """
    papers = []
    for folder in folders:
        text = (folder / "text.txt").read_text(encoding="utf-8")
        about = read_record(PaperText, folder / "flags.json")
        claims = judge.extract(text, about, run=0).claims
        if claims:
            papers.append(PaperClaims(about, text, claims))
    return papers


def judge_given_claims(
    judge: Judge, papers: Sequence[PaperClaims], runs: int
) -> dict[Question, float]:
    """The values of the statuses that a judge gives to the papers' claims in `runs` runs."""
    values: dict[Question, float] = {}
    for about, text, claims in tqdm(papers, unit="paper"):
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
    """Judge the papers by both versions of the prompts, and compare the statuses.

    Args:
        settings: The judge.
        folders: The papers: folders with text.txt and flags.json.
        responses: The folder with the stored replies of all judges.
        weights: The GGUF file of an embedded judge, or nothing.
        runs: How often each claim is judged by each version.

    Raises:
        UserError: As for `compare` and `open_judge`.
    """
    open_with = partial(open_judge, settings, responses=responses, weights=weights)
    with open_with(prompts=prompt_files(PROMPTS)) as judge:
        papers = find_claims(judge, folders)
        with_them = judge_given_claims(judge, papers, runs)

    with TemporaryDirectory() as scratch:
        unpressed = without_pressing(PROMPTS, Path(scratch) / "prompts")
        with open_with(prompts=unpressed) as judge:
            without_them = judge_given_claims(judge, papers, runs)
    return compare(with_them, without_them)


def with_row(path: Path, row: dict[str, object]) -> pd.DataFrame:
    """The table at `path` with a judge's row, which replaces the judge's older one, if any.

    A missing file counts as an empty table.
    """
    added = pd.DataFrame([row])
    if not path.exists():
        return added
    known = read_csv(path, PRESSURE)
    others = known[known["judge"] != row["judge"]]
    return pd.concat([others, added], ignore_index=True) if len(others) else added


def main(
    *,
    judge: str,
    weights: Path | None = None,
    results: Path = REPOSITORY / "results",
    responses: Path = REPOSITORY / "judge_responses",
    runs: int = 3,
    out: Path = MEASURED,
) -> None:
    """Judge all planted papers by both versions of the prompts, and write the judge's row.

    Args:
        judge: A name of config/judges.yaml, or the address of a model, such as ollama/llama3.2.
        weights: The GGUF file of an embedded judge.
        results: The folder of results of a finished `make results`.
        responses: The folder with the stored replies of all judges; a stored reply is not asked for
            again.
        runs: How often each claim is judged by each version of the prompts.
        out: The table of all judges; the rows of other judges stay.

    Raises:
        UserError: `results` has no planted papers, or as for `measure_pressure`.
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


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
