"""The tables of the small study of judged_papers.py and of the printed numbers:
every number by hand.
"""

import inspect
from collections.abc import Callable
from math import nan
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from exhibits.claims.schemas import REPORTED_CRITERIA
from exhibits.claims.tables import (
    claims_boundaries,
    claims_criteria,
    claims_judges,
    claims_main,
    claims_papers,
    claims_per_paper,
    claims_planted,
    claims_single_run,
    claims_vote,
)
from exhibits.claims.tables.cells import right_on_planted
from exhibits.report.tables import Table, save_table
from mechaware.core.frames import read_csv, write_parquet
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from tests.exhibits.claims.judged_papers import LABELS, YEARS, YEARS_LEVELS, found, records, tables

REPOSITORY = Path(__file__).resolve().parents[4]
INTERVALS = {"confidence_level": 0.95}
BOUNDARIES = {"boundary_shift": 0.5, "confidence_level": 0.95}

Fill = Callable[..., pd.DataFrame]


def write_summary(folder: Path, summary: dict[str, pd.DataFrame]) -> Path:
    """The tables of a summary as the workflow writes them; returns their folder."""
    for name, frame in summary.items():
        write_parquet(frame, folder / f"{name}.parquet")
    return folder


def filled(module: ModuleType, summary: Path, **arguments: Any) -> Table:
    """A table from the files that it declares, read with their schemas:
    the printed ones, and those of a summary.
    """
    parameters = inspect.signature(module.fill).parameters
    folders = {"config/reported": REPOSITORY / "config/reported", "results/claims/summary": summary}
    for name, path in module.READS.items():
        file = folders[str(Path(path).parent)] / Path(path).name
        if file.suffix == ".parquet":
            arguments[name] = pd.read_parquet(file)
        else:
            (schema,) = parameters[name].annotation.__metadata__
            arguments[name] = read_csv(file, schema)
    if "judge_labels" in parameters:
        arguments["judge_labels"] = LABELS
    return module.fill(**arguments)


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The summary of the study of judged_papers.py."""
    return write_summary(tmp_path_factory.mktemp("summary"), tables())


@pytest.fixture
def table(summary: Path, tmp_path: Path) -> Fill:
    """Fill a table from the study, write it and read it back; the tabular must be written, too."""

    def fill(module: ModuleType, summary: Path = summary, **arguments: Any) -> pd.DataFrame:
        paths = {"shown": tmp_path / "shown.csv", "tex": tmp_path / "t.tex"}
        save_table(filled(module, summary, **arguments), tmp_path / "t.csv", **paths)
        assert "\\toprule" in paths["tex"].read_text()
        return pd.read_csv(tmp_path / "t.csv", keep_default_na=False, na_values={"cvs": [""]})

    return fill


def floats(row: pd.Series, *names: str) -> list[float]:
    """Numbers of a row that was read as text."""
    return [float(row[name]) for name in names]


def test_claims_main_stacks_the_printed_papers_and_each_judges(table: Fill) -> None:
    rows = table(claims_main, **INTERVALS)
    assert rows["source"].tolist() == ["reported"] * 9 + ["good"] * 4 + ["broken"]

    ioi = rows[rows["paper"] == "ioi"].set_index("source")
    assert ioi["cvs"].tolist() == pytest.approx([5.6, 10 / 1.8])
    assert ioi["title"].tolist() == ["IOI Circuit", "Interpretability in the Wild"]
    assert ioi["off_by"].astype(str).tolist() == ["0", "0"]
    assert rows.set_index(["source", "paper"]).loc[("good", "mine"), "off_by"] == ""

    planted = rows.set_index(["source", "paper"]).loc["good"].loc[["planted-01", "planted-02"]]
    assert planted["tier"].tolist() == ["Mechanistically Supported", "Causally Suggestive"]
    assert planted["expected_tier"].tolist() == ["Mechanistically Supported", "Proposed"]
    assert float(planted["main_yes"].iloc[0]) == pytest.approx(4 / 27)  # C1, I1, I2, V3

    broken = rows[rows["source"] == "broken"].iloc[0]
    assert (broken["status"], broken["tier"]) == ("unscored", "")
    assert broken["reason"].startswith("time-out")


def test_claims_single_run_shows_ranges_beside_the_vote(table: Fill) -> None:
    rows = table(claims_single_run).set_index(["source", "paper"])
    printed = rows.loc[("reported", "ioi")]
    ours = rows.loc[("good", "planted-01")]

    columns = ("single_low", "single_high", "single_range", "voted_cvs")
    assert floats(printed, *columns) == pytest.approx([5.6, 6.9, 1.3, 5.6])
    assert floats(ours, *columns) == pytest.approx([8 / 1.8, 10 / 1.8, 2 / 1.8, 8 / 1.8])
    assert (ours["off_low"], ours["off_high"]) == ("0", "0")  # both Mechanistically Supported
    # The highest run of a paper that should be Proposed is 2.5, Causally Suggestive.
    assert rows.loc[("good", "planted-02"), "off_high"] == "1"
    assert rows.loc[("broken", "planted-01"), "single_low"] == ""
    assert rows.loc[("good", "mine"), "off_low"] == ""


def test_claims_per_paper_has_the_mean_of_the_other_claims_where_all_are_known(table: Fill) -> None:
    rows = table(claims_per_paper).set_index(["source", "paper"])

    # 3.9 is raw 7.0 of 18, 3.3 is raw 6.0: the mean is that of the scores before rounding.
    assert float(rows.loc[("reported", "ioi"), "sub_mean"]) == pytest.approx(
        (7 + 3 * 6) / 18 * 10 / 4
    )
    # One of three is not printed.
    assert rows.loc[("reported", "copy-suppression"), "sub_mean"] == ""
    assert float(rows.loc[("good", "ioi"), "sub_mean"]) == pytest.approx(3 / 1.8)
    assert rows.loc[("good", "ioi"), "sub_tier_low"] == "Proposed"
    assert rows.loc[("good", "ioi"), "n_claims"] == 2
    # A paper with one claim has no others.
    of_others = ["sub_mean", "sub_low", "sub_tier_low"]
    assert rows.loc[("good", "planted-02"), of_others].tolist() == ["", "", ""]


def test_claims_judges_has_a_row_for_each_judge(table: Fill) -> None:
    rows = table(claims_judges, **INTERVALS)
    assert rows["source"].tolist() == ["reported"] * 11 + ["good", "broken"]

    good = rows.iloc[-2]
    broken = rows.iloc[-1]

    # Four papers with 2, 1, 2 and 1 claims; of the three with a label 0, +1, 0.
    assert (good["label"], good["papers"], float(good["n_claims"])) == ("Good judge", 4, 1.5)
    assert floats(good, "labelled", "exact", "within_one") == [3, 2, 3]
    assert (good["cvs"], good["tier"]) == (pytest.approx(10 / 1.8), "Mechanistically Supported")
    # For each of four papers three runs, of 2 calls, 100 and 10 tokens and 0.25 dollars, and an
    # audit of 1 call.
    assert floats(good, "calls", "cost") == [4 * (3 * 2 + 1), 4 * 3 * 0.25]
    assert floats(good, "prompt_tokens", "completion_tokens") == [4 * 3 * 100, 4 * 3 * 10]
    assert float(good["unscored"]) == 0
    assert broken[["exact", "labelled", "unscored"]].tolist() == ["", "", ""]
    assert pd.isna(broken["cvs"])


def test_the_cost_of_a_judge_is_unknown_if_that_of_any_of_its_papers_is(
    summary: Path, tmp_path: Path
) -> None:
    made = {name: pd.read_parquet(summary / f"{name}.parquet") for name in ("papers", "criteria")}
    usage = pd.read_parquet(summary / "usage.parquet")
    is_ioi = (usage["judge"] == "good") & (usage["paper"] == "ioi")
    usage.loc[is_ioi, "cost"] = nan
    without_a_cost = write_summary(tmp_path / "cost", made | {"usage": usage})

    table = filled(claims_judges, without_a_cost, **INTERVALS)

    assert pd.isna(table.numbers.set_index("source").loc["good", "cost"])
    assert table.shown.set_index("Judge").loc["Good judge", "Cost, USD"] == ""


def totals(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of all criteria together, by judge and stage."""
    return rows[rows["criterion"] == ""].set_index(["judge", "stage"])


