"""The tables of heads and MLPs equal what `run_pair`, `attribute` and `patch_components` give pair
by pair.

A component's number is its place in `components_of(model)`: by block, the heads and then the MLP.
"""

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel

from mechaware.instruments.grounding.tasks.components import measure_components
from mechaware.instruments.grounding.tasks.page import component_values
from mechaware.instruments.grounding.tasks.tables import ComponentTables
from mechaware.models.patching.components import (
    Component,
    attribute,
    components_of,
    patch_components,
    run_pair,
)
from mechaware.models.patching.runs import TokenPair
from mechaware.models.registry import load_model
from mechaware.verdicts.reads import _components
from tests.tiny_models import make_tiny_model

# `n_tokens` is the length of the clean prompt's word, which begins at `position`; 1 by default.
EQUAL_LENGTHS = [
    TokenPair(
        clean=[3, 40, 7, 8],
        corrupted=[3, 90, 7, 8],
        position=1,
        correct=40,
        incorrect=90,
    ),
    TokenPair(
        clean=[5, 6, 60, 61, 9],
        corrupted=[5, 6, 70, 71, 9],
        position=2,
        correct=60,
        incorrect=70,
        n_tokens=2,
    ),
]
UNEQUAL_LENGTHS = [
    TokenPair(
        clean=[3, 40, 41, 7, 8],
        corrupted=[3, 90, 7, 8],
        position=1,
        correct=40,
        incorrect=90,
        n_tokens=2,
    ),
]
N_BLOCKS = 3
N_COMPONENTS = 15  # 4 heads and the MLP of each block


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> PreTrainedModel:
    folder = make_tiny_model("llama", tmp_path_factory.mktemp("tiny"), n_layers=N_BLOCKS)
    return load_model(folder, torch.device("cpu"))


@pytest.fixture(scope="module")
def tables(model: PreTrainedModel) -> ComponentTables:
    pairs = [*EQUAL_LENGTHS, *UNEQUAL_LENGTHS]
    measured = measure_components(model, pairs, tokens_per_batch=1000)
    assert measured is not None
    return measured


def mean_diff(model: PreTrainedModel, base: str, patched: set[int]) -> float:
    """The mean logit difference of runs of the prompt `base`, over the pairs of equal lengths.

    In each run the components with the numbers `patched` have the other prompt's outputs.
    """
    is_patched = torch.tensor([[number in patched for number in range(N_COMPONENTS)]])
    diffs = []
    for pair in EQUAL_LENGTHS:
        runs = run_pair(model, pair)
        (diff,) = patch_components(model, runs, is_patched, base=base, tokens_per_batch=1000)
        diffs.append(float(diff))
    return float(np.mean(diffs))


# Attribution and effects


def test_pairs_of_unequal_lengths_do_not_count(tables: ComponentTables) -> None:
    assert tables.n == len(EQUAL_LENGTHS)


def test_without_pairs_of_equal_lengths_nothing_is_measured(model: PreTrainedModel) -> None:
    assert measure_components(model, UNEQUAL_LENGTHS, tokens_per_batch=1000) is None


def test_the_gap_is_the_mean_clean_minus_the_mean_corrupted_difference(
    model: PreTrainedModel, tables: ComponentTables
) -> None:
    expected = mean_diff(model, "clean", patched=set()) - mean_diff(
        model, "corrupted", patched=set()
    )

    assert tables.gap == pytest.approx(expected, abs=1e-5)


def test_attribution_is_a_mean_over_pairs(model: PreTrainedModel, tables: ComponentTables) -> None:
    attributions = []
    for pair in EQUAL_LENGTHS:
        attributions.append(attribute(model, run_pair(model, pair), tokens_per_batch=1000))
    expected = torch.stack(attributions).mean(0).tolist()

    assert tables.scores["attribution"].tolist() == pytest.approx(expected, abs=1e-6)


def test_the_ten_components_of_the_largest_attribution_are_patched_alone(
    model: PreTrainedModel, tables: ComponentTables
) -> None:
    sizes = tables.scores["attribution"].abs().tolist()
    largest = sorted(range(N_COMPONENTS), key=lambda number: -sizes[number])[:10]
    patched = tables.scores["patched"].dropna()

    assert set(patched.index) == set(largest)
    for number in largest:
        effect = mean_diff(model, "corrupted", {number}) - mean_diff(model, "corrupted", set())
        assert patched[number] == pytest.approx(effect, abs=1e-5), number


