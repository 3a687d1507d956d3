"""The claims study's public functions on one paper, in memory.

`read` gives a paper's text, `passages` what to read on each criterion, and `score` the Claim
Validity Score by a judge. Section numbers, such as 3.3, and the 27 criteria are those of the paper
that proposes the score (CITATION.cff).
"""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.files import sha256
from mechaware.core.library import CONFIG
from mechaware.core.schema import check_choice
from mechaware.core.yaml_files import read_yaml
from mechaware.instruments.claims.aid.candidates import (
    aid_criteria,
    candidate_passages,
    criteria_of_rubric,
)
from mechaware.instruments.claims.fetching.papers import Source, own_paper
from mechaware.instruments.claims.fetching.sources import fetch
from mechaware.instruments.claims.judges.addresses import read_address
from mechaware.instruments.claims.judges.judge import independent_runs
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.judges.settings import JudgeSettings, judge_settings
from mechaware.instruments.claims.reading.passages import split_passages
from mechaware.instruments.claims.reading.places import place_of
from mechaware.instruments.claims.reading.text import extract_text
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import PaperText, Scores
from mechaware.instruments.claims.rubric.rubric import read_rubric
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.voting import vote
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.supported import (
    Judging,
    PaperEvidence,
    judge_support,
    supported_procedure,
)
from mechaware.verdicts.verdict import Verdict

# As in config/config.yaml.
PROMPTS = "v1"
RUNS = 3
MIN_SIMILARITY = 0.5
RESPONSES = "judge_responses"
MAX_PAGES = 50
CONFIDENCE_LEVEL = 0.95

EXAMPLE_ADDRESS = "ollama/llama3.2"  # of a judge, in a message


class ScoredPaper(NamedTuple):
    """A paper's claims and what the evidence for them is worth.

    - `claims`: a row per claim: statement, system (whether it is about the whole mechanism), score
      and tier.
    - `statuses`: a row per claim, a column per criterion: YES, PARTIAL or NO; missing where the
      judge gave no usable reply.
    - `score`: the Claim Validity Score, 0 to 10, of the system-level claim with the highest score
      (where replies are missing, its lower bound); None without such a claim, or where missing
      replies leave the score open.
    - `tier`: that claim's evidence tier; None likewise.
    - `record`: all that the workflow's scores.json holds, with the evidence of each status.
    - `verdict`: whether the evidence supports the claims, or why this judge cannot tell, with the
      judge's error rates on planted papers.
    """

    claims: pd.DataFrame
    statuses: pd.DataFrame
    score: float | None
    tier: str | None
    record: Scores
    verdict: Verdict[PaperEvidence]


def read(paper: str | Path) -> tuple[str, PaperText]:
    """The visible text of a paper, as a judge gets it, and the record of how the text was read.

    The document is read in a child process with limits of memory and time.

    Args:
        paper: A PDF, HTML, text or Markdown file, an http(s) address, or an arXiv identifier.

    Returns:
        The text, and its record. Among the record's fields:

        - `pages` and `flags`;
        - `hidden`: text of the file that judges do not get, each with the reason;
        - `left_out`: passages that a web page shows, but text extraction leaves out;
        - `addresses_judge`: sentences in which the paper addresses its judge.

    Raises:
        UserError: The paper cannot be found, fetched or read.
    """
    entry = own_paper(str(paper), taken=())
    with TemporaryDirectory() as folder:
        document = fetch(
            cast(Source, entry.source), entry.location, entry.title, Path(folder) / "source"
        )
        text, about = extract_text(document, paper=entry.id)

    about.require_readable(str(paper))
    return text, about


def passages(paper: str | Path, rubric: str | Path | None = None) -> pd.DataFrame:
    """The passages of a paper that are likeliest to bear on each criterion, by a search.

    Nobody has judged the passages.

    Args:
        paper: As in `read`.
        rubric: A YAML file with name, statuses (the lowest first) and criteria, in place of the 27
            criteria.

    Returns:
        At most ten rows per criterion, the likeliest first. Columns: criterion (its code), asks
        (its question), page and heading of the passage (missing where they are not known), and
        passage. docs/bring-your-own.md describes the search, and how much it finds on planted
        papers; how much it finds by a rubric of your own is not measured.

    Raises:
        UserError: The paper or the rubric cannot be read.
    """
    if rubric is None:
        criteria = aid_criteria(Prompts.load(prompt_files()).criteria)
    else:
        criteria = criteria_of_rubric(read_rubric(Path(rubric)))

    text, about = read(paper)
    by_criterion = candidate_passages(split_passages(text), criteria)

    rows = []
    for criterion in criteria:
        for passage in by_criterion[criterion.code]:
            page, heading = place_of(passage.start, text, about)
            rows.append((criterion.code, criterion.asks, page, heading, passage.text))
    columns = ["criterion", "asks", "page", "heading", "passage"]
    return pd.DataFrame(rows, columns=columns).astype({"page": "Int64"})


