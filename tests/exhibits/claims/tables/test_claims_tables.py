"""The claims study's tables of a small study and of the printed numbers, each number by hand.

The printed numbers are in config/reported. The small study (judged_papers.py) has two judges:
`broken` fails on planted-01, and `good` judges four papers, each in three runs. A criterion that is
not named below is NO, and `good` finds the planted status unless another one is named.

    paper       claim   status, raw score                             found instead, by run
    planted-01  COPY    C1 I1 I2 V3 YES, C5 M3 PARTIAL: 8             0: E5 YES, raw 10
                HEAD    C1 I1 YES: 3                                  0: I2 YES, E5 PARTIAL
                                                                      1: I2 YES
                                                                      2: I2 PARTIAL
    planted-02  YEARS   C1 YES: 1.5                                   0, 1: I1 I2 YES, raw 4.5
                                                                      2: I1 YES, I2 not scored
                MLP     all NO: 0                                     not found
    ioi         IOI     C1 I1 I2 V2 V3 E1 YES, C5 M3 PARTIAL: 10
                MOVERS  C1 I1 YES: 3
    mine        MLP     all NO: 0

The first claim of a paper is its main claim. A CVS is the raw score / 1.8. The planted leaks,
criteria at NO for which the text offers evidence of the whole circuit, are I2 and E5 of HEAD and I2
of MLP. In run 0 `good` also finds a claim in planted-02 that is not planted. After the three runs
the vote takes the lowest status of each criterion, and the audit then lowers I2 of HEAD to NO.
`ioi` has a label, `mine` has none.

A summary is the folder of tables that the workflow makes of a study's records.
"""

import inspect
from collections.abc import Callable, Iterable
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
)
from exhibits.report.tables import Table, save_table
from mechaware.core.frames import read_csv, write_parquet
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from tests.checkout import REPOSITORY
from tests.exhibits.claims.judged_papers import (
    LABELS,
    YEARS,
    YEARS_LEVELS,
    judged_claim,
    records,
    tables,
)

# The config of tables with intervals, and of the table of boundaries.
INTERVALS = {"confidence_level": 0.95}
BOUNDARIES = {"boundary_shift": 0.5, "confidence_level": 0.95}

Fill = Callable[..., pd.DataFrame]


def write_summary(folder: Path, tables_by_name: dict[str, pd.DataFrame]) -> Path:
    """Write the tables of a summary as the workflow does, and return their folder."""
    for name, frame in tables_by_name.items():
        write_parquet(frame, folder / f"{name}.parquet")
    return folder


