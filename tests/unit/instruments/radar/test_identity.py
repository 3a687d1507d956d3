"""Tables whose rows are prompts: their matched pairs, texts and prompt sets."""

import pandas as pd
import pytest

from mechaware.instruments.radar.identity import concat_sets, is_paired, pairs, with_text
from mechaware.instruments.radar.prompts import Prompt


def test_a_pair_is_named_by_the_ids_without_the_label() -> None:
    table = pd.DataFrame(
        {
            "id": ["m1-recall", "m1-reasoning", "x-recall"],
            "label": ["recall", "reasoning", "reasoning"],
        }
    )
    # The last id does not end in its label, so it stays whole.
    assert pairs(table).tolist() == ["m1", "m1", "x-recall"]


def test_a_rows_text_is_found_by_its_id_in_any_order() -> None:
    prompts = []
    for prompt_id in ("a", "b"):
        prompt = Prompt(
            prompt_id,
            prompt=f"Prompt {prompt_id}",
            label="recall",
            category="any category",
            source="any source",
            row=2,
        )
        prompts.append(prompt)
    table = with_text(pd.DataFrame({"id": ["b", "a"]}), prompts)
    assert table["prompt"].tolist() == ["Prompt b", "Prompt a"]
    with pytest.raises(KeyError):
        with_text(pd.DataFrame({"id": ["c"]}), prompts)


def test_a_set_is_paired_if_every_prompt_has_one_of_the_other_label() -> None:
    pair = pd.DataFrame({"id": ["a-recall", "a-reasoning"], "label": ["recall", "reasoning"]})
    assert is_paired(pair)
    alone = pd.DataFrame({"id": ["b"], "label": ["recall"]})
    assert not is_paired(pd.concat([pair, alone], ignore_index=True))


def test_a_set_without_rows_does_not_change_the_types_of_other_sets() -> None:
    whole = pd.DataFrame({"n": [1, 2], "share": [0.5, None]})
    empty = pd.DataFrame(columns=["n", "share"])
    joined = concat_sets([whole, empty, whole], model="gpt2", prompt_sets=["a", "b", "c"])
    assert joined["prompt_set"].tolist() == ["a", "a", "c", "c"]
    assert joined["n"].tolist() == [1, 2, 1, 2]
    assert joined[["n", "share"]].dtypes.tolist() == whole.dtypes.tolist()


def test_sets_without_rows_have_the_columns_of_a_table() -> None:
    empty = pd.DataFrame(columns=["n", "share"])
    joined = concat_sets([empty], model="gpt2", prompt_sets=["b"])
    assert joined.columns.tolist() == ["model", "prompt_set", "n", "share"]
