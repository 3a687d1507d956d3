"""The instruments of RADAR that have calibration cards: its detectors, by scores of planted items.

A blind reader (`columns.BLIND`) scores an item by its text alone, and has a card like a detector.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from mechaware.instruments.radar.detectors import logit_lens
from mechaware.instruments.radar.detectors.columns import SHUFFLED, columns_of_detectors
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.planted.twins.items import VERBATIM
from mechaware.planted.twins.scoring import DETECTOR_LABELS, DETECTOR_SOURCES, read_scores
from mechaware.verdicts.cards.card import Instrument

# In the cards of detectors that are fitted on planted names.
_FITTED = (
    "It is a classifier, fitted on planted names of other seeds and on no docstrings. What the "
    "logit lens over layers adds to likelihoods is the difference between its card and that of the "
    "likelihoods, fitted alike."
)


def detectors(
    scores: Sequence[Path],
    own_scores: Sequence[Path] = (),
    own: Sequence[Detector] = (),
    text_scores: Sequence[Path] = (),
    lens_scores: Sequence[Path] = (),
) -> Iterator[Instrument]:
    """Each detector that has scores, and each blind reader of the same texts.

    A unit is an item under a twin. Seeds are groups, since each seed trains models of its own.
    Kinds of items are parts, since memory may move the scores of two kinds in opposite directions;
    docstrings are a kind.

    Args:
        scores: The scores of planted questions (`score_twins`), a file for each seed.
        own_scores: The scores by the detectors of `own`, a file for each seed; empty without such
            detectors.
        own: The detectors of the user's own package.
        text_scores: The scores of planted docstrings (`score_texts`), a file for each of their
            seeds; detectors of `own` have none there.
        lens_scores: The scores of the detectors that are fitted on planted names: a file for names,
            then one for docstrings (`_fitted_scores`).
    """
    rows = _item_rows(scores, own_scores, text_scores, lens_scores)
    labels = DETECTOR_LABELS | logit_lens.LABELS
    references = DETECTOR_SOURCES | logit_lens.SOURCES
    for detector in own:
        labels[detector.name] = detector.label
        references[detector.name] = f"{detector.source} (your own)"
    # By table, the script that made it.
    made_by = dict.fromkeys(map(str, scores), "scripts/radar/score_twins.py")
    made_by |= dict.fromkeys(map(str, text_scores), "scripts/radar/measure_text_twins.py")
    own_made_by = dict.fromkeys(map(str, own_scores), "scripts/radar/score_twins_by_own.py")
    lens_made_by: dict[str, str] = {}
    if lens_scores:
        on_names, on_docstrings = lens_scores
        lens_made_by = {
            str(on_names): "scripts/radar/score_logit_lens.py",
            str(on_docstrings): "scripts/radar/score_text_logit_lens.py",
        }
    own_names = {detector.name for detector in own}

    for name in columns_of_detectors(map(str, rows.columns)):
        claims = (
            f"Has a model read an item in training? Source: {references[name]}. Each text was read "
            "by one of two twins and stands on both sides: who reads texts alone is at 0.5 by "
            "design."
        )
        sources = made_by
        if name in own_names:
            sources = own_made_by
        elif name in logit_lens.READS:
            claims = f"{claims} {_FITTED}"
            sources = made_by | lens_made_by
        yield Instrument(
            kind="detector",
            name=name,
            label=labels[name],
            claims=claims,
            units="items",
            # A detector that scores only names, or only docstrings, has no score in the other rows.
            rows=rows.assign(score=rows[name]).dropna(subset="score"),
            cut=None,
            sources=sources,
        )


def _item_rows(
    scores: Sequence[Path],
    own_scores: Sequence[Path],
    text_scores: Sequence[Path],
    lens_scores: Sequence[Path],
) -> pd.DataFrame:
    """A row for each item under each twin: all detectors' scores, and a card's columns but `score`.

    The arguments are those of `detectors`.
    """
    tables = []
    for path, table in zip(scores, read_scores(scores, own_scores), strict=True):
        tables.append(table.assign(group=path.parent.name))
    for path in text_scores:
        tables.append(pd.read_parquet(path).assign(group=f"docstrings {path.parent.name}"))
    rows = pd.concat(tables, ignore_index=True)
    if lens_scores:
        on_names, on_docstrings = lens_scores
        fitted = _fitted_scores(pd.read_parquet(on_names), pd.read_parquet(on_docstrings))
        rows = rows.merge(fitted, how="left", on=["group", "twin", "id"], validate="one_to_one")

    form = rows["form"].str.replace("_", " ")
    rows = rows.assign(
        unit=rows["group"] + "/" + rows["twin"] + "/" + rows["id"],
        part=rows["kind"],
        condition=form + ", read " + rows["dose"].astype(str) + "x",
        truth=rows["seen"],
        is_altered=rows["form"] != VERBATIM,
    )
    # A card lists conditions in the order of the rows: items that were read verbatim first, the
    # highest dose first.
    return rows.sort_values(["is_altered", "dose"], ascending=[True, False], kind="stable")


def _fitted_scores(on_names: pd.DataFrame, on_docstrings: pd.DataFrame) -> pd.DataFrame:
    """By group, twin and id, the scores of the classifiers of `logit_lens`.

    Each classifier has two columns: fitted to the truth, and fitted to a shuffled truth.

    The arguments are tables of `score_logit_lens`. Names are scored by a fit on other seeds.
    Docstrings, like a user's own texts, are scored by a fit on names.
    """
    name_scores = on_names[on_names["fit"] == logit_lens.OTHER_SEEDS]
    docstring_scores = on_docstrings[on_docstrings["fit"] == logit_lens.NAMES]
    tables = [
        name_scores.assign(group="s" + name_scores["seed"].astype(str)),
        docstring_scores.assign(group="docstrings s" + docstring_scores["seed"].astype(str)),
    ]
    columns = ["group", "twin", "id"]
    for name in logit_lens.READS:
        columns += [name, f"{SHUFFLED}_{name}"]
    return pd.concat(tables, ignore_index=True)[columns]