def filled(module: ModuleType, summary: Path, **arguments: Any) -> Table:
    """The table of `module`, filled from the files that it declares in `READS`.

    Printed tables are read with their schemas, and the others from the folder `summary`.
    `arguments` are the table's config values.
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
    """A function that fills a table, by default from the study, writes it and reads its CSV.

    Cells are text in columns with empty cells, except in `cvs`. The LaTeX must be a tabular.
    """

    def fill(module: ModuleType, *, folder: Path = summary, **arguments: Any) -> pd.DataFrame:
        csv = tmp_path / "t.csv"
        tex = tmp_path / "t.tex"
        made = filled(module, folder, **arguments)
        save_table(made, csv, shown=tmp_path / "shown.csv", tex=tex)
        assert "\\toprule" in tex.read_text()
        return pd.read_csv(csv, keep_default_na=False, na_values={"cvs": [""]})

    return fill


def floats(row: pd.Series, *names: str) -> list[float]:
    """Numbers of a row that was read as text."""
    return [float(row[name]) for name in names]


def test_claims_main_stacks_the_printed_papers_and_each_judges(table: Fill) -> None:
    rows = table(claims_main, **INTERVALS)
    assert rows["source"].tolist() == ["reported"] * 9 + ["good"] * 4 + ["broken"]

    by_paper = rows.set_index(["source", "paper"])
    printed_ioi = by_paper.loc[("reported", "ioi")]
    assert printed_ioi["cvs"] == pytest.approx(5.6)
    assert printed_ioi["title"] == "IOI Circuit"
    assert str(printed_ioi["off_by"]) == "0"

    ioi = by_paper.loc[("good", "ioi")]
    assert ioi["cvs"] == pytest.approx(10 / 1.8)
    assert ioi["title"] == "Interpretability in the Wild"
    assert str(ioi["off_by"]) == "0"

    # A paper without a label.
    assert by_paper.loc[("good", "mine"), "off_by"] == ""

    first = by_paper.loc[("good", "planted-01")]
    assert first["tier"] == "Mechanistically Supported"
    assert first["expected_tier"] == "Mechanistically Supported"
    # C1, I1, I2 and V3 of COPY.
    assert float(first["main_yes"]) == pytest.approx(4 / 27)

    second = by_paper.loc[("good", "planted-02")]
    assert second["tier"] == "Causally Suggestive"
    assert second["expected_tier"] == "Proposed"

    broken = rows[rows["source"] == "broken"].iloc[0]
    assert (broken["status"], broken["tier"]) == ("unscored", "")
    assert broken["reason"].startswith("time-out")


def test_claims_single_run_has_the_range_of_single_runs_and_the_vote(table: Fill) -> None:
    rows = table(claims_single_run).set_index(["source", "paper"])
    printed = rows.loc[("reported", "ioi")]
    ours = rows.loc[("good", "planted-01")]

    columns = ("single_low", "single_high", "single_range", "voted_cvs")
    assert floats(printed, *columns) == pytest.approx([5.6, 6.9, 1.3, 5.6])
    # With E5 YES, run 0 has External 2 instead of 0: raw 10.
    assert floats(ours, *columns) == pytest.approx([8 / 1.8, 10 / 1.8, 2 / 1.8, 8 / 1.8])
    # Both ends are Mechanistically Supported, as labelled.
    assert (ours["off_low"], ours["off_high"]) == ("0", "0")
    # No run of `broken` has a score, and `mine` has no label.
    assert rows.loc[("broken", "planted-01"), "single_low"] == ""
    assert rows.loc[("good", "mine"), "off_low"] == ""


def test_claims_per_paper_has_the_mean_of_the_other_claims_where_all_are_known(table: Fill) -> None:
    rows = table(claims_per_paper).set_index(["source", "paper"])

    # The printed 3.9, 3.3, 3.3 and 3.3 are raw 7, 6, 6 and 6, before rounding; their mean / 1.8.
    assert float(rows.loc[("reported", "ioi"), "sub_mean"]) == pytest.approx(
        (7 + 6 + 6 + 6) / 4 / 1.8
    )
    # The paper prints two of the three other scores.
    assert rows.loc[("reported", "copy-suppression"), "sub_mean"] == ""
    # The other claim is MOVERS.
    assert float(rows.loc[("good", "ioi"), "sub_mean"]) == pytest.approx(3 / 1.8)
    assert rows.loc[("good", "ioi"), "sub_tier_low"] == "Proposed"
    assert rows.loc[("good", "ioi"), "n_claims"] == 2
    # The vote on planted-02 has one claim, and so no others.
    of_others = ["sub_mean", "sub_low", "sub_tier_low"]
    assert rows.loc[("good", "planted-02"), of_others].tolist() == ["", "", ""]


def test_claims_judges_has_a_row_for_each_judge(table: Fill) -> None:
    rows = table(claims_judges, **INTERVALS)
    assert rows["source"].tolist() == ["reported"] * 11 + ["good", "broken"]

    good = rows.iloc[-2]
    broken = rows.iloc[-1]

    assert good["label"] == "Good judge"
    assert good["papers"] == 4
    # The papers have 2, 1, 2 and 1 claims after the vote.
    assert float(good["n_claims"]) == (2 + 1 + 2 + 1) / 4
    # The tiers of planted-01, planted-02 and ioi are off by 0, +1 and 0.
    assert floats(good, "labelled", "exact", "within_one") == [3, 2, 3]
    # The score of IOI.
    assert good["cvs"] == pytest.approx(10 / 1.8)
    assert good["tier"] == "Mechanistically Supported"
    # Each of four papers has three runs, of 2 calls, 100 tokens of prompts, 10 of replies and 0.25
    # dollars each, and an audit of 1 call.
    assert floats(good, "calls", "cost") == [4 * (3 * 2 + 1), 4 * 3 * 0.25]
    assert floats(good, "prompt_tokens", "completion_tokens") == [4 * 3 * 100, 4 * 3 * 10]
    assert float(good["unscored"]) == 0
    assert broken[["exact", "labelled", "unscored"]].tolist() == ["", "", ""]
    assert pd.isna(broken["cvs"])


def totals(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of all criteria together, by judge and stage."""
    return rows[rows["criterion"] == ""].set_index(["judge", "stage"])