def test_claims_planted_compares_every_stage_with_the_truth(table: Fill) -> None:
    rows = totals(table(claims_planted, **INTERVALS))
    columns = ["n", "exact", "bias", "unscored", "false_leak_n", "leaked"]
    columns += ["found_claims", "planted_claims", "tier_n", "tier_exact", "tier_up", "tier_down"]

    def numbers(judge: str, stage: str) -> dict[str, float]:
        cells = rows.loc[(judge, stage), columns].astype(str)
        return {name: float(cell or "nan") for name, cell in cells.items()}

    # Matched: 2 claims of the first paper and 1 of the second, 81 criteria a run. The second
    # paper's I1 and I2 are too high in every run but for I2 of the last, unscored; the first
    # paper's E5 (+1), I2 (+1) and E5 (+0.5) in run 0, I2 (+1) in run 1, I2 (+0.5) in run 2.
    too_high = 4.5 + 3.0 + 1.5
    single = {"n": 242, "exact": 232 / 242, "bias": too_high / 242, "unscored": 1 / 243}
    single |= {"false_leak_n": 6, "leaked": 4, "found_claims": 9, "planted_claims": 12}
    single |= {"tier_n": 5, "tier_exact": 3, "tier_up": 2, "tier_down": 0}
    assert numbers("good", "single") == pytest.approx(single)

    # The vote keeps I2 at PARTIAL, and both of the second paper's.
    voted = {"n": 81, "exact": 78 / 81, "bias": 2.5 / 81, "unscored": 0}
    voted |= {"false_leak_n": 2, "leaked": 1, "found_claims": 3, "planted_claims": 4}
    voted |= {"tier_n": 2, "tier_exact": 1, "tier_up": 1, "tier_down": 0}
    assert numbers("good", "voted") == pytest.approx(voted)

    # The audit lowers I2 of the first paper.
    audited = voted | {"exact": 79 / 81, "bias": 2 / 81, "leaked": 0}
    assert numbers("good", "audited") == pytest.approx(audited)


