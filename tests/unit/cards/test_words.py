"""The words on the cards of instruments whose faults are known."""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.cards.card import DRAWS, LENGTH, SAMPLE, Instrument, Part, measure
from mechaware.cards.page import write_cards, write_index
from mechaware.cards.words import describe
from mechaware.provenance import sidecar

UNITS = 40  # of either truth in each condition
SOURCE = {"results/table.parquet": "scripts/make_table.py"}


def instrument(name: str, *, verdicts: bool = False) -> Instrument:
    """An instrument of this fault on two conditions: texts of equal length, and true ones that are 5 tokens longer."""
    generator = np.random.default_rng(0)
    rows = pd.DataFrame(
        [(facet_condition, truth) for facet_condition in ("even", "uneven") for truth in (True, False) * UNITS],
        columns=["condition", "truth"],
    )
    longer = (rows["condition"] == "uneven") & rows["truth"]
    rows["length"] = np.tile(np.arange(2 * UNITS) // 2 % 20, 2) + 10.0 + 5 * longer
    scores = {
        "right": rows["truth"].astype(float),
        "chance": pd.Series(generator.random(len(rows))),
        "length": rows["length"],
    }
    score = scores[name] if not verdicts else (scores[name] > 0.5).astype(float)
    rows = rows.assign(unit=rows.index, group=rows.index, part="", facet="texts", score=score)
    if verdicts:
        rows["length"] = np.nan
    return Instrument("detector", name, name, "The truth?", "items", rows, "texts", verdicts, False, SOURCE, {})


@cache
def sentences(name: str) -> dict[str, str]:
    own = instrument(name)
    return describe(own, measure(own, level=0.95, seed=3))


@pytest.mark.parametrize(
    ("name", "sentence", "words"),
    [
        ("right", "use", "Use it for all that was planted: there it separates at 1.00."),
        (
            "right",
            "avoid",
            "No planted condition made it fail; harder ones were not planted, so do not rely on it beyond",
        ),
        (
            "right",
            "effect ",
            "even found always, uneven found always. The smallest effect found in 80% of draws: uneven.",
        ),
        ("right", "effect ", "The ladder did not reach a failure."),
        ("right", "worst", "no condition is known to be worse than another"),
        ("chance", "use", "Use it for nothing that was planted here"),
        ("chance", "avoid", "all units together, even and uneven (no signal, and we would have seen one of 0.7)."),
        ("chance", "effect ", "The smallest effect found in 80% of draws: none. It fails at “even”: no signal"),
        ("length", "use", "Use it for nothing that was planted here"),
        (
            "length",
            "avoid",
            "Do not rely on it for all units together and uneven (length alone does it); even (no signal",
        ),
        # True texts have 15 to 34 tokens, false ones 10 to 29; the area is counted in the next test.
        ("length", "length", "uneven: length alone separates at 0.72"),
        ("length", "length", "this score among equal lengths at 0.50"),
        ("right", "length", "this score among equal lengths at 1.00"),
    ],
)
def test_a_card_says_in_plain_words_what_the_instrument_does(name: str, sentence: str, words: str) -> None:
    assert words in sentences(name)[sentence]


def test_the_area_of_the_length_is_counted_by_hand() -> None:
    """Of the 20 x 20 pairs of a true length t + 5 and a false length f, half a pair for each tie."""
    pairs = [(true + 5 > false) + (true + 5 == false) / 2 for true in range(20) for false in range(20)]
    (part,) = measure(instrument("length"), level=0.95, seed=3)
    _, even, uneven = part.cells
    assert even.separation.value == 0.5
    assert uneven.separation.value == uneven.by_length.value == pytest.approx(sum(pairs) / 400)
    assert uneven.at_equal_length.value == 0.5
    assert uneven.finding == LENGTH


def measured(own: Instrument) -> Part:
    (part,) = measure(own, level=0.95, seed=3)
    return part


def test_verdicts_have_exact_rates_and_the_interval_of_their_mean() -> None:
    """40 of 40: Clopper-Pearson's lower end is 0.025^(1/60); the mean of two such rates ends at 1 - sqrt(2) d / 2."""
    cell = measured(instrument("right", verdicts=True)).cells[1]
    end = 0.025 ** (1 / UNITS)
    assert [tuple(rate) for rate in cell.rates] == [(40, 40, pytest.approx(end), 1.0)] * 2
    assert tuple(cell.separation) == (1.0, pytest.approx(1 - np.sqrt(2) * (1 - end) / 2), 1.0)


def test_a_condition_of_one_truth_is_set_against_all_units_of_the_other() -> None:
    own = instrument("right", verdicts=True)
    rows = own.rows[(own.rows["condition"] == "even") | ~own.rows["truth"]]
    even, uneven = measured(own._replace(rows=rows)).cells[1:]
    assert (even.n_true, even.n_false) == (40, 40)
    assert (uneven.n_true, uneven.n_false) == (40, 40)
    assert uneven.rates[0] == even.rates[0]


def test_shuffled_truth_separates_at_chance_and_intervals_of_a_chance_score_cover() -> None:
    part = measured(instrument("chance"))
    assert part.shuffled.value == pytest.approx(0.5, abs=0.01)
    assert part.shuffled.low < 0.45 < 0.55 < part.shuffled.high
    assert part.coverage == pytest.approx(0.95, abs=0.04)  # of 200 draws, one in forty is 0.015 off


def test_scores_within_groups_are_averaged_over_groups() -> None:
    """Group 0 orders all its pairs rightly and group 1 half of them: 0.75, with a t interval of 1 degree of freedom."""
    rows = pd.DataFrame({"truth": [True, False] * 4, "score": [1.0, 0, 1, 0, 9, 8, 8, 9], "group": [0] * 4 + [1] * 4})
    rows = rows.assign(unit=rows.index, part="", facet="", condition="", length=np.nan)
    own = instrument("right")._replace(rows=rows, within=True)
    (everything,) = measured(own).cells
    assert everything.separation == (0.75, 0.0, 1.0)
    assert everything.found is None  # four units of either truth are too few to draw 22 from


def test_a_page_has_its_numbers_and_the_index_no_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    record = {"git": {"commit": "abc"}, "steps": [{"step": "make_table", "parameters": {"seed": 5}}]}
    sidecar(Path("results/table.parquet")).write_text(json.dumps(record))
    folder = Path("results/cards/detector")
    folder.parent.mkdir()
    write_cards(map(instrument, ("right", "chance", "length")), folder, level=0.95, seed=3)
    write_index([folder], Path("results/cards/index.html"))
    page = (folder / "length.html").read_text()
    assert "length alone does it" in page
    assert "make_table</dt><dd>seed 5" in page
    for link in ("../../table.parquet", "../../table.provenance.json", "scripts/make_table.py"):
        assert f'{link}"' in page
    written = json.loads((folder / "right.json").read_text())
    assert written["commits"] == ["abc"]
    assert written["constants"] | {"draws": DRAWS, "sample": SAMPLE} == written["constants"]
    listed = (folder.parent / "index.html").read_text()
    assert re.findall(r'row"><a href="detector/(\w+).html', listed) == ["chance", "length", "right"]  # by their names
    # The interval of the best lies above those of both others, whose intervals overlap.
    assert re.findall(r"</a></td><td>(\d)</td>", listed) == ["1", "1", "0"]