def planted_numbers(rows: pd.DataFrame, stage: str, columns: Iterable[str]) -> dict[str, float]:
    """Numbers of the good judge at one stage, by column; NaN for an empty cell."""
    cells = rows.loc[("good", stage), list(columns)].astype(str)
    return {name: float(cell or "nan") for name, cell in cells.items()}


def test_claims_planted_compares_every_stage_with_the_truth(table: Fill) -> None:
    """COPY, HEAD and YEARS are matched with planted claims: 3 * 27 = 81 criteria in each of three
    runs.

        run  too high                                           sum of errors  not scored
        0    COPY E5, HEAD I2, YEARS I1, I2: +1; HEAD E5: +0.5  4.5
        1    HEAD I2, YEARS I1, I2: +1                          3.0
        2    YEARS I1: +1; HEAD I2: +0.5                        1.5            YEARS I2
    """
    rows = totals(table(claims_planted, **INTERVALS))
    single = {
        "n": 3 * 81 - 1,
        "exact": (242 - 5 - 3 - 2) / 242,
        "bias": (4.5 + 3.0 + 1.5) / 242,
        "unscored": 1 / 243,
        # I2 and E5 of HEAD in three runs: both are credited in run 0, and I2 in the others.
        "false_leak_n": 2 * 3,
        "leaked": 2 + 1 + 1,
        "found_claims": 3 * 3,
        "planted_claims": 3 * 4,
        # The tier of planted-01 is right in three runs. That of planted-02 is too high in runs 0
        # and 1; without I2 it is not known in run 2: raw 3 or 4.5.
        "tier_n": 3 + 2,
        "tier_exact": 3,
        "tier_up": 2,
        "tier_down": 0,
    }
    assert planted_numbers(rows, "single", single) == pytest.approx(single)

    voted = {
        "n": 81,
        # Too high are I2 of HEAD (PARTIAL), and I1 and I2 of YEARS.
        "exact": (81 - 3) / 81,
        "bias": (0.5 + 1 + 1) / 81,
        "unscored": 0,
        "false_leak_n": 2,
        "leaked": 1,
        "found_claims": 3,
        "planted_claims": 4,
        "tier_n": 2,
        "tier_exact": 1,
        "tier_up": 1,
        "tier_down": 0,
    }
    assert planted_numbers(rows, "voted", voted) == pytest.approx(voted)

    # The audit lowers I2 of HEAD to NO.
    audited = voted | {"exact": (81 - 2) / 81, "bias": (1 + 1) / 81, "leaked": 0}
    assert planted_numbers(rows, "audited", audited) == pytest.approx(audited)


