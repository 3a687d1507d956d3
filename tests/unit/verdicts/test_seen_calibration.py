"""Error rates on made-up twins whose scores have a known shift; and the committed rates."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.items import ANSWER_ONLY, CONTRADICTED, PARAPHRASE, VERBATIM
from mechaware.verdicts import seen_calibration as calibration
from mechaware.verdicts.error_rates import ModelSize, read_calibration
from mechaware.verdicts.seen import SeenEvidence, seen_error_rates, seen_procedure
from mechaware.verdicts.seen_calibration import Cell, PlantedModel, calibrate, cells

REPOSITORY = Path(__file__).resolve().parents[3]
COMMITTED = REPOSITORY / "config/calibration/detectors.csv"
# Of a finished run, as in the gate.
FRESH = REPOSITORY / "results/radar/memorisation/calibration.csv"

PLANTED = ((VERBATIM, 1), (VERBATIM, 16), (PARAPHRASE, 16), (ANSWER_ONLY, 16), (CONTRADICTED, 64))


def planted_model(name: str, seed: int, per_cell: int = 6, *, gain: float = 3.0) -> PlantedModel:
    """An item scores `gain` higher if read 16 times or more; contradicted items score 9 lower, read or not."""
    generator = np.random.default_rng(seed)
    n = 2 * per_cell
    items: list[tuple[str, int, bool]] = []
    for form, dose in PLANTED:
        items += [(form, dose, True)] * n
        items += [(form, dose, False)] * n
    rows = pd.DataFrame(items, columns=["form", "dose", "seen"])
    shift = gain * (rows["seen"] & (rows["dose"] >= 16)) - 9.0 * (rows["form"] == CONTRADICTED)
    rows = rows.assign(
        loss=generator.normal(size=len(rows)) + shift, reference=generator.normal(size=len(rows))
    )
    words = ["river", "stone", "cloud", "lamp", "grass"]
    texts = [" ".join(generator.choice(words, 4)) for _ in range(len(rows))]
    scores = [TokenScores(np.arange(4), *np.zeros((4, 4))) for _ in texts]
    evidence = Evidence(
        texts, list(map(str, rows.index)), scores, states=np.zeros((len(rows), 4, 96))
    )
    return PlantedModel(name, rows, evidence)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    models = [planted_model("s0/A", 0), planted_model("s0/B", 1)]
    return calibrate(models, ["loss", "reference"], draws=20, significance=0.05, seed=3)


def test_the_cells_are_half_all_and_twice_of_the_seen_items_of_a_dose() -> None:
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
    rates = table[table["detectors"] == "loss"].set_index(["dose", "n_items", "n_seen"])["seen"]

    assert (rates[[0, 1]] <= 0.25).all()  # 6 or more of 20 at 0.05: 0.03%
    assert rates[16, 12, 12] >= 0.75
    assert (table["low"] <= table["seen"]).all()
    assert (table["seen"] <= table["high"]).all()
    assert set(table["draws"]) == {20}
    assert (set(table["n_layers"]), set(table["d_model"])) == ({4}, {96})


def test_independent_draws_share_no_item(table: pd.DataFrame) -> None:
    """A model gives 12 seen items of a dose and 48 unseen ones, of four conditions that are not contradicted."""
    independent = table[table["detectors"] == "loss"].set_index(["dose", "n_items", "n_seen"])[
        "independent"
    ]

    # 48 // 12, 48 // 24, 48 // 48; 12 // 6, 12 // 12; a tenth of 24 is 2 of 12, and 48 // 46
    assert independent[0].tolist() == [2 * 4, 2 * 2, 2 * 1]
    assert independent[16].tolist() == [2 * 2, 2 * 1, 2 * 1, 2 * 1]


@pytest.mark.parametrize(
    ("n_unseen", "cell", "draws"),
    [
        # A draw has 6 seen and 6 unseen items: the smaller of 12 // 6 = 2 and 20 // 6 = 3.
        (20, Cell(16, 6, 6), 2),
        # 4 seen and 8 unseen items: 12 // 4 = 3 and 20 // 8 = 2.
        (20, Cell(16, 6, 4), 2),
        # 3 seen and 17 unseen items: 12 // 3 = 4 and 20 // 17 = 1.
        (20, Cell(16, 10, 3), 1),
        (16, Cell(16, 10, 3), 0),
        # 12 unseen items: 20 // 12.
        (20, Cell(0, 6, 0), 1),
    ],
)
def test_draws_without_a_common_item_by_hand(n_unseen: int, cell: Cell, draws: int) -> None:
    """The model saw 12 items at the dose 16."""
    pool = {0: np.arange(n_unseen), 16: np.arange(n_unseen, n_unseen + 12)}
    assert calibration.disjoint_draws(pool, cell) == draws


def test_the_model_with_the_fewest_items_decides_how_many_draws_are_independent() -> None:
    """One model gives 12 seen items of a dose and 48 unseen ones, the other 10 and 40, and it learnt nothing."""
    models = [planted_model("s0/A", 0), planted_model("s0/B", 1, per_cell=5, gain=0.0)]
    table = calibrate(models, ["loss"], draws=5, significance=0.05, seed=3)
    found = table.set_index(["dose", "n_items", "n_seen"])
    # 2 * 40 // 12, 2 * 40 // 24; 2 * 10 // 6. Nothing for 48 unseen items, or for 12 seen ones.
    expected = {(0, 6, 0): 2 * 3, (0, 12, 0): 2 * 1, (1, 6, 6): 2 * 1, (16, 6, 6): 2 * 1}

    assert found["independent"].to_dict() == expected
    assert set(found["draws"]) == {6}  # five are asked for, and each model gives as many

    learnt = found.loc[(16, 6, 6)]
    assert learnt["lowest"] < learnt["seen"] < learnt["highest"]
    assert learnt["seen"] == pytest.approx((learnt["lowest"] + learnt["highest"]) / 2)


@pytest.mark.parametrize("rates", ["of made-up twins", "committed"])
def test_the_interval_of_a_rate_is_clopper_pearsons_with_the_independent_draws(
    table: pd.DataFrame, rates: str
) -> None:
    """At the lower end, k or more of n have a probability of 2.5%; at the upper end, k or fewer."""
    rows = read_calibration(COMMITTED) if rates == "committed" else table
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


def test_a_draw_takes_each_item_once_and_no_contradicted_one() -> None:
    rows = planted_model("s0/A", 0).rows
    pool = {dose: calibration.items_read(rows, dose) for dose in (0, 16)}
    drawn = rows.iloc[calibration._draw(pool, Cell(16, 24, 12), np.random.default_rng(0))]

    assert drawn.index.is_unique
    assert drawn["seen"].tolist() == [True] * 12 + [False] * 36
    assert set(drawn[:12]["form"]) == {VERBATIM}
    assert set(drawn[:12]["dose"]) == {16}
    assert CONTRADICTED not in set(drawn["form"])


@pytest.mark.parametrize(
    ("counts", "size", "sentence", "sizes"),
    [
        ((100, 100), ModelSize(4, 96), "", {6, 12, 24}),
        ((100, 13), ModelSize(4, 96), "", {6, 12}),
        ((5, 100), ModelSize(4, 96), "not measured with fewer than 6 items", set()),
        # 12 x 30 x 576^2 over 12 x 4 x 96^2 weights: 7.5 x 36
        ((100, 100), ModelSize(30, 576), "measured on models of 4 blocks of width 96; this one has 30 of width 576: "
         "270 times as many weights in its blocks", {6, 12, 24}),
    ],
)  # fmt: skip
def test_a_verdict_has_the_rates_of_its_number_of_items_and_the_distance_of_its_model(
    table: pd.DataFrame, counts: tuple[int, int], size: ModelSize, sentence: str, sizes: set[int]
) -> None:
    n_items, n_control = counts
    tables = SeenEvidence(
        n_items=n_items,
        n_control=n_control,
        text_length=float(table["text_length"].iloc[0]),
        detectors=[],
        blind=[],
        items=[],
        control_scores=[],
    )
    rates = seen_error_rates(seen_procedure(["loss"], 0.05), tables, size, table)

    assert {rate.case["items"] for rate in rates.rates} == sizes

    shares = [rate for rate in rates.rates if rate.measure == "estimated share of seen items"]
    assert 2 * len(shares) == len(rates.rates)

    sentences = [*rates.missing, *rates.distance]
    assert sentence in ("", *sentences)
    assert len(rates.missing) == (not sizes)


def test_the_committed_false_alarms_are_within_their_intervals_of_the_level() -> None:
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
    rows = table[table["detectors"] == "loss"].set_index(["dose", "n_items", "n_seen"])

    assert (rows["share_low"] <= rows["share"]).all()
    assert (rows["share"] <= rows["share_high"]).all()
    # Items read once score like unseen ones, those read 16 times 3 standard deviations higher.
    assert rows.loc[(1, 12, 12), "share"] < 0.4
    assert rows.loc[(16, 12, 12), "share"] > 0.9
    assert 0.3 < rows.loc[(16, 24, 12), "share"] < 0.7


def test_the_interval_of_the_share_leaves_out_half_of_the_level_at_each_end() -> None:
    """Between the lowest and the highest of 21 draws are 20 steps: 10% of them are 2 steps, 20% would be 4."""
    model = planted_model("s0/A", 1)
    cell = Cell(dose=16, n_items=24, n_seen=12)
    shares = []
    for _, rows in calibration.draw_cases(model, cell, draws=21, seed=3):
        shares.append(calibration.draw_share(model, rows, cell.n_items, "loss", 0.2))
    shares.sort()

    assert shares[2] < shares[4]
    assert shares[-5] < shares[-3]

    table = calibrate([model], ["loss"], draws=21, significance=0.2, seed=3)
    row = table.set_index(["dose", "n_items", "n_seen"]).loc[tuple(cell)]
    assert row["share_low"] == pytest.approx(shares[2])
    assert row["share_high"] == pytest.approx(shares[-3])


def test_the_share_of_a_draw_by_hand() -> None:
    # Of controls 0 to 3, two score as high as 1.5 and three as high as 0.5; none is as high as 9.
    rows = pd.DataFrame({"loss": [9.0, 9.0, 1.5, 0.5, 0.0, 1.0, 2.0, 3.0]})
    model = planted_model("s0/A", 0)._replace(rows=rows)
    # p = 1/5, 1/5, 3/5, 4/5; the threshold is floor(5/2)/5 = 2/5, which two exceed: 1 - 2 / (4 * 3/5).
    share = calibration.draw_share(model, np.arange(8), 4, "loss", 0.05)

    assert share == pytest.approx(1 - 2 / 2.4)


def beyond(known: pd.DataFrame, fresh: pd.DataFrame) -> pd.DataFrame:
    """The cells whose rates in a fresh calibration lie outside of the known intervals."""
    keys = ["detectors", "level", "dose", "n_items", "n_seen"]
    both = known.merge(fresh, on=keys, suffixes=("", "_fresh"), validate="one_to_one")
    assert len(both) > 0
    return both[~both["seen_fresh"].between(both["low"], both["high"])]


@pytest.mark.skipif(not FRESH.exists(), reason="needs the error rates of a finished run")
def test_the_rates_of_a_finished_run_lie_within_the_committed_intervals() -> None:
    assert beyond(read_calibration(COMMITTED), read_calibration(FRESH)).empty


def test_the_same_twins_and_seed_have_the_same_rates_which_lie_within_their_intervals(
    table: pd.DataFrame,
) -> None:
    models = [planted_model("s0/A", 0), planted_model("s0/B", 1)]
    again = calibrate(models, ["loss", "reference"], draws=20, significance=0.05, seed=3)

    pd.testing.assert_frame_equal(again, table)
    assert beyond(table, again).empty


def test_a_calibration_of_twins_that_learnt_nothing_lies_outside_where_items_were_read(
    table: pd.DataFrame,
) -> None:
    learnt_nothing = [planted_model("s0/A", 0, gain=0.0), planted_model("s0/B", 1, gain=0.0)]
    outside = beyond(
        table, calibrate(learnt_nothing, ["loss", "reference"], draws=20, significance=0.05, seed=3)
    )

    assert set(outside["dose"]) == {16}
    assert (outside["seen_fresh"] < outside["low"]).all()
