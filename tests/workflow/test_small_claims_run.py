"""The claims study's outputs of one small real run:
the numbers hold together, from the planted truth to a page.
"""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE, STATUSES, VALUE
from mechaware.instruments.claims.rubric.records import Audited, Run, Scores, Voted, read_record
from tests.checkout import REPOSITORY, Checkout

PAPERS = ("planted-01", "planted-02")
READ = PAPERS[0]  # by the embedded judge: config/test_embedded.yaml
RUNS = (0, 1)


@pytest.fixture
def claims(finished: Checkout) -> Path:
    """The folder of the study's results in the small run."""
    return finished.folder / "results/claims"


@pytest.fixture
def judged(embedded: Checkout) -> Path:
    """The folder of the run in which the embedded model judges, too."""
    return embedded.folder / "results/claims"


@pytest.mark.parametrize("paper", PAPERS)
def test_a_voted_status_is_the_least_of_its_runs_and_the_audit_only_lowers_parts(
    claims: Path, paper: str
) -> None:
    check_vote_and_audit(claims / f"judgements/lexical/{paper}")


@pytest.mark.gate
def test_the_embedded_judges_runs_are_voted_on_and_audited_alike(judged: Path) -> None:
    check_vote_and_audit(judged / f"judgements/smollm2/{READ}")


def check_vote_and_audit(folder: Path) -> None:
    """The vote on each criterion is the least status of the runs that have the claim;
    the audit lowers only leaks.
    """
    runs = [read_record(Run, folder / f"run-{number}.json") for number in RUNS]
    voted = read_record(Voted, folder / "voted.json")
    audited = read_record(Audited, folder / "audited.json")

    assert [run.fault for run in runs] == [None, None]
    assert voted.claims
    for claim, after in zip(voted.claims, audited.claims, strict=True):
        for code in CRITERIA:
            statuses = []
            for run, index in zip(runs, claim.runs, strict=True):
                if index is not None:  # the run has this claim
                    statuses.append(run.claims[index].criteria[code].status)
            scored = [status for status in statuses if status is not None]
            least = min(scored, key=STATUSES.index, default=None)
            assert claim.criteria[code].status == least

            if after.criteria[code].status != least:
                assert not after.system
                assert code in LEAK_PRONE
                assert after.criteria[code].status == "NO"


@pytest.mark.gate
def test_each_run_of_the_embedded_judge_has_calls_of_its_own(
    embedded: Checkout, judged: Path
) -> None:
    """One for each dimension of its one claim, and in run 0 one that finds the claim;
    nothing else is in the store.
    """
    folder = judged / f"judgements/smollm2/{READ}"
    for number in RUNS:
        run = read_record(Run, folder / f"run-{number}.json")
        assert run.usage.calls >= (6 if number == 0 else 5)
        assert (run.usage.cost, len(run.claims)) == (0.0, 1)
    stored = [
        json.loads(path.read_text())
        for path in (embedded.folder / "judge_responses/smollm2").glob("*.json")
    ]

    assert {one["run"] for one in stored} == set(RUNS)
    assert read_record(Scores, folder / "scores.json").usage.calls == len(stored)


def test_the_planted_table_counts_what_the_judges_say_of_the_truth(claims: Path) -> None:
    """The always-NO row from the truth alone, and the lexical judge's main
    claims from its scores.
    """
    truths = [json.loads((claims / f"sources/{paper}.truth.json").read_text()) for paper in PAPERS]
    levels = []
    for truth in truths:
        for claim in truth["claims"]:
            levels += claim["levels"].values()

    table = pd.read_csv(claims.parent / "tables/claims_planted.csv", keep_default_na=False)
    table = table[table["criterion"] == ""].set_index(["judge", "stage"])
    always = table.loc[("always NO", "")]

    assert int(always["n"]) == len(levels) == 27 * sum(len(truth["claims"]) for truth in truths)
    assert float(always["exact"]) == pytest.approx(levels.count("NO") / len(levels))
    mean_level = sum(VALUE[level] for level in levels) / len(levels)
    assert float(always["bias"]) == pytest.approx(-mean_level)
    assert int(always["tier_exact"]) == [truth["tier"] for truth in truths].count("Proposed")
    assert int(table.loc[("lexical", "audited"), "tier_always_no"]) == int(always["tier_exact"])

    tiers = [
        read_record(Scores, claims / f"judgements/lexical/{paper}/scores.json").tier
        for paper in PAPERS
    ]
    exact = sum(tier == truth["tier"] for tier, truth in zip(tiers, truths, strict=True))

    assert int(table.loc[("lexical", "audited"), "tier_exact"]) == exact


@pytest.mark.gate
def test_every_quote_of_the_embedded_judge_is_from_the_paper(judged: Path) -> None:
    text = (judged / f"papers/{READ}/text.txt").read_text()
    (claim,) = read_record(Run, judged / f"judgements/smollm2/{READ}/run-0.json").claims

    assert claim.statement in " ".join(text.split())

    for judgement in claim.criteria.values():
        assert None not in judgement.quotes
        assert bool(judgement.quotes) == (judgement.status in ("PARTIAL", "YES"))


# One paper, of two claims, is too few.
@pytest.mark.gate
def test_one_line_in_the_list_of_papers_makes_a_paper_of_ones_own(
    tree: Checkout, tmp_path: Path
) -> None:
    """`snakemake results/claims/mine`: the paper alone, as JSON, tables and a page,
    by every judge of the config.
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
    # What the judge got right in the default run is shown: `claims/measured` names nothing of this
    # run.
    known = pd.read_csv(REPOSITORY / "docs/measured/claims_planted.csv")
    of_rules = known[(known["judge"] == "lexical") & (known["stage"] == "audited")]
    (row,) = of_rules.dropna(subset="exact").to_dict("records")
    right = int(row["tier_exact"])
    too_low = int(row["tier_down"])

    assert f"tier right on {right} of {int(row['tier_n'])} planted papers (always NO: " in page
    assert f"{too_low} too low; " in page
    # A paper without a title has its id.
    assert ">mine</h1>" in page

    files = {path.name for path in (claims / "mine").iterdir()}
    assert {Path(name).suffix for name in files} >= {".html", ".md", ".json"}

    own = read_record(Scores, claims / "judgements/lexical/mine/scores.json")
    planted = read_record(Scores, claims / "judgements/lexical/planted-02/scores.json")

    # The same file, the same verdict.
    assert own.cvs == planted.cvs
    assert own.claims == planted.claims
