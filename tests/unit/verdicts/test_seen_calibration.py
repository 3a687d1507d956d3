"""Error rates on made-up twins whose scores have a known shift; and the committed rates.

A twin is a planted model that read half of the items of each condition.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.items import ANSWER_ONLY, CONTRADICTED, PARAPHRASE, VERBATIM
from mechaware.verdicts import seen_calibration as calibration
from mechaware.verdicts.error_rates import (
    ErrorRates,
    ModelSize,
    nearest_size,
    read_calibration,
)
from mechaware.verdicts.seen import SeenEvidence, seen_error_rates, seen_procedure
from mechaware.verdicts.seen_calibration import Cell, PlantedModel, calibrate, cells

REPOSITORY = Path(__file__).resolve().parents[3]
COMMITTED = REPOSITORY / "config/calibration/detectors.csv"
# The error rates of a finished run.
FRESH = REPOSITORY / "results/radar/memorisation/calibration.csv"

# The conditions of items: a form, and how often an item is read.
PLANTED = ((VERBATIM, 1), (VERBATIM, 16), (PARAPHRASE, 16), (ANSWER_ONLY, 16), (CONTRADICTED, 64))
CELL = ["dose", "n_items", "n_seen"]


def planted_model(
    name: str, seed: int, per_condition: int = 12, *, gain: float = 3.0
) -> PlantedModel:
    """A model of 4 blocks and width 96, with items of each condition.

    `per_condition` items of a condition were read, and as many were not. The losses and reference
    scores of items are standard normal. The loss is `gain` higher for an item that was read 16
    times or more, and 9 lower for a contradicted item, whether or not it was read.
    """
    generator = np.random.default_rng(seed)
    items: list[tuple[str, int, bool]] = []
    for form, dose in PLANTED:
        items += [(form, dose, True)] * per_condition
        items += [(form, dose, False)] * per_condition
    rows = pd.DataFrame(items, columns=["form", "dose", "seen"])

    shift = gain * (rows["seen"] & (rows["dose"] >= 16)) - 9.0 * (rows["form"] == CONTRADICTED)
    loss = generator.normal(size=len(rows)) + shift
    reference = generator.normal(size=len(rows))
    rows = rows.assign(loss=loss, reference=reference)

    words = ["river", "stone", "cloud", "lamp", "grass"]
    texts = [" ".join(generator.choice(words, 4)) for _ in range(len(rows))]
    zeros = np.zeros(4)
    scores = TokenScores(
        ids=np.arange(4), log_probs=zeros, means=zeros, deviations=zeros, best=zeros
    )
    evidence = Evidence(
        texts=texts,
        groups=[str(row) for row in rows.index],
        scores=[scores] * len(rows),
        states=np.zeros((len(rows), 4, 96)),
    )
    return PlantedModel(name, rows, evidence)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    models = [planted_model("s0/A", 0), planted_model("s0/B", 1)]
    return calibrate(models, ["loss", "reference"], draws=20, significance=0.05, seed=3)


def test_a_benchmark_has_half_all_or_twice_as_many_items_as_were_read_at_a_dose() -> None:
    """22 items were read at dose 4. A cell is (dose, n_items, n_seen); a tenth of 44 is 4."""
    assert list(cells(22, [4])) == [
        Cell(0, 11, 0),
        Cell(0, 22, 0),
        Cell(0, 44, 0),
        Cell(4, 11, 11),
        Cell(4, 22, 22),
        Cell(4, 44, 4),
        Cell(4, 44, 22),
    ]


def test_a_tenth_of_a_small_benchmark_is_one_item_at_least() -> None:
    assert list(cells(2, [4])) == [
        Cell(0, 1, 0),
        Cell(0, 2, 0),
        Cell(0, 4, 0),
        Cell(4, 1, 1),
        Cell(4, 2, 2),
        Cell(4, 4, 1),
        Cell(4, 4, 2),
    ]


def test_planted_contamination_is_found_and_clean_benchmarks_are_not(table: pd.DataFrame) -> None:
    rates = table[table["detectors"] == "loss"].set_index(CELL)["seen"]

    # Items read once score like unseen ones. 6 or more of 20 draws at 0.05 have a probability of
    # 0.03%.
    assert (rates[[0, 1]] <= 0.25).all()
    assert rates[16, 12, 12] >= 0.75
    assert (table["low"] <= table["seen"]).all()
    assert (table["seen"] <= table["high"]).all()
    assert set(table["draws"]) == {20}
    assert (set(table["n_layers"]), set(table["d_model"])) == ({4}, {96})


def test_independent_draws_share_no_item(table: pd.DataFrame) -> None:
    """A model has 12 seen items of a dose, and 48 unseen items.

    The unseen items are of the four conditions that are not contradicted. A draw takes `n_seen`
    seen items and 2 `n_items` - `n_seen` unseen ones.
    """
    by_cell = table[table["detectors"] == "loss"].set_index(CELL)
    independent = by_cell["independent"]

    # Two models, each with 48 // 12, 48 // 24 and 48 // 48 draws.
    assert independent[0].to_dict() == {(6, 0): 2 * 4, (12, 0): 2 * 2, (24, 0): 2 * 1}
    # 12 // 6 and 12 // 12 by the seen items, 48 // 46 by the unseen items, 12 // 12 by the seen.
    assert independent[16].to_dict() == {
        (6, 6): 2 * 2,
        (12, 12): 2 * 1,
        (24, 2): 2 * 1,
        (24, 12): 2 * 1,
    }


@pytest.mark.parametrize(
    ("n_unseen", "cell", "draws"),
    [
        # A draw has 6 seen and 6 unseen items: the smaller of 12 // 6 = 2 and 20 // 6 = 3.
        (20, Cell(16, 6, 6), 2),
        # 4 seen and 8 unseen items: 12 // 4 = 3 and 20 // 8 = 2.
        (20, Cell(16, 6, 4), 2),
        # 3 seen and 17 unseen items: 12 // 3 = 4 and 20 // 17 = 1.
        (20, Cell(16, 10, 3), 1),
        # 12 // 3 = 4 and 16 // 17 = 0.
        (16, Cell(16, 10, 3), 0),
        # 12 unseen items: 20 // 12 = 1.
        (20, Cell(0, 6, 0), 1),
    ],
)
def test_the_scarcer_items_limit_the_draws_without_a_common_item(
    n_unseen: int, cell: Cell, draws: int
) -> None:
    """The model saw 12 items at the dose 16."""
    pool = {0: np.arange(n_unseen), 16: np.arange(n_unseen, n_unseen + 12)}
    assert calibration.disjoint_draws(pool, cell) == draws


@pytest.fixture(scope="module")
def uneven_table() -> pd.DataFrame:
    """Rates of two models, by five draws of each cell.

    One model has 12 seen items of a dose and 48 unseen ones. The other has 10 and 40, and learnt
    nothing.
    """
    models = [planted_model("s0/A", 0), planted_model("s0/B", 1, per_condition=10, gain=0.0)]
    table = calibrate(models, ["loss"], draws=5, significance=0.05, seed=3)
    return table.set_index(CELL)


def test_the_model_with_the_fewest_items_decides_how_many_draws_are_independent(
    uneven_table: pd.DataFrame,
) -> None:
    # By the second model: 40 // 12 = 3, 40 // 24 = 1, and 10 // 6 = 1 for each dose. It has too few
    # items for the other cells: 40 // 48 = 0, 10 // 12 = 0 and 40 // 46 = 0.
    assert uneven_table["independent"].to_dict() == {
        (0, 6, 0): 2 * 3,
        (0, 12, 0): 2 * 1,
        (1, 6, 6): 2 * 1,
        (16, 6, 6): 2 * 1,
    }


def test_draws_are_rounded_up_to_equally_many_of_each_model(uneven_table: pd.DataFrame) -> None:
    assert set(uneven_table["draws"]) == {6}


def test_a_rate_is_the_mean_of_the_rates_of_its_models(uneven_table: pd.DataFrame) -> None:
    """Only the model that learnt shows that it saw items read 16 times."""
    row = uneven_table.loc[(16, 6, 6)]

    assert row["lowest"] < row["seen"] < row["highest"]
    assert row["seen"] == pytest.approx((row["lowest"] + row["highest"]) / 2)


def assert_clopper_pearson(rows: pd.DataFrame) -> None:
    """The intervals are Clopper-Pearson's, for n = the independent draws.

    At the lower end, k or more of n have a probability of 2.5%; at the upper end, k or fewer.
    """
    for row in rows.itertuples():
        n = row.independent
        k = round(row.seen * row.independent)
        if k == 0:
            assert row.low == 0
        else:
            assert betainc(k, n - k + 1, row.low) == pytest.approx(0.025)
        if k == n:
            assert row.high == 1
        else:
            assert betainc(k + 1, n - k, row.high) == pytest.approx(0.975)


def test_the_interval_of_a_rate_is_clopper_pearsons_with_the_independent_draws(
    table: pd.DataFrame,
) -> None:
    assert_clopper_pearson(table)


def test_the_committed_intervals_are_clopper_pearsons_with_the_independent_draws() -> None:
    assert_clopper_pearson(read_calibration(COMMITTED))


def test_a_draw_takes_each_item_once_and_no_contradicted_one() -> None:
    rows = planted_model("s0/A", 0).rows
    pool = {dose: calibration.items_read(rows, dose) for dose in (0, 16)}
    cell = Cell(dose=16, n_items=24, n_seen=12)
    drawn = rows.iloc[calibration._draw(pool, cell, np.random.default_rng(0))]

    assert drawn.index.is_unique
    assert drawn["seen"].tolist() == [True] * 12 + [False] * 36
    assert set(drawn[:12]["form"]) == {VERBATIM}
    assert set(drawn[:12]["dose"]) == {16}
    assert CONTRADICTED not in set(drawn["form"])


def rates_of(table: pd.DataFrame, *, n_items: int, n_control: int, size: ModelSize) -> ErrorRates:
    """The error rates by `table` of a verdict by the loss, on texts as long as the planted ones."""
    tables = SeenEvidence(
        n_items=n_items,
        n_control=n_control,
        text_length=float(table["text_length"].iloc[0]),
        detectors=[],
        blind=[],
        items=[],
        control_scores=[],
    )
    return seen_error_rates(seen_procedure(["loss"], 0.05), tables, size, table)


@pytest.mark.parametrize(
    ("n_items", "n_control", "sizes"), [(100, 100, {6, 12, 24}), (100, 13, {6, 12})]
)
def test_a_verdict_has_the_rates_of_benchmarks_with_no_more_items_than_its_own(
    table: pd.DataFrame, n_items: int, n_control: int, sizes: set[int]
) -> None:
    rates = rates_of(table, n_items=n_items, n_control=n_control, size=ModelSize(4, 96))

    assert {rate.case["items"] for rate in rates.rates} == sizes
    assert rates.missing == []
    # Every cell has a rate of the verdict and an estimate of the share.
    shares = [rate for rate in rates.rates if rate.measure == "estimated share of seen items"]
    assert 2 * len(shares) == len(rates.rates)


def test_a_verdict_on_fewer_items_than_any_planted_benchmark_has_no_rates(
    table: pd.DataFrame,
) -> None:
    rates = rates_of(table, n_items=5, n_control=100, size=ModelSize(4, 96))

    assert rates.rates == []
    assert rates.missing == ["not measured with fewer than 6 items"]


def test_a_verdict_names_how_far_its_model_is_from_the_planted_ones(table: pd.DataFrame) -> None:
    """12 * 30 * 576^2 weights are 7.5 * 36 = 270 times 12 * 4 * 96^2."""
    rates = rates_of(table, n_items=100, n_control=100, size=ModelSize(30, 576))

    assert {rate.case["items"] for rate in rates.rates} == {6, 12, 24}
    assert rates.missing == []
    distance = (
        "measured on models of 4 blocks of width 96; this one has 30 of width 576: "
        "270 times as many weights in its blocks"
    )
    assert distance in rates.distance


def test_a_ratio_just_below_100_is_printed_as_100() -> None:
    """249 * 20^2 is 99.6 times 10 * 10^2; with two significant digits that would be 1e+02."""
    planted = pd.DataFrame({"n_layers": [10], "d_model": [10]})
    _, distance = nearest_size(planted, ModelSize(n_layers=249, d_model=20))

    assert distance.endswith(": 100 times as many weights in its blocks")


def test_no_committed_rate_of_false_alarms_is_shown_to_be_above_the_level() -> None:
    table = read_calibration(COMMITTED)
    clean = table[table["dose"] == 0]

    for text in ("questions about invented names", "docstrings of installed packages"):
        of_text = clean[clean["text"] == text]
        assert len(of_text) >= 6
        assert (of_text["draws"] >= 200).all()
    assert (clean["low"] <= clean["level"]).all()


def test_the_estimated_share_of_planted_items_errs_low_where_they_score_like_unseen_ones(
    table: pd.DataFrame,
) -> None:
    rows = table[table["detectors"] == "loss"].set_index(CELL)

    assert (rows["share_low"] <= rows["share"]).all()
    assert (rows["share"] <= rows["share_high"]).all()
    # Items read once score like unseen ones, items read 16 times 3 standard deviations higher.
    assert rows.loc[(1, 12, 12), "share"] < 0.4
    assert rows.loc[(16, 12, 12), "share"] > 0.9
    assert 0.3 < rows.loc[(16, 24, 12), "share"] < 0.7


def test_the_interval_of_the_share_leaves_out_half_of_the_level_at_each_end() -> None:
    """Between the lowest and the highest of 21 draws are 20 steps.

    Half of the level of 0.2 is 2 steps; the whole level would be 4.
    """
    model = planted_model("s0/A", 1)
    cell = Cell(dose=16, n_items=24, n_seen=12)
    shares = []
    for _, rows in calibration.draw_cases(model, cell, draws=21, seed=3):
        shares.append(calibration.draw_share(model, rows, cell.n_items, "loss", 0.2))
    shares.sort()

    assert shares[2] < shares[4]
    assert shares[-5] < shares[-3]

    table = calibrate([model], ["loss"], draws=21, significance=0.2, seed=3)
    row = table.set_index(CELL).loc[tuple(cell)]
    assert row["share_low"] == pytest.approx(shares[2])
    assert row["share_high"] == pytest.approx(shares[-3])


def test_the_share_of_a_draw_by_hand() -> None:
    # The items score 9, 9, 1.5 and 0.5, the controls 0 to 3. No control is as high as 9, two are as
    # high as 1.5, and three as high as 0.5.
    rows = pd.DataFrame({"loss": [9.0, 9.0, 1.5, 0.5, 0.0, 1.0, 2.0, 3.0]})
    model = planted_model("s0/A", 0)._replace(rows=rows)
    # So p = 1/5, 1/5, 3/5, 4/5. The threshold is floor(5/2)/5 = 2/5, which two of four exceed; of
    # unseen items 3/5 would: 1 - 2 / (4 * 3/5).
    share = calibration.draw_share(model, np.arange(8), 4, "loss", 0.05)

    assert share == pytest.approx(1 - 2 / 2.4)


def outside_of(known: pd.DataFrame, fresh: pd.DataFrame) -> pd.DataFrame:
    """The cells whose rates in a fresh calibration lie outside of the known intervals."""
    keys = ["detectors", "level", *CELL]
    both = known.merge(fresh, on=keys, suffixes=("", "_fresh"), validate="one_to_one")
    assert len(both) > 0
    return both[~both["seen_fresh"].between(both["low"], both["high"])]


@pytest.mark.skipif(not FRESH.exists(), reason="needs the error rates of a finished run")
def test_the_rates_of_a_finished_run_lie_within_the_committed_intervals() -> None:
    assert outside_of(read_calibration(COMMITTED), read_calibration(FRESH)).empty


def test_the_same_twins_and_seed_have_the_same_rates_which_lie_within_their_intervals(
    table: pd.DataFrame,
) -> None:
    models = [planted_model("s0/A", 0), planted_model("s0/B", 1)]
    again = calibrate(models, ["loss", "reference"], draws=20, significance=0.05, seed=3)

    pd.testing.assert_frame_equal(again, table)
    assert outside_of(table, again).empty


def test_the_rates_of_twins_that_learnt_nothing_lie_outside_where_items_were_read_often(
    table: pd.DataFrame,
) -> None:
    models = [planted_model("s0/A", 0, gain=0.0), planted_model("s0/B", 1, gain=0.0)]
    learnt_nothing = calibrate(models, ["loss", "reference"], draws=20, significance=0.05, seed=3)
    outside = outside_of(table, learnt_nothing)

    assert set(outside["dose"]) == {16}
    assert (outside["seen_fresh"] < outside["low"]).all()