def score(
    paper: str | Path,
    judge: str | Mapping[str, Any] | None = None,
    *,
    runs: int = RUNS,
    responses: str | Path = RESPONSES,
    weights: str | Path | None = None,
) -> ScoredPaper:
    """The Claim Validity Score of a paper (sections 3.3 to 3.7).

    The steps: independent runs of the judge, minimum vote over the runs, leak audit, score.

    Args:
        paper: As in `read`.
        judge: The address of a model, such as ollama/llama3.2 or
            openai/my-model@http://localhost:8000/v1; a name of config/judges.yaml; or a judge's
            settings, which are `name` and the keys of an entry there, such as kind, model and
            api_key_env. Without a judge there is no score: call `passages` for what to read. The
            keyword rules, `lexical`, are what judges are compared with, and no judge of a paper.
        runs: The number of independent runs; N in the score's paper.
        responses: The folder in which a language model's replies are kept: no reply is paid for
            twice.
        weights: The GGUF file of a judge of kind embedded.

    Returns:
        Claims, statuses, score, tier, record and verdict.

    Raises:
        UserError: The paper cannot be read, no judge is given, or the judge is not known, lacks its
            key or gave no usable reply.
    """
    if judge is None:
        raise UserError(
            f"score: no judge; give one, such as judge='{EXAMPLE_ADDRESS}', or call "
            "passages(paper) for what to read on each criterion"
        )
    if runs < 1:
        raise UserError(f"runs: {runs}; write 1 or more")

    settings = settings_of(judge)
    text, about = read(paper)
    judging = Judging(
        prompts=prompt_files(),
        runs=runs,
        vote="minimum",
        claims_found="once",
        least_similarity=MIN_SIMILARITY,
        leak_audit=True,
        devils_advocate="none",
        max_pages=MAX_PAGES,
        level=CONFIDENCE_LEVEL,
    )
    files = [] if weights is None else [Path(weights)]

    with open_judge(
        settings, prompts=judging.prompts, responses=Path(responses), weights=files
    ) as opened_judge:
        judged_runs = list(
            independent_runs(
                opened_judge,
                text,
                about,
                judging.runs,
                claims_found=judging.claims_found,
                at_a_time=settings.calls_at_a_time,
            )
        )
        voted = vote(judged_runs, least_similarity=judging.least_similarity, rule=judging.vote)
        audited = audit(
            voted,
            opened_judge,
            leak_audit=judging.leak_audit,
            devils_advocate=judging.devils_advocate,
        )

    record = score_paper(judged_runs, voted, audited)
    if record.fault is not None:
        raise UserError(
            f"{paper}: not scored by {settings.name} ({record.fault.kind}: {record.fault.message})"
        )

    revision = sha256(files[0]) if files else ""
    verdict = judge_support(
        record,
        about,
        supported_procedure(settings, judging, revision),
        read_calibration(CONFIG / "calibration/judges.csv"),
        confidence_level=CONFIDENCE_LEVEL,
    )

    return ScoredPaper(
        claims=_claims_table(record),
        statuses=_statuses_table(record),
        score=record.cvs,
        tier=record.tier,
        record=record,
        verdict=verdict,
    )


def _claims_table(record: Scores) -> pd.DataFrame:
    """`ScoredPaper.claims` of a record."""
    rows = []
    for claim, scored in zip(record.claims, record.scored, strict=True):
        rows.append((claim.statement, claim.system, scored.cvs, scored.tier))
    return pd.DataFrame(rows, columns=["statement", "system", "score", "tier"])


def _statuses_table(record: Scores) -> pd.DataFrame:
    """`ScoredPaper.statuses` of a record."""
    rows = []
    for claim in record.claims:
        rows.append([claim.criteria[code].status for code in CRITERIA])
    return pd.DataFrame(rows, columns=list(CRITERIA))


def prompt_files() -> list[Path]:
    """The files of the version `PROMPTS` of the judges' prompts."""
    return sorted((CONFIG / "judge_prompts" / PROMPTS).glob("*.*"))


def settings_of(judge: str | Mapping[str, Any]) -> JudgeSettings:
    """The settings of a judge.

    Args:
        judge: A name of config/judges.yaml, the address of a model, or a judge's settings, as for
            `score`.

    Raises:
        UserError: No judge has this name, or the settings have an unknown key or lack name or kind.
    """
    if isinstance(judge, str):
        addressed = read_address(judge)
        if addressed is not None:
            return judge_settings(addressed.name, dict(addressed.entry))
        listed = read_yaml(CONFIG / "judges.yaml", "config/judges.yaml")
        check_choice(judge, listed, "judge", "config/judges.yaml")
        return judge_settings(judge, listed[judge])

    entry = dict(judge)
    # An entry of config/judges.yaml may have a label, for tables and figures alone.
    known_keys = {"label": None}
    for field in fields(JudgeSettings):
        known_keys[field.name] = None
    for key in entry:
        check_choice(key, known_keys, "judge", "a judge's keys")
    missing = {"name", "kind"} - entry.keys()
    if missing:
        raise UserError(
            f"judge: no {min(missing)}; a judge's settings are its name and the keys of "
            "config/judges.yaml"
        )
    return judge_settings(entry.pop("name"), entry)