def test_claims_planted_compares_constant_answers_with_the_truth(table: Fill) -> None:
    rows = totals(table(claims_planted, **INTERVALS))
    columns = ("n", "exact", "bias", "false_leak_n", "leaked", "found_claims", "planted_claims")
    tiers = ("tier_n", "tier_exact", "tier_up", "tier_down")

    # Of 108 levels 7 are YES, 2 PARTIAL; 3 leaks. Planted tiers: Mechanistically Supported and
    # Proposed.
    always_no = rows.loc[("always NO", "")]
    assert floats(always_no, *columns) == pytest.approx([108, 99 / 108, -8 / 108, 3, 0, 4, 4])
    assert floats(always_no, *tiers) == [2, 1, 0, 1]
    assert float(always_no["unscored"]) == 0

    always_yes = rows.loc[("always YES", "")]
    assert floats(always_yes, *columns) == pytest.approx([108, 7 / 108, 100 / 108, 3, 3, 4, 4])
    assert floats(always_yes, *tiers) == [2, 0, 2, 0]
    assert float(always_yes["unscored"]) == 0


def test_claims_planted_has_what_constant_answers_get_right_of_the_same_criteria(
    table: Fill,
) -> None:
    rows = totals(table(claims_planted, **INTERVALS))

    # NO would be right but for 6, 2 and 1 criteria of the three matched claims; one more in a run
    # is unscored.
    assert float(rows.loc[("good", "voted"), "always_no"]) == pytest.approx(72 / 81)
    assert float(rows.loc[("good", "single"), "always_no"]) == pytest.approx(215 / 242)
    assert float(rows.loc[("always YES", ""), "always_no"]) == pytest.approx(99 / 108)
    assert float(rows.loc[("always NO", ""), "always_yes"]) == pytest.approx(7 / 108)
    assert floats(rows.loc[("good", "audited")], "found_papers", "papers") == [2, 2]