def test_the_correlation_is_pearsons_over_the_patched_components(tables: ComponentTables) -> None:
    checked = tables.scores.dropna(subset="patched")

    expected = np.corrcoef(checked["attribution"], checked["patched"])[0, 1]

    assert tables.correlation == pytest.approx(expected, abs=1e-6)


# Faithfulness


def test_faithfulness_is_the_share_of_the_gap_left_when_a_set_or_all_others_are_corrupted(
    model: PreTrainedModel, tables: ComponentTables
) -> None:
    """`alone`: all components outside of the set are corrupted; `without`: those of the set are."""
    sizes = tables.scores["attribution"].abs()
    strongest = sizes.sort_values(ascending=False, kind="stable").index
    corrupted_diff = mean_diff(model, "corrupted", patched=set())

    assert tables.faithfulness["size"].tolist() == [1, 2, 4, 8]  # powers of two below 15
    for row in tables.faithfulness.itertuples():
        chosen = set(strongest[: row.size])
        others = set(range(N_COMPONENTS)) - chosen
        alone = (mean_diff(model, "clean", patched=others) - corrupted_diff) / tables.gap
        without = (mean_diff(model, "clean", patched=chosen) - corrupted_diff) / tables.gap
        assert row.alone == pytest.approx(alone, abs=1e-4)
        assert row.without == pytest.approx(without, abs=1e-4)


def test_faithfulness_depends_on_the_size_of_the_set(tables: ComponentTables) -> None:
    assert tables.faithfulness["alone"].nunique() == 4


def test_faithfulness_of_random_sets_takes_an_order_of_its_own_for_each_pair(
    model: PreTrainedModel, tables: ComponentTables
) -> None:
    generator = np.random.default_rng(0)
    orders = [generator.permutation(N_COMPONENTS) for _ in EQUAL_LENGTHS]
    corrupted_diff = mean_diff(model, "corrupted", patched=set())

    for row in tables.faithfulness.itertuples():
        alone_diffs = []
        without_diffs = []
        for pair, order in zip(EQUAL_LENGTHS, orders, strict=True):
            is_chosen = torch.isin(torch.arange(N_COMPONENTS), torch.from_numpy(order[: row.size]))
            alone_diff, without_diff = patch_components(
                model,
                run_pair(model, pair),
                torch.stack([~is_chosen, is_chosen]),
                base="clean",
                tokens_per_batch=1000,
            )
            alone_diffs.append(float(alone_diff))
            without_diffs.append(float(without_diff))
        alone = (np.mean(alone_diffs) - corrupted_diff) / tables.gap
        without = (np.mean(without_diffs) - corrupted_diff) / tables.gap
        assert row.random_alone == pytest.approx(alone, abs=1e-4)
        assert row.random_without == pytest.approx(without, abs=1e-4)


# The page


def test_the_map_has_a_cell_for_each_component_with_its_share_of_the_gap(
    model: PreTrainedModel, tables: ComponentTables
) -> None:
    record = _components(tables)
    assert record is not None

    values = component_values(record)

    assert values["n_rows"] == N_BLOCKS
    assert values["n_columns"] == 5  # 4 heads, and the MLP
    cells = values["cells"]
    assert len(cells) == N_COMPONENTS
    assert max(cell["strength"] for cell in cells) == 1

    # Blocks and heads are numbered from 1; rows and columns of the map from 0.
    second_head = components_of(model).index(Component(block=2, head=2))
    assert cells[second_head]["name"] == "head 2 of block 2"

    last = cells[-1]
    assert (last["name"], last["column"], last["row"]) == ("MLP of block 3", 4, 2)
    last_attribution = tables.scores["attribution"].iloc[-1]
    assert last["share"] == pytest.approx(last_attribution / tables.gap)


def test_the_page_lists_the_patched_components_by_the_size_of_their_attribution(
    tables: ComponentTables,
) -> None:
    record = _components(tables)
    assert record is not None

    patched = component_values(record)["patched"]

    sizes = [abs(row["attribution"]) for row in patched]
    assert len(sizes) == 10
    assert sizes == sorted(sizes, reverse=True)
