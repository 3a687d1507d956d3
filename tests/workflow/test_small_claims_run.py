"""The claims study's outputs of one small real run agree with each other, from the planted truth to
a page: votes and audits, the calls and quotes of the embedded judge, the table of planted papers,
and the report on a user's own paper.
"""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    LEAK_PRONE,
    STATUSES,
    VALUE,
)
from mechaware.instruments.claims.rubric.records import Audited, Run, Scores, Voted, read_record
from tests.checkout import REPOSITORY, Checkout

PAPERS = ("planted-01", "planted-02")
# The only paper that the embedded judge reads (`embedded_planted_papers` of config/test.yaml).
EMBEDDED_PAPER = PAPERS[0]
RUNS = (0, 1)


@pytest.fixture
def claims(finished: Checkout) -> Path:
    """The folder of the study's results in the small run, whose only judge is the lexical rules."""
    return finished.folder / "results/claims"


@pytest.fixture
def claims_with_embedded(embedded: Checkout) -> Path:
    """The folder of the study's results in the run with the embedded model as a second judge."""
    return embedded.folder / "results/claims"


@pytest.mark.parametrize("paper", PAPERS)
def test_a_voted_status_is_the_least_of_its_runs_and_the_audit_lowers_only_claims_about_parts(
    claims: Path, paper: str
) -> None:
    check_vote_and_audit(claims / f"judgements/lexical/{paper}")


@pytest.mark.gate
def test_the_vote_and_the_audit_treat_the_embedded_judges_runs_alike(
    claims_with_embedded: Path,
) -> None:
    check_vote_and_audit(claims_with_embedded / f"judgements/smollm2/{EMBEDDED_PAPER}")


def check_vote_and_audit(folder: Path) -> None:
    """The vote on each criterion is the least status in the runs that have the claim.

    The audit changes a status only to NO, only of a claim about a part of the system, and only on a
    criterion where evidence of the whole system is most often credited to a part (`LEAK_PRONE`).
    """
    runs = [read_record(Run, folder / f"run-{number}.json") for number in RUNS]
    voted = read_record(Voted, folder / "voted.json")
    audited = read_record(Audited, folder / "audited.json")

    assert [run.fault for run in runs] == [None, None]
    assert voted.claims
    for claim, audited_claim in zip(voted.claims, audited.claims, strict=True):
        for code in CRITERIA:
            statuses = []
            for run, index in zip(runs, claim.runs, strict=True):
                if index is not None:  # the run has this claim
                    statuses.append(run.claims[index].criteria[code].status)
            scored = [status for status in statuses if status is not None]
            least = min(scored, key=STATUSES.index, default=None)
            assert claim.criteria[code].status == least

            audited_status = audited_claim.criteria[code].status
            if audited_status != least:
                assert not audited_claim.system
                assert code in LEAK_PRONE
                assert audited_status == "NO"


@pytest.mark.gate
def test_each_run_of_the_embedded_judge_has_calls_of_its_own(
    embedded: Checkout, claims_with_embedded: Path
) -> None:
    """At least one call for each dimension of its one claim, and in run 0 a further call that finds
    the claim; a question without a usable reply is asked again. The store has no other replies.
    """
    folder = claims_with_embedded / f"judgements/smollm2/{EMBEDDED_PAPER}"
    least_calls = {0: len(DIMENSIONS) + 1, 1: len(DIMENSIONS)}
    for number in RUNS:
        run = read_record(Run, folder / f"run-{number}.json")
        assert run.usage.calls >= least_calls[number]
        assert run.usage.cost == 0.0
        assert len(run.claims) == 1

    store = embedded.folder / "judge_responses/smollm2"
    replies = [json.loads(path.read_text()) for path in store.glob("*.json")]

    assert {reply["run"] for reply in replies} == set(RUNS)
    assert read_record(Scores, folder / "scores.json").usage.calls == len(replies)