def test_a_judge_that_finds_nothing_has_no_rates_and_all_planted_claims_against_it(
    table: Fill,
) -> None:
    """Two claims in one paper, asked for once by the vote and the audit,
    and three times by the single runs.
    """
    broken = totals(table(claims_planted, **INTERVALS)).loc["broken"]

    rates = ["exact", "bias", "false_leak", "sensitivity"]
    assert broken.loc["audited", rates].tolist() == [""] * 4
    planted = broken["planted_claims"].astype(int)
    assert planted[["single", "voted", "audited"]].tolist() == [6, 2, 2]
    assert int(broken.loc["single", "found_claims"]) == 0


def test_claims_planted_has_the_error_rates_of_all_criteria_and_of_each(
    table: Fill, summary: Path
) -> None:
    rows = table(claims_planted, **INTERVALS)
    # Of the 7 planted YES all are found; of 72 planted NO, I1 and I2 of the second paper's claim
    # are called YES.
    good = totals(rows).loc[("good", "audited")]
    assert floats(good, "sensitivity", "specificity", "false_yes") == pytest.approx(
        [1, 72 / 74, 2 / 72]
    )
    assert floats(good, "sensitivity_n", "specificity_n", "false_yes_n") == [7, 74, 72]
    assert floats(good, "wrong", "wrong_partial", "wrong_yes_n") == [2, 0, 9]

    # Of 108 planted levels 7 are YES and 2 PARTIAL.
    shown = filled(claims_planted, summary, **INTERVALS).shown.set_index(["Judge", "Stage"])
    wrong = shown["Wrong among YES given"]
    assert wrong[("Good judge", "audited")] == "2 of 9 (0, 2)"
    assert wrong[("always YES", "")] == "101 of 108 (2, 99)"
    assert wrong[("always NO", "")] == "no YES"

    each = rows[rows["criterion"] != ""].set_index(["judge", "stage", "criterion"])
    assert len(each) == 2 * 27
    assert each["informedness_low"].unique().tolist() == [""]
    # I1 is YES, YES and NO of the three claims, and all are called YES; C5 is PARTIAL once, and NO
    # twice.
    i1 = each.loc[("good", "audited", "I1")]
    assert floats(i1, "sensitivity", "false_yes", "sensitivity_n") == [1, 1, 2]
    c5 = each.loc[("good", "audited", "C5")]
    assert (c5["sensitivity"], c5["specificity"], c5["exact"]) == ("", "1", "")

    known = ["sensitivity", "sensitivity_low", "false_yes", "false_yes_high", "informedness"]
    assert totals(rows).loc[("always YES", ""), known].tolist() == ["1", "", "1", "", "0"]


def test_a_rate_without_a_planted_status_is_shown_as_not_tested(tmp_path: Path) -> None:
    # No leak is planted in this claim.
    judged = [records("planted-02", [[found(YEARS, YEARS_LEVELS)]])]
    summary = write_summary(tmp_path / "no", tables(judged))
    shown = filled(claims_planted, summary, **INTERVALS).shown.set_index(["Judge", "Stage"])
    rates = ["False YES, %", "False leaks, %"]

    assert shown.loc[("Good judge", "audited"), rates].tolist() == ["0.0", "not tested"]


def test_beside_what_a_judge_has_right_is_what_no_and_then_yes_throughout_would_have(
    tmp_path: Path,
) -> None:
    """Of 27 criteria one is planted as YES and 26 as NO; the judge has all right but two NO."""
    judged = [records("planted-02", [[found(YEARS, YEARS_LEVELS, {"E1": "PARTIAL", "V1": "YES"})]])]
    summary = write_summary(tmp_path / "one", tables(judged))

    shown = filled(claims_planted, summary, **INTERVALS).shown.set_index(["Judge", "Stage"])

    right = shown.loc[("Good judge", "audited"), "Right (NO, YES throughout), %"]
    assert right == "92.6 (96.3, 3.7)"