def test_claims_planted_compares_constant_answers_with_the_truth(table: Fill) -> None:
    rows = totals(table(claims_planted, **INTERVALS))
    columns = ("n", "exact", "bias", "false_leak_n", "leaked", "found_claims", "planted_claims")
    tiers = ("tier_n", "tier_exact", "tier_up", "tier_down")

    # The four planted claims have 4 * 27 = 108 levels: 7 YES, 2 PARTIAL and 99 NO. Three of the NO
    # are leaks. The planted tiers are Mechanistically Supported and Proposed, the lowest.
    always_no = rows.loc[("always NO", "")]
    bias = -(7 * 1 + 2 * 0.5) / 108
    assert floats(always_no, *columns) == pytest.approx([108, 99 / 108, bias, 3, 0, 4, 4])
    assert floats(always_no, *tiers) == [2, 1, 0, 1]
    assert float(always_no["unscored"]) == 0

    always_yes = rows.loc[("always YES", "")]
    bias = (2 * 0.5 + 99 * 1) / 108
    assert floats(always_yes, *columns) == pytest.approx([108, 7 / 108, bias, 3, 3, 4, 4])
    assert floats(always_yes, *tiers) == [2, 0, 2, 0]
    assert float(always_yes["unscored"]) == 0


def test_claims_planted_has_what_constant_answers_get_right_of_the_same_criteria(
    table: Fill,
) -> None:
    rows = totals(table(claims_planted, **INTERVALS))

    # Of the 81 criteria of COPY, HEAD and YEARS, 6 + 2 + 1 = 9 are not planted at NO.
    assert float(rows.loc[("good", "voted"), "always_no"]) == pytest.approx((81 - 9) / 81)
    # Three runs; I2 of YEARS, planted at NO, has no status in one of them.
    right_of_runs = 3 * (81 - 9) - 1
    assert float(rows.loc[("good", "single"), "always_no"]) == pytest.approx(right_of_runs / 242)
    # Of all 108 planted levels 99 are NO and 7 are YES.
    assert float(rows.loc[("always YES", ""), "always_no"]) == pytest.approx(99 / 108)
    assert float(rows.loc[("always NO", ""), "always_yes"]) == pytest.approx(7 / 108)
    assert floats(rows.loc[("good", "audited")], "found_papers", "papers") == [2, 2]


