"""Evidence in a folder: tokens as Parquet tables, activations as safetensors, texts as JSON."""

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from safetensors.numpy import load_file, save_file

from mechaware.files import replacing
from mechaware.models.summaries import TokenScores
from mechaware.radar.evidence.evidence import Evidence, Samples

_SCORED = ("scores", "lowercase", "reference", "after_unseen", "after_seen")
_ARRAYS = ("states", "p_recall")


def write_evidence(evidence: Evidence, folder: Path) -> None:
    """Write what was measured to `folder`, whole or not at all; `corpus`, `token_counts` and `seen` are not kept."""
    arrays = {name: getattr(evidence, name) for name in _ARRAYS if getattr(evidence, name) is not None}
    with replacing(folder) as partial:
        partial.mkdir()
        texts = {"texts": list(evidence.texts), "groups": list(evidence.groups)}
        (partial / "texts.json").write_text(json.dumps(texts))
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, partial / "arrays.safetensors")
        for name in _SCORED:
            if (scored := getattr(evidence, name)) is not None:
                _token_table(scored).to_parquet(partial / f"{name}.parquet", index=False)
        if evidence.features is not None:
            evidence.features.to_parquet(partial / "features.parquet", index=False)
        if evidence.samples is not None:
            # A row per item with lists of tokens, so that a continuation without tokens is kept.
            pd.DataFrame(evidence.samples).to_parquet(partial / "samples.parquet", index=False)


def read_evidence(folder: Path) -> Evidence:
    """Read what `write_evidence` wrote."""
    fields: dict[str, Any] = json.loads((folder / "texts.json").read_text())
    n_rows = len(fields["texts"])
    fields |= load_file(folder / "arrays.safetensors")
    for name in _SCORED:
        if (path := folder / f"{name}.parquet").exists():
            fields[name] = list(_scores_by_row(pd.read_parquet(path), n_rows))
    if (path := folder / "features.parquet").exists():
        fields["features"] = pd.read_parquet(path)
    if (path := folder / "samples.parquet").exists():
        rows = pd.read_parquet(path).itertuples(index=False)
        fields["samples"] = [Samples(greedy, list(drawn)) for greedy, drawn in rows]
    return Evidence(**fields)


def _token_table(scored: Sequence[TokenScores]) -> pd.DataFrame:
    parts = [pd.DataFrame(scores._asdict()).assign(row=row) for row, scores in enumerate(scored)]
    return pd.concat(parts, ignore_index=True)


def _scores_by_row(table: pd.DataFrame, n_rows: int) -> Iterator[TokenScores]:
    columns = {name: table[name].to_numpy() for name in TokenScores._fields}
    bounds = np.searchsorted(table["row"].to_numpy(), np.arange(n_rows + 1))
    for first, end in itertools.pairwise(bounds):
        yield TokenScores(**{name: values[first:end] for name, values in columns.items()})
