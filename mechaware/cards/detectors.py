"""The detectors of training data, tested on items planted in twins: their scores as the long table of a card."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from mechaware.cards.card import Instrument
from mechaware.radar.detectors.registry import all_detectors
from mechaware.radar.memorisation.items import ANSWER_ONLY, CONTRADICTED, PARAPHRASE, VERBATIM
from mechaware.radar.memorisation.scoring import BLIND, DETECTOR_LABELS, DETECTOR_SOURCES

_LADDER = "read verbatim, fewer and fewer times"
_READ = {VERBATIM: "items", PARAPHRASE: "paraphrases", ANSWER_ONLY: "answers", CONTRADICTED: "contradicted items"}


def detectors(scores: Sequence[Path], own: Sequence[Path], own_names: Sequence[str]) -> Iterator[Instrument]:
    """The detectors with a column in `scores`, a file for each seed, and those of the user's own package in `own`.

    A unit is an item under a twin. Seeds are groups, since each trains models of its own, and kinds are parts, since
    memory may move the scores of two kinds in opposite directions.
    """
    tables = [pd.read_parquet(path).assign(group=path.parent.name) for path in scores]
    rows = pd.concat(tables, ignore_index=True)
    for path in own:
        rows = rows.merge(pd.read_parquet(path), on=["group", "twin", "id"], validate="one_to_one")
    times = rows["dose"].map({1: "once"}).fillna(rows["dose"].astype(str) + " times")
    rows = rows.assign(
        unit=rows["group"] + "/" + rows["twin"] + "/" + rows["id"],
        part=rows["kind"],
        facet=(rows["form"] == VERBATIM).map({True: _LADDER, False: "in another form"}),
        condition=rows["form"].map(_READ) + " read " + times,
        truth=rows["seen"],
    ).sort_values(["facet", "dose"], ascending=False, kind="stable")
    added = {detector.name: detector for detector in all_detectors(own_names)}
    labels = DETECTOR_LABELS | {name: detector.label for name, detector in added.items()}
    sources = DETECTOR_SOURCES | {name: detector.source for name, detector in added.items()}
    origin = dict.fromkeys(map(str, scores), "scripts/radar/score_twins.py")
    origin |= dict.fromkeys(map(str, own), "scripts/radar/score_own_detectors.py")
    for name, label in labels.items():
        if name in rows and name not in BLIND:
            yield Instrument(
                kind="detector",
                name=name,
                label=label,
                claims=f"Has a model read an item in training? A higher score, more likely. Source: {sources[name]}.",
                units="items",
                rows=rows.assign(score=rows[name]),
                ladder=_LADDER,
                verdicts=False,
                within=True,
                sources=origin,
                beside={f"{blind} (blind)": column for column, blind in BLIND.items()},
            )
