"""What the cards of a run's instruments are called."""

from pathlib import Path
from typing import Any

import pandas as pd

from mechaware.cards.instruments import detectors
from mechaware.radar.detectors.detector import Detector


def score(evidence: Any, seed: int) -> Any:
    raise AssertionError(f"a card asked for scores of {evidence} with seed {seed}")


MINE = Detector("mine", "my certainty", "Me 2026", (), score)


def test_a_card_has_the_label_and_the_source_of_its_detector_also_of_an_own_one(tmp_path: Path) -> None:
    items = pd.DataFrame({"twin": ["A", "B"], "id": "x", "kind": "recall", "form": "verbatim", "dose": 1})
    items = items.assign(seen=[True, False], min_k=[1.0, 2.0], mine=[3.0, 5.0])
    items = items.assign(shuffled_seen=items["seen"], shuffled_min_k=items["min_k"], shuffled_mine=items["mine"])
    scores = tmp_path / "s0/scores.parquet"
    scores.parent.mkdir()
    items.to_parquet(scores)
    cards = {card.name: card for card in detectors([scores], [MINE])}
    assert {name: card.label for name, card in cards.items()} == {"min_k": "Min-K%", "mine": "my certainty"}
    assert "Source: Me 2026 (your own)." in cards["mine"].claims