# Six papers with one planted YES and one NO. A judge that is always right has rates of 1 from
# 0.025^(1/6), a half-width of 0.2296. 10 of 27 YES have z sqrt(0.3704 * 0.6296 / 27) = 0.1822; with
# 0.6296 * 0.2296 and 0.3704 * 0.2296, 0.2476.
@pytest.mark.parametrize(
    ("right", "cell"), [(True, "37.0 (12.3 to 61.8)"), (False, "not determined")]
)
def test_the_share_of_yes_stands_beside_its_correction(
    summary: Path, tmp_path: Path, right: bool, cell: str
) -> None:
    """All papers of the good judge have 10 YES; it is right in all of the planted criteria,
    or says YES throughout.
    """
    papers = pd.read_parquet(summary / "papers.parquet")
    papers.loc[papers["judge"] == "good", "main_yes"] = 10 / 27
    rows = []
    for paper in "abcdef":
        for criterion, truth in (("C1", "YES"), ("I1", "NO")):
            status = truth if right else "YES"
            rows.append((paper, criterion, truth, status))
    criteria = pd.DataFrame(rows, columns=["paper", "criterion", "truth", "status"]).assign(
        judge="good", claim=0, stage="audited", leak=False
    )
    six_papers = write_summary(tmp_path / "six", {"papers": papers, "criteria": criteria})

    shown = filled(claims_main, six_papers, **INTERVALS).shown

    expected = [("reported", "")] * 9
    expected += [("Good judge", f"37.0 ({cell})")] * 4
    expected += [("Broken judge", "")]
    assert list(zip(shown["Source"], shown["YES (corrected), %"], strict=True)) == expected


def by_labels(rows: pd.DataFrame, source: str) -> pd.DataFrame:
    """The rows of a source of scores without a moved boundary, by their set of labels."""
    return rows[(rows["source"] == source) & (rows["boundary"] == "")].set_index("labels")


def by_move(rows: pd.DataFrame, source: str) -> pd.DataFrame:
    """The rows of a source of scores by the boundary and where it is moved to."""
    moved = rows[(rows["source"] == source) & (rows["boundary"] != "")]
    return moved.set_index(["boundary", "moved_to"])


def test_claims_boundaries_has_the_agreement_of_the_printed_tiers_with_each_set_of_labels(
    table: Fill,
) -> None:
    printed = by_labels(table(claims_boundaries, **BOUNDARIES), "reported")

    # By hand: 2 of the registry's 4 labels and 3 of the experts' 5. The tiers of the seven papers
    # of every list: printed 2 3 2 2 4 2 1, README 3 2 2 2 1 3 1, theory paper 2 3 2 2 3 1 1, case
    # pages 1 3 1 1 4 1 1, audits of August 1 3 2 2 2 1 2.
    labels = ["all", "Expert", "Registry", "shared"]
    labels += ["README", "theory paper", "case pages", "audits of August"]
    assert printed.index.tolist() == labels
    assert printed["exact"].to_dict() == {
        "all": 5,
        "Expert": 3,
        "Registry": 2,
        "shared": 4,
        "README": 3,
        "theory paper": 5,
        "case pages": 3,
        "audits of August": 3,
    }
    assert printed["n"].tolist() == [9, 5, 4, 7, 7, 7, 7, 7]

    golden = {"kappa": 0.4, "kappa_linear": 0.6538, "kappa_quadratic": 0.8393, "p": 0.125}
    for name, value in golden.items():
        assert float(printed.loc["all", name]) == pytest.approx(value, abs=5e-5)
    # 16 of 49 pairs of papers agree by chance with the README and the theory paper, and 7 of 49
    # with the case pages.
    kappas = printed["kappa"].astype(float)
    assert kappas["README"] == pytest.approx((3 / 7 - 16 / 49) / (1 - 16 / 49))
    assert kappas["theory paper"] == pytest.approx((5 / 7 - 16 / 49) / (1 - 16 / 49))
    assert kappas["case pages"] == pytest.approx((3 / 7 - 7 / 49) / (1 - 7 / 49))


