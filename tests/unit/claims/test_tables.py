"""The table scripts on the small study of test_summaries.py and on the printed figures: every number by hand."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from mechaware.claims.fetching.papers import COLUMNS
from mechaware.claims.planting.records import PlantedPaper
from mechaware.claims.rubric.records import Claim, write_record
from mechaware.frames import write_csv
from mechaware.provenance import sidecar, write_provenance
from scripts.claims import (
    claims_boundaries,
    claims_criteria,
    claims_implied,
    claims_judges,
    claims_main,
    claims_papers,
    claims_per_paper,
    claims_planted,
    claims_single_run,
    summarise_claims,
)
from tests.unit.claims.claims_by_hand import claim
from tests.unit.claims.study.test_summaries import (
    COPY,
    COPY_LEVELS,
    LABELS,
    LEAST,
    LISTED,
    MLP,
    TRUTH,
    YEARS,
    YEARS_LEVELS,
    found,
    records,
    study,
    tables,
)

REPORTED = Path(__file__).resolve().parents[3] / "config/reported"
DRAWS = {"confidence_level": 0.95, "bootstrap_resamples": 200, "seed": 1}
MAIN = {"reported": REPORTED / "claims_main.csv", "reported_papers": REPORTED / "claims_papers.csv"}
SINGLE = MAIN | {"reported": REPORTED / "claims_single_run.csv", "reported_main": REPORTED / "claims_main.csv"}
PER_PAPER = MAIN | {"reported": REPORTED / "claims_per_paper.csv", "reported_claims": REPORTED / "claims_claims.csv"}
JUDGES = {"reported": REPORTED / "claims_judges.csv", "confidence_level": 0.95}
BOUNDARIES = {"reported": REPORTED / "claims_main.csv", "boundary_shift": 0.5, "confidence_level": 0.95}

Table = Callable[..., pd.DataFrame]


def write_summary(folder: Path, of: dict[str, pd.DataFrame]) -> Path:
    for name, table in of.items():
        write_csv(table, folder / f"{name}.csv")
    return folder


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_summary(tmp_path_factory.mktemp("summary"), tables())


@pytest.fixture
def table(summary: Path, tmp_path: Path) -> Table:
    """Run a table script on the study and read what it wrote; the tex must be there, too."""

    def run(main: Callable[..., None], judges: bool = True, **arguments: object) -> pd.DataFrame:
        named = {"summary": summary} | ({"judge_labels": LABELS} if judges else {}) | arguments
        main(**named, out=tmp_path / "t.csv", tex=tmp_path / "t.tex")
        assert "\\toprule" in (tmp_path / "t.tex").read_text()
        return pd.read_csv(tmp_path / "t.csv", keep_default_na=False, na_values={"cvs": [""]})

    return run


def test_the_command_writes_the_summary_of_the_files(tmp_path: Path, summary: Path) -> None:
    paths: dict[str, list[Path]] = {"scores": [], "voted": [], "audited": [], "runs": [], "truth": []}
    for one in study():
        folder = tmp_path / one.scores.judge / one.scores.paper
        for name, record in (("scores", one.scores), ("voted", one.voted), ("audited", one.audited)):
            write_record(record, folder / f"{name}.json")
            paths[name].append(folder / f"{name}.json")
        for run in one.runs:
            write_record(run, folder / f"run-{run.run}.json")
            paths["runs"].append(folder / f"run-{run.run}.json")
    for paper in TRUTH:
        assert isinstance(paper, PlantedPaper)
        paths["truth"].append(tmp_path / f"{paper.paper}.truth.json")
        write_record(paper, paths["truth"][-1])
    papers = tmp_path / "papers.csv"
    pd.DataFrame(LISTED.values(), columns=list(COLUMNS)).to_csv(papers, index=False)
    summarise_claims.main(**paths, papers=papers, judge_labels=LABELS, least_similarity=LEAST, out=tmp_path / "summary")
    written = {path.name: path.read_text() for path in (tmp_path / "summary").iterdir()}
    assert written == {path.name: path.read_text() for path in summary.iterdir()}


def test_claims_main_stacks_the_printed_papers_and_each_judges(table: Table) -> None:
    of = table(claims_main.main, **MAIN)
    assert of["source"].tolist() == ["reported"] * 9 + ["good"] * 4 + ["broken"]
    ioi = of[of["paper"] == "ioi"].set_index("source")
    assert ioi["cvs"].tolist() == pytest.approx([5.6, 10 / 1.8])
    assert ioi["title"].tolist() == ["IOI Circuit", "Interpretability in the Wild"]
    assert ioi["off_by"].astype(str).tolist() == ["0", "0"]
    assert of.set_index(["source", "paper"]).loc[("good", "mine"), "off_by"] == ""
    broken = of[of["source"] == "broken"].iloc[0]
    assert (broken["status"], broken["tier"]) == ("unscored", "")
    assert broken["reason"].startswith("time-out")


def test_claims_single_run_shows_ranges_and_the_spread_of_votes(table: Table) -> None:
    of = table(claims_single_run.main, **SINGLE).set_index(["source", "paper"])
    printed, ours = of.loc[("reported", "ioi")], of.loc[("good", "planted-01")]
    assert [float(printed[name]) for name in ("single_low", "single_high", "single_range", "voted_cvs")] == (
        pytest.approx([5.6, 6.9, 1.3, 5.6])
    )
    assert printed["vote_range"] == ""
    numbers = [float(ours[name]) for name in ("single_low", "single_high", "single_range", "vote_range")]
    assert numbers == pytest.approx([8 / 1.8, 10 / 1.8, 2 / 1.8, 0], abs=1e-9)
    assert (ours["off_low"], ours["off_high"]) == ("0", "0")  # both Mechanistically Supported
    assert of.loc[("broken", "planted-01"), "single_low"] == ""
    assert of.loc[("good", "mine"), "off_low"] == ""


def test_claims_per_paper_has_the_mean_of_the_other_claims_where_all_are_known(table: Table) -> None:
    of = table(claims_per_paper.main, **PER_PAPER).set_index(["source", "paper"])
    # 3.9 is raw 7.0 of 18, 3.3 is raw 6.0: the mean is that of the scores before rounding.
    assert float(of.loc[("reported", "ioi"), "sub_mean"]) == pytest.approx((7 + 3 * 6) / 18 * 10 / 4)
    assert of.loc[("reported", "copy-suppression"), "sub_mean"] == ""  # one of three is not printed
    assert float(of.loc[("good", "ioi"), "sub_mean"]) == pytest.approx(3 / 1.8)
    assert (of.loc[("good", "ioi"), "sub_tier_low"], of.loc[("good", "ioi"), "n_claims"]) == ("Proposed", 2)
    assert of.loc[("good", "planted-02"), ["sub_mean", "sub_low", "sub_tier_low"]].tolist() == ["", "", ""]


def test_claims_judges_has_a_row_for_each_judge(table: Table) -> None:
    of = table(claims_judges.main, **JUDGES)
    assert of["source"].tolist() == ["reported"] * 11 + ["good", "broken"]
    good, broken = of.iloc[-2], of.iloc[-1]
    # Four papers with 2, 1, 2 and 1 claims; of the three with a label 0, +1, 0.
    assert (good["label"], good["papers"], float(good["n_claims"])) == ("Good judge", 4, 1.5)
    assert [int(good[name]) for name in ("labelled", "exact", "within_one")] == [3, 2, 3]
    assert float(good["mean_off_by"]) == pytest.approx(1 / 3)
    assert (good["cvs"], good["tier"]) == (pytest.approx(10 / 1.8), "Mechanistically Supported")
    # Three runs of 2 calls and 0.25 dollars and an audit of 1 call and none, four times.
    assert [int(good[name]) for name in ("calls", "prompt_tokens", "completion_tokens")] == [28, 1200, 120]
    assert (float(good["cost"]), float(good["unscored"]), int(good["failed_audits"])) == (3.0, 0.0, 1)
    assert broken[["exact", "labelled", "unscored"]].tolist() == ["", "", ""]
    assert pd.isna(broken["cvs"])


def test_claims_planted_compares_every_stage_with_the_truth(table: Table) -> None:
    of = table(claims_planted.main, **DRAWS).set_index(["judge", "stage"])
    columns = ["n", "exact", "mae", "bias", "unscored", "leaks", "leaked", "found_claims", "planted_claims"]
    columns += ["tier_n", "tier_exact", "tier_up", "tier_down"]

    def numbers(judge: str, stage: str) -> list[float]:
        return [float(value or "nan") for value in of.loc[(judge, stage), columns].astype(str)]

    # Matched: 2 claims of the first paper and 1 of the second, 81 criteria a run. The second paper's I1 and I2 are too
    # high in every run but for I2 of the last, unscored; the first paper's E5 (+1), I2 (+1) and E5 (+0.5) in run 0,
    # I2 (+1) in run 1, I2 (+0.5) in run 2.
    off = [5, 3, 2], [4.5, 3.0, 1.5]
    single = [242, 232 / 242, sum(off[1]) / 242, sum(off[1]) / 242, 1 / 243, 6, 4, 9, 12, 5, 3, 2, 0]
    assert numbers("good", "single") == pytest.approx(single)
    # The vote keeps I2 at PARTIAL, and both of the second paper's.
    assert numbers("good", "voted") == pytest.approx([81, 78 / 81, 2.5 / 81, 2.5 / 81, 0, 2, 1, 3, 4, 2, 1, 1, 0])
    assert numbers("good", "audited") == pytest.approx([81, 79 / 81, 2 / 81, 2 / 81, 0, 2, 0, 3, 4, 2, 1, 1, 0])
    # Of 108 levels 7 are YES, 2 PARTIAL; 3 leaks. Planted tiers: Mechanistically Supported and Proposed.
    assert numbers("always NO", "") == pytest.approx([108, 99 / 108, 8 / 108, -8 / 108, 0, 3, 0, 4, 4, 2, 1, 0, 1])
    assert numbers("always YES", "") == pytest.approx([108, 7 / 108, 100 / 108, 100 / 108, 0, 3, 3, 4, 4, 2, 0, 2, 0])
    # NO would be right but for 6, 2 and 1 criteria of the three matched claims; one more in a run is unscored.
    assert float(of.loc[("good", "voted"), "always_no"]) == pytest.approx(72 / 81)
    assert float(of.loc[("good", "single"), "always_no"]) == pytest.approx(215 / 242)
    assert float(of.loc[("always YES", ""), "always_no"]) == pytest.approx(99 / 108)
    assert float(of.loc[("always NO", ""), "always_yes"]) == pytest.approx(7 / 108)
    assert of.loc[("good", "audited"), ["found_papers", "papers"]].astype(float).tolist() == [2, 2]
    # Nothing found and nothing scored: two claims in one paper were asked for, three times by the single runs.
    assert of.loc[("broken", "audited"), ["exact", "bias", "leak_rate", "tier_p"]].tolist() == [""] * 4
    asked = [int(of.loc[("broken", stage), "planted_claims"]) for stage in ("single", "voted", "audited")]
    assert (asked, int(of.loc[("broken", "single"), "found_claims"])) == ([6, 2, 2], 0)


@pytest.mark.parametrize(
    ("second", "planted"),
    [
        (found(YEARS, YEARS_LEVELS), 2),
        (found(MLP, {}), 1),  # planted, but about a component
        (claim("Nothing of the kind", ("layer 99",)), 1),
    ],
)
def test_a_main_claim_counts_where_it_is_a_planted_system_claim(
    table: Table, tmp_path: Path, second: Claim, planted: int
) -> None:
    judged = [records("planted-01", [[found(COPY, COPY_LEVELS)]]), records("planted-02", [[second]])]
    summary = write_summary(tmp_path / "two", tables(judged))
    of = table(claims_planted.main, summary=summary, **DRAWS).set_index(["judge", "stage"])
    assert of.loc[("good", "audited"), ["main_found", "papers"]].astype(float).tolist() == [planted, 2]
    assert of.loc[("good", "voted"), "main_found"] == ""


def test_repeated_runs_have_no_interval_that_takes_them_as_independent(table: Table) -> None:
    of = table(claims_planted.main, **DRAWS).set_index(["judge", "stage"])
    dependent = ["leak_low", "leak_high", "tier_exact_low", "tier_within_one_high", "tier_p"]
    assert of.loc[("good", "single"), dependent].tolist() == [""] * 5
    assert all(value != "" for value in of.loc[("good", "audited"), dependent])
    low, high = (float(of.loc[("good", "single"), f"bias_{end}"]) for end in ("low", "high"))
    # Of papers: biases 4 / 162 (9 - 5 of the second one) and 5 / 80.
    assert (low, high) == pytest.approx((4 / 162, 5 / 80))


def test_claims_boundaries_has_the_golden_numbers_and_every_shift(table: Table) -> None:
    of = table(claims_boundaries.main, **BOUNDARIES)
    printed = of[of["source"] == "reported"]
    assert printed["labels"].tolist() == ["all", "Expert", "Registry"] + ["all"] * 8
    whole, expert, registry = (printed.iloc[place] for place in range(3))
    golden = [float(whole[name]) for name in ("exact_low", "exact_high", "kappa", "kappa_linear", "kappa_quadratic")]
    assert golden == pytest.approx([0.2120, 0.8630, 0.4, 0.6538, 0.8393], abs=5e-5)
    assert (whole["exact"], whole["within_one"], float(whole["p"])) == (5, 9, 0.125)
    assert [(part["exact"], part["n"]) for part in (expert, registry)] == [(3, 5), (2, 4)]
    moved = printed[printed["boundary"] != ""].set_index(["boundary", "moved_to"])
    assert moved.loc[("6", "5.5"), "changed"] == "greater-than ioi copy-suppression"
    assert moved.loc[("4", "4.5"), ["changed", "exact"]].tolist() == ["othello", 6]
    # Good: 4.444 and 2.5 planted, 5.556 on IOI; `mine` has no label and is not among them.
    good = of[of["source"] == "good"]
    assert good["n"].tolist()[:3] == [3, 2, 1]
    moved = good[good["boundary"] != ""].set_index(["boundary", "moved_to"])
    assert moved.loc[("4", "4.5"), ["changed", "exact"]].tolist() == ["planted-01", 1]
    assert moved.loc[("2", "2.5"), "changed"] == ""  # 2.5 is at least 2.5
    assert of.loc[of["source"] == "broken", "n"].unique().tolist() == [0]


def test_claims_papers_lists_printed_and_judged_papers(table: Table) -> None:
    of = table(claims_papers.main, judges=False, reported=REPORTED / "claims_papers.csv")
    assert of["source"].tolist() == ["reported"] * 9 + ["ours"] * 4
    ours = of[of["source"] == "ours"].set_index("paper")
    assert ours.loc["planted-01", ["planted_claims", "planted_leaks"]].tolist() == ["2", "2"]
    assert float(ours.loc["planted-02", "expected_cvs"]) == pytest.approx(1.5 / 1.8)
    assert ours.loc["mine", ["expected_tier", "label_source", "planted_claims"]].tolist() == ["", "", ""]
    assert of.loc[of["paper"] == "gender-bias", "identifier"].tolist() == ["arXiv:1607.06520"]


def test_the_rubric_is_the_printed_one(tmp_path: Path) -> None:
    paths = {"out": tmp_path / "t.csv", "tex": tmp_path / "t.tex"}
    claims_criteria.main(reported=REPORTED / "claims_criteria.csv", **paths)
    of = pd.read_csv(paths["out"], keep_default_na=False)
    assert (len(of), set(of["found"])) == (27, {"both"})
    levels = of.set_index("criterion")["levels"]
    assert (levels["C5"], levels["I3"], levels["E2"], levels["C3"]) == ("2; 3", "3", "3 (sum)", "")
    text = paths["tex"].read_text()
    assert "C1 and C5 at least PARTIAL" in text
    assert "E6, statuses that sum to at least 4" in text
    assert "E1 at least PARTIAL or E4 at least PARTIAL" in text


def test_claims_implied_is_made_of_the_printed_tables_alone(tmp_path: Path) -> None:
    paths = {"out": tmp_path / "t.csv", "tex": tmp_path / "t.tex"}
    claims_implied.main(reported=sorted(REPORTED.glob("claims_*.csv")), **paths)
    of = pd.read_csv(paths["out"])
    assert list(of) == ["quantity", "printed", "implied", "how", "place"]
    assert not of.isna().any().any()
    assert of["quantity"].is_unique


def test_tables_stand_without_planted_papers_and_without_any_record(table: Table, tmp_path: Path) -> None:
    empty = write_summary(tmp_path / "empty", tables([], []))
    assert len(table(claims_main.main, summary=empty, **MAIN)) == 9
    assert len(table(claims_single_run.main, summary=empty, **SINGLE)) == 9
    assert len(table(claims_per_paper.main, summary=empty, **PER_PAPER)) == 9
    assert len(table(claims_judges.main, summary=empty, **JUDGES)) == 13
    assert len(table(claims_planted.main, summary=empty, **DRAWS)) == 2 * 3 + 2
    assert set(table(claims_boundaries.main, summary=empty, **BOUNDARIES)["source"]) == {"reported", "good", "broken"}
    reported = REPORTED / "claims_papers.csv"
    assert len(table(claims_papers.main, judges=False, summary=empty, reported=reported)) == 9


def test_provenance_of_a_table_reaches_back_through_the_summary_folder(tmp_path: Path, summary: Path) -> None:
    write_provenance(summary, step="summarise_claims", parameters={"least_similarity": LEAST}, inputs=[])
    write_provenance(tmp_path / "claims_main.csv", step="claims_main", parameters={}, inputs=[summary])
    steps = json.loads(sidecar(tmp_path / "claims_main.csv").read_text())["steps"]
    assert {one["step"] for one in steps} == {"summarise_claims", "claims_main"}
