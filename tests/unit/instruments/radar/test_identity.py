"""What a row of the study's tables belongs to."""

import pandas as pd
import pytest

from mechaware.instruments.radar.identity import concat_sets, is_paired, pairs, with_text
from mechaware.instruments.radar.prompts import Prompt


def test_a_pair_is_named_by_its_ids_without_the_label() -> None:
    table = pd.DataFrame(
        {
            "id": ["m1-recall", "m1-reasoning", "x-recall"],
            "label": ["recall", "reasoning", "reasoning"],
        }
    )
    # The last id's ending is not its label.
    assert pairs(table).tolist() == ["m1", "m1", "x-recall"]


def test_a_rows_text_is_found_by_its_id_in_any_order() -> None:
    prompts = [Prompt(name, f"Prompt {name}", "recall", "c", "s", row=2) for name in "ab"]
    table = with_text(pd.DataFrame({"id": ["b", "a"]}), prompts)
    assert table["prompt"].tolist() == ["Prompt b", "Prompt a"]
    with pytest.raises(KeyError):
        with_text(pd.DataFrame({"id": ["c"]}), prompts)


def test_a_set_is_paired_if_every_prompt_has_its_twin() -> None:
    twins = pd.DataFrame({"id": ["a-recall", "a-reasoning"], "label": ["recall", "reasoning"]})
    assert is_paired(twins)
    alone = pd.DataFrame({"id": ["b"], "label": ["recall"]})
    assert not is_paired(pd.concat([twins, alone], ignore_index=True))


def test_a_table_without_rows_leaves_the_others_numbers_numbers() -> None:
    whole = pd.DataFrame({"n": [1, 2], "share": [0.5, None]})
    empty = pd.DataFrame(columns=["n", "share"])
    joined = concat_sets([whole, empty, whole], "m", ["a", "b", "c"])
    assert joined["prompt_set"].tolist() == ["a", "a", "c", "c"]
    assert joined["n"].tolist() == [1, 2, 1, 2]
    assert joined[["n", "share"]].dtypes.tolist() == whole.dtypes.tolist()
    assert concat_sets([empty], "m", ["b"]).columns.tolist() == [
        "model",
        "prompt_set",
        "n",
        "share",
    ]