def test_claims_boundaries_has_the_printed_papers_that_each_moved_boundary_changes(
    table: Fill,
) -> None:
    moved = by_move(table(claims_boundaries, **BOUNDARIES), "reported")

    assert len(moved) == 4 * 2  # each of four boundaries down and up
    assert set(moved["labels"]) == {"all"}
    assert moved.loc[("6", "5.5"), "changed"] == "greater-than ioi copy-suppression"
    assert moved.loc[("4", "4.5"), ["changed", "exact"]].tolist() == ["othello", 6]


def test_claims_boundaries_shows_moved_boundaries_only_where_a_paper_changes(
    summary: Path,
) -> None:
    """Of the nine printed tiers five are exact and four too high; three papers are expected in the
    commonest tier. Othello, three papers with 5.6, Induction Heads and Grokking change.
    """
    shown = filled(claims_boundaries, summary, **BOUNDARIES).shown
    printed = shown[shown["Source"] == "reported"].set_index(["Labels", "Boundary"])

    of_all = printed.loc["all"]
    moves = ["none moved", "4.0 to 4.5", "6.0 to 5.5", "6.0 to 6.5", "8.0 to 8.5"]
    assert of_all.index.tolist() == moves
    counts = ["5 of 9", "3 of 9", "9 of 9", "4", "0"]
    assert of_all.loc["none moved"].tolist() == ["reported", "", *counts]
    assert of_all.loc["6.0 to 5.5", "Papers that change"] == "greater-than, ioi, copy-suppression"


def test_claims_boundaries_has_the_papers_of_each_judge_that_have_a_label(table: Fill) -> None:
    """The good judge's CVS are 4.444 and 2.5 on the planted papers and 5.556 on IOI;
    `mine` has no label.
    """
    rows = table(claims_boundaries, **BOUNDARIES)
    good = by_labels(rows, "good")
    moved = by_move(rows, "good")

    assert good["n"].tolist() == [3, 2, 1, 1, 1, 1, 1, 1]
    # IOI is Mechanistically Supported by its label and the theory paper, Triangulated by the README
    # and Causally Suggestive by the case pages.
    lists = ["shared", "README", "theory paper", "case pages"]
    assert good.loc[lists, "exact"].tolist() == [1, 0, 1, 0]
    assert moved.loc[("4", "4.5"), ["changed", "exact"]].tolist() == ["planted-01", 1]
    assert moved.loc[("2", "2.5"), "changed"] == ""  # 2.5 is at least 2.5
    assert rows.loc[rows["source"] == "broken", "n"].unique().tolist() == [0]


def test_beside_every_tier_is_what_its_judge_got_right_on_planted_papers(summary: Path) -> None:
    """Of 81 criteria of the matched claims 79 are right after the audit: 97.5%."""
    expected = {("reported", ""), ("good", "97.5"), ("broken", "not tested")}
    for made in (
        filled(claims_main, summary, **INTERVALS),
        filled(claims_single_run, summary),
        filled(claims_per_paper, summary),
    ):
        assert set(zip(made.numbers["source"], made.shown["Right, %"], strict=True)) == expected


def test_a_criterion_without_a_status_counts_neither_as_right_nor_as_wrong() -> None:
    """Of three statuses after the audit two are right: the fourth is missing, and one is voted."""
    criteria = pd.DataFrame(
        {
            "judge": "good",
            "stage": ["audited"] * 4 + ["voted"],
            "status": ["YES", "NO", "", "PARTIAL", "NO"],
            "truth": ["YES", "YES", "YES", "PARTIAL", "YES"],
        }
    )
    sources = pd.Series(["reported", "good", "broken"])

    right = right_on_planted(criteria, sources)

    assert right.tolist() == pytest.approx([nan, 2 / 3, nan], nan_ok=True)