def test_a_judge_that_finds_nothing_has_no_rates_and_all_planted_claims_against_it(
    table: Fill,
) -> None:
    """`broken` fails on planted-01, which has two claims: they count once in the vote and in the
    audit, and three times in the single runs.
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
    # The 81 matched criteria are planted at 7 YES, 2 PARTIAL and 72 NO. After the audit the judge
    # gives YES to all of the 7, and to two planted at NO: I1 and I2 of YEARS.
    good = totals(rows).loc[("good", "audited")]
    assert floats(good, "sensitivity", "specificity", "false_yes") == pytest.approx(
        [1, 72 / 74, 2 / 72]
    )
    assert floats(good, "sensitivity_n", "specificity_n", "false_yes_n") == [7, 74, 72]
    assert floats(good, "wrong", "wrong_partial", "wrong_yes_n") == [2, 0, 9]

    # "wrong of given (planted at PARTIAL, at NO)". Of 108 planted levels 2 are PARTIAL, 99 are NO.
    shown = filled(claims_planted, summary, **INTERVALS).shown.set_index(["Judge", "Stage"])
    wrong = shown["Wrong among YES given"]
    assert wrong[("Good judge", "audited")] == "2 of 9 (0, 2)"
    assert wrong[("always YES", "")] == "101 of 108 (2, 99)"
    assert wrong[("always NO", "")] == "no YES"

    each = rows[rows["criterion"] != ""].set_index(["judge", "stage", "criterion"])
    assert len(each) == 2 * 27
    assert each["informedness_low"].unique().tolist() == [""]
    # I1 is planted at YES in COPY and HEAD and at NO in YEARS, and is called YES in all three.
    i1 = each.loc[("good", "audited", "I1")]
    assert floats(i1, "sensitivity", "false_yes", "sensitivity_n") == [1, 1, 2]
    # C5 is planted at PARTIAL in COPY and at NO in HEAD and YEARS. Without a planted YES it has no
    # sensitivity.
    c5 = each.loc[("good", "audited", "C5")]
    assert (c5["sensitivity"], c5["specificity"], c5["exact"]) == ("", "1", "")

    known = ["sensitivity", "sensitivity_low", "false_yes", "false_yes_high", "informedness"]
    assert totals(rows).loc[("always YES", ""), known].tolist() == ["1", "", "1", "", "0"]


def test_a_rate_without_a_planted_status_is_shown_as_not_tested(tmp_path: Path) -> None:
    # No leak is planted in this claim.
    judged = [records("planted-02", [[judged_claim(YEARS, YEARS_LEVELS)]])]
    summary = write_summary(tmp_path / "no", tables(judged))
    shown = filled(claims_planted, summary, **INTERVALS).shown.set_index(["Judge", "Stage"])
    rates = ["False YES, %", "False leaks, %"]

    assert shown.loc[("Good judge", "audited"), rates].tolist() == ["0.0", "not tested"]


@pytest.mark.parametrize(
    ("is_right", "cell"),
    [
        pytest.param(True, "37.0 (12.3 to 61.8)", id="a judge that is always right"),
        pytest.param(False, "not determined", id="a judge that always gives YES"),
    ],
)
def test_the_share_of_yes_is_followed_by_its_correction(
    summary: Path, tmp_path: Path, is_right: bool, cell: str
) -> None:
    """The good judge gives 10 YES in the main claim of each paper: 10 / 27 = 0.3704. Its error
    rates are those on six planted papers with one YES and one NO.

    If the judge is right on all of them, sensitivity and specificity are 1, and the share needs no
    correction. The half-width of its interval (`corrected_share`) is made of

        h(sensitivity) = h(specificity) = (1 - 0.025^(1/6)) / 2 = 0.2296
        h(share)                        = 1.96 sqrt(0.3704 * 0.6296 / 27) = 0.1822
        h(corrected share)              = sqrt(0.1822^2 + (0.6296 * 0.2296)^2 + (0.3704 * 0.2296)^2)
                                        = 0.2476

    If the judge always gives YES, the specificity is 0, and nothing can be corrected.
    """
    papers = pd.read_parquet(summary / "papers.parquet")
    papers.loc[papers["judge"] == "good", "main_yes"] = 10 / 27
    rows = []
    for paper in "abcdef":
        for criterion, truth in (("C1", "YES"), ("I1", "NO")):
            status = truth if is_right else "YES"
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
    """The rows of one source of scores in which no boundary is moved, by set of labels."""
    return rows[(rows["source"] == source) & (rows["boundary"] == "")].set_index("labels")


def by_move(rows: pd.DataFrame, source: str) -> pd.DataFrame:
    """The rows of one source of scores in which a boundary is moved, by its old and new value."""
    moved = rows[(rows["source"] == source) & (rows["boundary"] != "")]
    return moved.set_index(["boundary", "moved_to"])


def test_claims_boundaries_has_the_agreement_of_the_printed_tiers_with_each_set_of_labels(
    table: Fill,
) -> None:
    """Labels are those of Table 3, by an expert or from the registry, and those of four documents.

    The ranks of the tiers, 0 to 4, of the seven papers that are in every list; "shared" compares
    the printed tiers with the labels of these papers:

        paper             printed  label       README  theory  case pages  audits of August
        ioi               2        2 Registry  3       2       1           1
        induction-heads   3        2 Registry  2       3       3           3
        copy-suppression  2        2 Registry  2       2       1           2
        greater-than      2        1 Registry  2       2       1           2
        grokking          4        4 Expert    1       3       4           2
        othello           2        1 Expert    3       1       1           1
        successor-heads   1        1 Expert    1       1       1           2

    Two further papers have labels of experts only: probing, with 0 and 0, and gender-bias, with
    the printed tier 1 and the label 0.
    """
    printed = by_labels(table(claims_boundaries, **BOUNDARIES), "reported")

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

    # Papers by rank 0 to 4: printed 1 2 4 1 1, labels 2 3 3 0 1. In the 81 pairs of a printed tier
    # and a label, 1 * 2 + 2 * 3 + 4 * 3 + 1 * 0 + 1 * 1 = 21 agree; their distances sum to 104, and
    # the squares of these to 224. Of the nine papers 5 agree, and 4 differ by 1, all too high.
    every_label = printed.loc["all"]
    assert float(every_label["kappa"]) == pytest.approx((5 / 9 - 21 / 81) / (1 - 21 / 81))
    assert float(every_label["kappa_linear"]) == pytest.approx(1 - (4 / 9) / (104 / 81))
    assert float(every_label["kappa_quadratic"]) == pytest.approx(1 - (4 / 9) / (224 / 81))
    assert float(every_label["p"]) == pytest.approx(2 * 0.5**4)

    # In the 49 pairs of a printed tier and a tier of a document, those that agree: printed, ranks 1
    # to 4 have 1 4 1 1 papers; README and theory paper 2 3 2 0: 1 * 2 + 4 * 3 + 1 * 2 = 16; case
    # pages 5 0 1 1: 1 * 5 + 1 * 1 + 1 * 1 = 7.
    kappas = printed["kappa"].astype(float)
    assert kappas["README"] == pytest.approx((3 / 7 - 16 / 49) / (1 - 16 / 49))
    assert kappas["theory paper"] == pytest.approx((5 / 7 - 16 / 49) / (1 - 16 / 49))
    assert kappas["case pages"] == pytest.approx((3 / 7 - 7 / 49) / (1 - 7 / 49))


def test_claims_boundaries_has_the_printed_papers_that_each_moved_boundary_changes(
    table: Fill,
) -> None:
    moved = by_move(table(claims_boundaries, **BOUNDARIES), "reported")

    # Each of four boundaries, down and up.
    assert len(moved) == 4 * 2
    assert set(moved["labels"]) == {"all"}
    # Three papers have the CVS 5.6.
    assert moved.loc[("6", "5.5"), "changed"] == "greater-than ioi copy-suppression"
    # Othello, with the CVS 4.4, falls to Causally Suggestive, its label: 6 are exact instead of 5.
    assert moved.loc[("4", "4.5"), ["changed", "exact"]].tolist() == ["othello", 6]


def test_claims_boundaries_has_the_papers_of_each_judge_that_have_a_label(table: Fill) -> None:
    """The good judge's CVS are 4.444 and 2.5 on the planted papers, and 5.556 on IOI.

    The tiers of planted-01 and IOI are those of their labels, and the tier of planted-02 is above
    its label. `mine` has no label.
    """
    rows = table(claims_boundaries, **BOUNDARIES)
    good = by_labels(rows, "good")
    moved = by_move(rows, "good")

    assert good["n"].to_dict() == {
        "all": 3,
        "planted": 2,
        "Registry": 1,
        "shared": 1,
        "README": 1,
        "theory paper": 1,
        "case pages": 1,
        "audits of August": 1,
    }
    # The judge scores IOI as Mechanistically Supported. So do its label and the theory paper; the
    # README has Triangulated, the case pages have Causally Suggestive.
    lists = ["shared", "README", "theory paper", "case pages"]
    assert good.loc[lists, "exact"].tolist() == [1, 0, 1, 0]
    # planted-01 falls below its label, and IOI stays exact.
    assert moved.loc[("4", "4.5"), ["changed", "exact"]].tolist() == ["planted-01", 1]
    # planted-02, with the CVS 2.5, is still at least 2.5.
    assert moved.loc[("2", "2.5"), "changed"] == ""
    assert rows.loc[rows["source"] == "broken", "n"].unique().tolist() == [0]


def test_each_row_has_the_share_that_its_judge_got_right_on_planted_papers(summary: Path) -> None:
    """After the audit 79 of the 81 criteria of the matched claims are right: 97.5%."""
    expected = {("reported", ""), ("good", "97.5"), ("broken", "not tested")}
    for made in (
        filled(claims_main, summary, **INTERVALS),
        filled(claims_single_run, summary),
        filled(claims_per_paper, summary),
    ):
        assert set(zip(made.numbers["source"], made.shown["Right, %"], strict=True)) == expected


def test_claims_papers_lists_printed_and_judged_papers(table: Fill) -> None:
    rows = table(claims_papers)
    assert rows["source"].tolist() == ["reported"] * 9 + ["ours"] * 4

    ours = rows[rows["source"] == "ours"].set_index("paper")
    assert ours.loc["planted-01", ["planted_claims", "planted_leaks"]].tolist() == ["2", "2"]
    # YEARS_LEVELS.
    assert float(ours.loc["planted-02", "expected_cvs"]) == pytest.approx(1.5 / 1.8)
    unlabelled = ["expected_tier", "label_source", "planted_claims"]
    assert ours.loc["mine", unlabelled].tolist() == ["", "", ""]

    (gender_bias,) = rows[rows["paper"] == "gender-bias"].to_dict("records")
    assert gender_bias["identifier"] == "arXiv:1607.06520"
    assert gender_bias["README"] == ""

    # Grokking is in every list of labels.
    (grokking,) = rows[rows["paper"] == "grokking"].to_dict("records")
    assert grokking["expected_tier"] == "Validated"
    assert grokking["README"] == "Causally Suggestive"
    assert grokking["theory paper"] == "Triangulated"
    assert grokking["case pages"] == "Validated"


def test_the_rubric_is_the_printed_one(summary: Path) -> None:
    rubric = filled(claims_criteria, summary)
    assert len(rubric.numbers) == 27
    assert set(rubric.numbers["found"]) == {"both"}

    text = rubric.shown.to_string()
    assert "C1 and C5 at least PARTIAL" in text
    assert "E6, statuses that sum to at least 4" in text
    assert "E1 at least PARTIAL" in text
    assert "E4 at least PARTIAL" not in text


def test_a_printed_criterion_that_our_rubric_lacks_comes_last() -> None:
    printed = read_csv(REPOSITORY / "config/reported/claims_criteria.csv", REPORTED_CRITERIA)
    unknown = printed.iloc[[0]].assign(criterion="A9", criterion_name="another")

    compared = claims_criteria.fill(reported_criteria=pd.concat([unknown, printed])).numbers

    assert compared["criterion"].tolist() == [*CRITERIA, "A9"]
    assert compared["found"].tolist() == ["both"] * 27 + ["reported"]


def test_tables_without_any_record_have_the_printed_rows_and_those_of_all_judges(
    table: Fill, tmp_path: Path
) -> None:
    empty = write_summary(tmp_path / "empty", tables([], []))

    # Nine papers are printed.
    assert len(table(claims_main, folder=empty, **INTERVALS)) == 9
    assert len(table(claims_single_run, folder=empty)) == 9
    assert len(table(claims_per_paper, folder=empty)) == 9
    assert len(table(claims_papers, folder=empty)) == 9
    # Eleven printed judges, and two of ours.
    assert len(table(claims_judges, folder=empty, **INTERVALS)) == 11 + 2
    # Two judges at three stages, two constant answers, and the 27 criteria of both judges.
    assert len(table(claims_planted, folder=empty, **INTERVALS)) == 2 * 3 + 2 + 2 * 27
    boundaries = table(claims_boundaries, folder=empty, **BOUNDARIES)
    assert set(boundaries["source"]) == {"reported", "good", "broken"}


def test_without_a_planted_paper_no_claim_is_planted(table: Fill, tmp_path: Path) -> None:
    listed_only = write_summary(tmp_path / "listed", tables(truth=[]))

    rows = totals(table(claims_planted, folder=listed_only, **INTERVALS))

    # Two judges at three stages, and two constant answers.
    assert rows["planted_claims"].astype(int).tolist() == [0] * (2 * 3 + 2)
