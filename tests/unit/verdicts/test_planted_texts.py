"""Kinds of planted text by hand, and a verdict's rates on two of them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.items import CONTRADICTED, VERBATIM
from mechaware.verdicts.error_rates import read_calibration, read_calibrations
from mechaware.verdicts.planted_texts import (
    TextKind,
    loss_spread,
    nearest_first,
    planted_kind,
    with_rates_of_all_texts,
)
from mechaware.verdicts.seen import SeenEvidence, judge_benchmark
from mechaware.verdicts.seen_calibration import PlantedModel
from mechaware.verdicts.verdict import Verdict

COMMITTED = read_calibration(
    Path(__file__).resolve().parents[3] / "config/calibration/detectors.csv"
)
# One kind of 38 characters (in the file) whose losses differ little, and one of 250 whose losses
# differ much.
NAMES = COMMITTED[COMMITTED["text"] == "questions about invented names"].assign(loss_spread=0.1)
ESSAYS = NAMES.assign(text="essays", text_length=250.0, loss_spread=0.4, seen=0.25)


def scored(*losses: float) -> TokenScores:
    """A text whose tokens have these losses in nats."""
    count = len(losses)
    return TokenScores(np.arange(count), -np.array(losses), *np.zeros((3, count)))


def test_the_spread_of_losses_by_hand() -> None:
    # Means of 1, 2 and 3, whose standard deviation is 1.
    assert loss_spread([scored(1, 1), scored(2), scored(4, 2)]) == pytest.approx(1 / 2)
    assert np.isnan(loss_spread([scored(1, 1)]))


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        # 1.01 + 0.10 and 0.82 + 1.29: |log 40/110| + |log 0.1/0.11| and
        # |log 250/110| + |log 0.4/0.11|
        (TextKind("mine", 110, 0.11), "short"),
        # 1.01 and 0.82: without a spread the lengths decide
        (TextKind("mine", 110, np.nan), "long"),
        # 1.01 + 1.28 and 0.82 + 0.11
        (TextKind("mine", 110, 0.36), "long"),
    ],
)
def test_the_nearest_kind_is_most_like_in_length_and_in_spread(asked: TextKind, first: str) -> None:
    kinds = [TextKind("short", 40, 0.1), TextKind("long", 250, 0.4)]
    assert nearest_first(kinds, asked)[0].text == first


def test_without_the_spread_of_one_kind_lengths_decide() -> None:
    kinds = [TextKind("short", 40, 0.1), TextKind("long", 250, np.nan)]
    assert [kind.text for kind in nearest_first(kinds, TextKind("mine", 110, 0.11))] == [
        "long",
        "short",
    ]


def test_a_planted_kind_has_the_length_of_all_items_and_the_spread_of_unseen_ones() -> None:
    """The lengths are 3, 5, 7 and 9. The seen and the contradicted item do not count for the
    spread.

    The other losses are 1 and 3 in one model, of spread sqrt(2) / 2, and 2 and 2 in the other, of
    spread 0.
    """

    def model(name: str, *losses: float) -> PlantedModel:
        rows = pd.DataFrame(
            {"seen": [False, False, True, False], "form": [*[VERBATIM] * 3, CONTRADICTED]}
        )
        texts = ["abc", "abcde", "abcdefg", "abcdefghi"]
        return PlantedModel(name, rows, Evidence(texts, texts, [scored(loss) for loss in losses]))

    kind = planted_kind([model("A", 1, 3, 50, 90), model("B", 2, 2, 50, 90)], "letters")
    assert (kind.text, kind.text_length) == ("letters", 6)
    assert kind.loss_spread == pytest.approx(np.sqrt(2) / 4)


def verdict_on(
    losses: list[float], calibration: pd.DataFrame, n_items: int = 22
) -> Verdict[SeenEvidence]:
    """The verdict on texts of 100 characters, the second half of them the control.

    Both halves have these losses in turn. The model has 4 blocks of width 96.
    """
    n = 2 * n_items
    texts = [f"{row % n_items:099d}." for row in range(n)]
    losses_of_rows = [losses[row % len(losses)] for row in range(n)]
    tokens = [scored(loss, loss) for loss in losses_of_rows]
    evidence = Evidence(texts, texts, tokens, states=np.zeros((n, 4, 96)))
    scores = pd.DataFrame({"id": texts, "loss": [float(n - row) for row in range(n)]}).assign(
        control=[row >= n_items for row in range(n)]
    )
    judged = judge_benchmark(scores, evidence, ["loss"], calibration, significance=0.05, seed=0)
    return with_rates_of_all_texts(judged, scores, evidence, calibration)


BOTH = pd.concat([NAMES, ESSAYS], ignore_index=True)


@pytest.mark.parametrize(
    ("losses", "first", "share"),
    # Of 11 control texts of each loss, standard deviation over mean: 0.1 / 2 and 0.8 / 2, times
    # sqrt(22 / 21).
    [
        ([1.9, 2.1], "questions about invented names", "5%"),
        ([1.2, 2.8], "essays", "41%"),
    ],
)
def test_a_verdict_has_the_rates_of_both_kinds_the_nearest_first(
    losses: list[float], first: str, share: str
) -> None:
    rates = verdict_on(losses, BOTH).error_rates
    kinds = list(dict.fromkeys(rate.case["text"] for rate in rates.rates))
    assert kinds[0] == first
    assert sorted(map(str, kinds)) == ["essays", "questions about invented names"]
    assert {rate.value for rate in rates.rates if rate.case["text"] == "essays"} >= {0.25}
    on_spread = [line for line in rates.distance if line.startswith("the losses of essays")]
    assert on_spread == [
        "the losses of essays have a standard deviation of 40% of their mean, those of these texts of "
        f"{share}"
    ]
    assert rates.distance[0].startswith(f"measured on {first} with a median length of")
    # Of each kind a sentence on its length and one on its spread.
    assert len(rates.distance) == 4
    assert rates.missing == []


def test_a_kind_without_rates_of_so_few_items_is_passed_over() -> None:
    larger = pd.concat([NAMES, ESSAYS.assign(n_items=ESSAYS["n_items"] + 100)], ignore_index=True)
    rates = verdict_on([1.2, 2.8], larger).error_rates
    assert {rate.case["text"] for rate in rates.rates} == {"questions about invented names"}
    assert rates.missing == []


def test_a_verdict_whose_procedure_was_measured_on_no_kind_of_text_says_so() -> None:
    other = BOTH.assign(procedure=BOTH["procedure"].str.replace("level=0.05", "level=0.01"))
    rates = verdict_on([1.2, 2.8], other).error_rates
    assert rates.rates == []
    assert rates.missing[0] == "not measured with this procedure: level is 0.05, measured at 0.01"


def test_only_the_rates_on_models_of_the_nearest_size_are_given() -> None:
    """The model in question has 4 blocks of width 96, the size of the first rates: the larger size
    is left out.

    Where only the larger size was measured, its rates are given, with a sentence on the size.
    """
    larger = BOTH.assign(n_layers=30, d_model=576, text=BOTH["text"] + " of 2025", seen=0.5)
    rates = verdict_on([1.2, 2.8], pd.concat([BOTH, larger], ignore_index=True)).error_rates
    assert {rate.case["text"] for rate in rates.rates} == {
        "essays",
        "questions about invented names",
    }
    assert not [sentence for sentence in rates.distance if "blocks of width" in sentence]

    far = verdict_on([1.2, 2.8], larger).error_rates
    assert {rate.case["text"] for rate in far.rates} == {
        "essays of 2025",
        "questions about invented names of 2025",
    }
    assert any("measured on models of 30 blocks of width 576" in line for line in far.distance)


def test_a_calibration_without_rows_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    full = tmp_path / "full.csv"
    empty = tmp_path / "empty.csv"
    NAMES.to_csv(full, index=False)
    empty.write_text(",".join([*NAMES.columns, "model", "commit"]) + "\n")
    together = read_calibrations([full, empty])
    pd.testing.assert_frame_equal(together, read_calibration(full))


def test_calibrations_without_any_row_are_an_empty_table(tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text(",".join([*NAMES.columns, "model", "commit"]) + "\n")

    together = read_calibrations([empty, empty])

    assert together.empty
    assert "procedure" in together