def test_the_planted_table_follows_from_the_truth_and_the_lexical_judges_scores(
    claims: Path,
) -> None:
    """The row of a judge that always says NO follows from the truth alone. The exact tiers of the
    lexical judge follow from its scores.
    """
    truths = [json.loads((claims / f"sources/{paper}.truth.json").read_text()) for paper in PAPERS]
    levels = []
    for truth in truths:
        for claim in truth["claims"]:
            levels += claim["levels"].values()

    table = pd.read_csv(claims.parent / "tables/claims_planted.csv", keep_default_na=False)
    table = table[table["criterion"] == ""].set_index(["judge", "stage"])
    always_no = table.loc[("always NO", "")]
    lexical = table.loc[("lexical", "audited")]
    n_claims = sum(len(truth["claims"]) for truth in truths)

    assert int(always_no["n"]) == len(levels) == len(CRITERIA) * n_claims
    assert float(always_no["exact"]) == pytest.approx(levels.count("NO") / len(levels))

    mean_level = sum(VALUE[level] for level in levels) / len(levels)
    assert float(always_no["bias"]) == pytest.approx(-mean_level)

    # NO throughout gives every paper the lowest tier.
    true_tiers = [truth["tier"] for truth in truths]
    assert int(always_no["tier_exact"]) == true_tiers.count("Proposed")
    assert int(lexical["tier_always_no"]) == int(always_no["tier_exact"])

    n_exact = 0
    for paper, true_tier in zip(PAPERS, true_tiers, strict=True):
        scores = read_record(Scores, claims / f"judgements/lexical/{paper}/scores.json")
        n_exact += scores.tier == true_tier
    assert int(lexical["tier_exact"]) == n_exact


@pytest.mark.gate
def test_every_quote_of_the_embedded_judge_is_from_the_paper(claims_with_embedded: Path) -> None:
    """The claim is a statement of the text. A quote is None if the paper does not have it; a
    criterion has quotes exactly if its status is PARTIAL or YES.
    """
    text = (claims_with_embedded / f"papers/{EMBEDDED_PAPER}/text.txt").read_text()
    folder = claims_with_embedded / f"judgements/smollm2/{EMBEDDED_PAPER}"
    (claim,) = read_record(Run, folder / "run-0.json").claims

    assert claim.statement in " ".join(text.split())

    for judgement in claim.criteria.values():
        assert None not in judgement.quotes
        assert bool(judgement.quotes) == (judgement.status in ("PARTIAL", "YES"))


@pytest.mark.gate
def test_one_line_in_the_list_of_papers_adds_a_paper_that_is_judged_alone(
    tree: Checkout, tmp_path: Path
) -> None:
    """`snakemake results/claims/mine` reports on that paper, by every judge of the config, as JSON,
    tables and a page.
    """
    claims = tree.folder / "results/claims"
    (pdf,) = (claims / "sources/planted-02").glob("*.pdf")
    shutil.copy(pdf, tmp_path / "mine.pdf")
    with (tree.folder / "config/papers.csv").open("a") as listed:
        listed.write(f"mine,file,{tmp_path / 'mine.pdf'},,,\n")
    run = tree.snakemake("--cores", "all", "results/claims/mine")
    done = set(re.findall(r"^(?:local)?rule (\w+):", run.stderr, re.M))

    assert done == {"fetch_paper", "extract_text", "judge_paper", "report_paper"}

    page = (claims / "mine/index.html").read_text()
    # How reliable the judge is comes from the committed table of the default run, because
    # `claims/measured` in the config names no table of this run.
    measured = pd.read_csv(REPOSITORY / "docs/measured/claims_planted.csv", keep_default_na=False)
    row = measured.set_index(["judge", "stage", "criterion"]).loc[("lexical", "audited", "")]
    right = int(row["tier_exact"])
    n_papers = int(row["tier_n"])
    too_low = int(row["tier_down"])

    assert f"tier right on {right} of {n_papers} planted papers (always NO: " in page
    assert f"{too_low} too low; " in page
    # The heading of a paper without a title is its id.
    assert ">mine</h1>" in page

    files = {path.name for path in (claims / "mine").iterdir()}
    assert {Path(name).suffix for name in files} >= {".html", ".md", ".json"}

    own = read_record(Scores, claims / "judgements/lexical/mine/scores.json")
    planted = read_record(Scores, claims / "judgements/lexical/planted-02/scores.json")

    # The same PDF as planted-02, so the same verdict.
    assert own.cvs == planted.cvs
    assert own.claims == planted.claims