def test_claims_papers_lists_printed_and_judged_papers(table: Fill) -> None:
    rows = table(claims_papers)
    assert rows["source"].tolist() == ["reported"] * 9 + ["ours"] * 4

    ours = rows[rows["source"] == "ours"].set_index("paper")
    assert ours.loc["planted-01", ["planted_claims", "planted_leaks"]].tolist() == ["2", "2"]
    assert float(ours.loc["planted-02", "expected_cvs"]) == pytest.approx(1.5 / 1.8)
    unlabelled = ["expected_tier", "label_source", "planted_claims"]
    assert ours.loc["mine", unlabelled].tolist() == ["", "", ""]

    (gender_bias,) = rows[rows["paper"] == "gender-bias"].to_dict("records")
    assert gender_bias["identifier"] == "arXiv:1607.06520"
    assert gender_bias["README"] == ""

    # The papers that every list has, by their lists.
    lists = ["expected_tier", "README", "theory paper", "case pages"]
    tiers = ["Validated", "Causally Suggestive", "Triangulated", "Validated"]

    assert rows.loc[rows["paper"] == "grokking", lists].to_numpy().tolist() == [tiers]


def test_the_rubric_is_the_printed_one(summary: Path) -> None:
    rubric = filled(claims_criteria, summary)
    assert (len(rubric.numbers), set(rubric.numbers["found"])) == (27, {"both"})

    text = rubric.shown.to_string()
    assert "C1 and C5 at least PARTIAL" in text
    assert "E6, statuses that sum to at least 4" in text
    assert "E1 at least PARTIAL" in text
    assert "E4 at least PARTIAL" not in text


def test_a_printed_criterion_that_our_rubric_lacks_comes_last() -> None:
    printed = read_csv(REPOSITORY / "config/reported/claims_criteria.csv", REPORTED_CRITERIA)
    unknown = printed.iloc[[0]].assign(criterion="A9", criterion_name="another")
    table = claims_criteria.fill(reported_criteria=pd.concat([unknown, printed]))
    rows = table.numbers[["criterion", "found"]].to_numpy().tolist()
    assert rows == [*([code, "both"] for code in CRITERIA), ["A9", "reported"]]


def test_tables_without_any_record_have_the_printed_rows_and_those_of_all_judges(
    table: Fill, tmp_path: Path
) -> None:
    empty = write_summary(tmp_path / "empty", tables([], []))
    assert len(table(claims_main, summary=empty, **INTERVALS)) == 9
    assert len(table(claims_single_run, summary=empty)) == 9
    assert len(table(claims_per_paper, summary=empty)) == 9
    assert len(table(claims_judges, summary=empty, **INTERVALS)) == 13
    # Two judges at three stages, two constant answers, and the 27 criteria of both judges.
    assert len(table(claims_planted, summary=empty, **INTERVALS)) == 2 * 3 + 2 + 2 * 27
    boundaries = table(claims_boundaries, summary=empty, **BOUNDARIES)
    assert set(boundaries["source"]) == {"reported", "good", "broken"}
    assert len(table(claims_papers, summary=empty)) == 9


def test_without_a_planted_paper_no_claim_is_planted(table: Fill, tmp_path: Path) -> None:
    listed_only = write_summary(tmp_path / "listed", tables(truth=[]))

    rows = totals(table(claims_planted, summary=listed_only, **INTERVALS))

    # Two judges at three stages, and two constant answers.
    assert rows["planted_claims"].astype(int).tolist() == [0] * (2 * 3 + 2)


def test_claims_vote_shows_parts_only_with_leaks_and_leaks_at_one_rate_alone() -> None:
    """Of the rates downwards without leaks 2% is not shown, and with leaks only 1% is."""
    models = [("a", 0.0, 0.0), ("b", 0.02, 0.0), ("c", 0.01, 0.5), ("d", 0.05, 0.5)]
    rows = []
    for errors, down, leaked in models:
        for claims, exact in (("paper", 0.5), ("parts", 0.25)):
            for number, vote in enumerate(("minimum", "median", "one run")):
                rows.append((errors, down, leaked, claims, vote, exact + number / 10))
    columns = ["errors", "down", "leaked", "claims", "vote", "exact"]
    numbers = pd.DataFrame(rows, columns=columns).assign(after="none")

    shown = claims_vote._shown(numbers)

    assert shown.to_numpy().tolist() == [
        ["a", "none", "the paper's", "50.0", "60.0", "70.0"],
        ["c", "none", "the paper's", "50.0", "60.0", "70.0"],
        ["c", "none", "parts'", "25.0", "35.0", "45.0"],
    ]
