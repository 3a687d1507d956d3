"""Means over pairs, ranking and faithfulness of heads and MLPs, from runs of one pair and one set at a time."""

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel

from mechaware.instruments.grounding.tasks.components import measure_components
from mechaware.instruments.grounding.tasks.page import component_values
from mechaware.instruments.grounding.tasks.tables import ComponentTables
from mechaware.models.patching.components import (
    attribute,
    components_of,
    patch_components,
    run_pair,
)
from mechaware.models.patching.runs import TokenPair
from mechaware.models.registry import load_model
from mechaware.verdicts.reads import _components
from tests.tiny_models import make_tiny_model

PAIRS = [
    TokenPair([3, 40, 7, 8], [3, 90, 7, 8], 1, 40, 90),
    TokenPair([5, 6, 60, 61, 9], [5, 6, 70, 71, 9], 2, 60, 70, 2),
    TokenPair([3, 40, 41, 7, 8], [3, 90, 7, 8], 1, 40, 90, 2),  # of different length: left out
]
EQUAL = PAIRS[:2]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> PreTrainedModel:
    folder = make_tiny_model("llama", tmp_path_factory.mktemp("tiny"), n_layers=3)
    return load_model(folder, torch.device("cpu"))


@pytest.fixture(scope="module")
def tables(model: PreTrainedModel) -> ComponentTables:
    found = measure_components(model, PAIRS, tokens_per_batch=1000)
    assert found is not None
    return found


def run(model: PreTrainedModel, pair: TokenPair, patched: set[int], base: str) -> float:
    """One run with the other prompt's outputs of some components."""
    row = torch.tensor([[number in patched for number in range(len(components_of(model)))]])
    return float(
        patch_components(model, run_pair(model, pair), row, base=base, tokens_per_batch=1000)[0]
    )


def test_attribution_and_effects_are_means_over_pairs_of_equal_length(
    model: PreTrainedModel, tables: ComponentTables
) -> None:
    attributions = [attribute(model, run_pair(model, pair), 1000) for pair in EQUAL]
    mean = torch.stack(attributions).mean(0).tolist()
    assert tables.n == 2
    assert tables.scores["attribution"].tolist() == pytest.approx(mean, abs=1e-6)
    gaps = [
        run(model, pair, set(), "clean") - run(model, pair, set(), "corrupted") for pair in EQUAL
    ]
    assert tables.gap == pytest.approx(np.mean(gaps), abs=1e-5)

    largest = sorted(range(15), key=lambda number: -abs(mean[number]))[:10]
    assert set(tables.scores.index[tables.scores["patched"].notna()]) == set(largest)
    for number in largest:
        moves = []
        for pair in EQUAL:
            patched = run(model, pair, {number}, "corrupted")
            moves.append(patched - run(model, pair, set(), "corrupted"))
        assert tables.scores["patched"][number] == pytest.approx(np.mean(moves), abs=1e-5)

    checked = tables.scores.dropna(subset="patched")
    expected = np.corrcoef(checked["attribution"], checked["patched"])[0, 1]
    assert tables.correlation == pytest.approx(expected, abs=1e-6)


def test_faithfulness_is_what_the_strongest_recover_alone_and_what_is_left_without_them(
    model: PreTrainedModel, tables: ComponentTables
) -> None:
    """Of 15 components: sets of 1, 2, 4 and 8. m of no component is the corrupted run's."""
    strongest = tables.scores["attribution"].abs().sort_values(ascending=False, kind="stable").index
    nothing = np.mean([run(model, pair, set(), "corrupted") for pair in EQUAL])
    assert tables.faithfulness["size"].tolist() == [1, 2, 4, 8]
    for row in tables.faithfulness.itertuples():
        chosen = set(strongest[: row.size])
        for share, corrupted in ((row.alone, set(range(15)) - chosen), (row.without, chosen)):
            of_pairs = [run(model, pair, corrupted, "clean") for pair in EQUAL]
            expected = (np.mean(of_pairs) - nothing) / tables.gap
            assert share == pytest.approx(expected, abs=1e-4)
    assert tables.faithfulness["alone"].nunique() == 4
    assert (tables.faithfulness["random_alone"] != tables.faithfulness["alone"]).all()


def test_without_pairs_of_equal_length_nothing_is_measured(model: PreTrainedModel) -> None:
    assert measure_components(model, PAIRS[2:], tokens_per_batch=1000) is None


def test_the_map_has_a_cell_for_each_component_with_its_share_of_the_gap(
    tables: ComponentTables,
) -> None:
    record = _components(tables)
    assert record is not None
    values = component_values(record)
    assert (values["n_columns"], values["n_rows"], len(values["cells"])) == (5, 3, 15)
    assert max(cell["strength"] for cell in values["cells"]) == 1
    last = values["cells"][-1]
    assert (last["name"], last["column"], last["row"]) == ("MLP of block 3", 4, 2)
    assert values["cells"][6]["name"] == "head 2 of block 2"
    assert last["share"] == pytest.approx(tables.scores["attribution"][14] / tables.gap)
    shares = [abs(row["attribution"]) for row in values["patched"]]
    assert len(shares) == 10
    assert shares == sorted(shares, reverse=True)
