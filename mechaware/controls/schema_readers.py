"""The list of transformers written by hand that read a schema or fail to, each with the truth about its mechanism."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.controls.design import Design
from mechaware.controls.grounded import ASKED_ABOVE_OTHERS, BY_PLACE, GROUNDED_1, REDUNDANT, RELAY, grounded, split
from mechaware.controls.shortcuts import ANY_COLUMN, HABIT, SCHEMA_BLIND, SUPPRESSOR, first_column
from mechaware.models.registry import Manifest

SPLIT_SHARE = 0.4  # of the answer of `split`, given by block 1


class Control(NamedTuple):
    """A control and what is known of it.

    `grounded`: of all words its answer is the column that the request asks for, at any place of the schema, and where
    no column fits it prefers no word to any column; a fitting word in the prompt outside the schema would be answered,
    too. `read_blocks`: the blocks whose attention takes the schema word from its own position p, that is, in which the
    keys and values of p have an effect on the answer; for the first-column controls, if p is that column's position.
    """

    name: str
    label: str
    grounded: bool
    read_blocks: tuple[int, ...]
    design: Design


CONTROLS = {
    control.name: control
    for control in (
        Control("grounded_1", "grounded, read in block 1", True, (1,), GROUNDED_1),
        Control("grounded_2", "grounded, read in block 2", True, (2,), grounded(2)),
        Control("grounded_3", "grounded, read in block 3", True, (3,), grounded(3)),
        Control("relay", "grounded, moved on in block 1", True, (1,), RELAY),
        Control("split", "grounded, read in part in blocks 1 and 3", True, (1, 3), split(SPLIT_SHARE)),
        Control("redundant", "grounded, read twice, in blocks 1 and 3", True, (1, 3), REDUNDANT),
        Control("by_place", "grounded, by place in block 2 or in 2 and 3", True, (2, 3), BY_PLACE),
        Control("asked_above_others", "every column, the requested one more", True, (2, 3), ASKED_ABOVE_OTHERS),
        Control("first_column", "first column, read in block 2", False, (2,), first_column(2)),
        Control("late_first_column", "first column, read in block 4", False, (4,), first_column(4)),
        Control("any_column", "every column alike", False, (2,), ANY_COLUMN),
        Control("suppressor", "lowers the requested column", False, (2,), SUPPRESSOR),
        Control("schema_blind", "blind to the schema", False, (), SCHEMA_BLIND),
        Control("habit", "habit, and every column alike", False, (2,), HABIT),
    )
}


def build_control(
    folder: Path, prompts: Sequence[str], wanted: Mapping[str, Collection[str]], *, name: str, context_length: int
) -> Manifest:
    """Write the control `name`, a key of `CONTROLS`, into `folder` as a GPT-Neo with a tokenizer of the prompts' words.

    `prompts` are all prompts that the model must be able to read, and `wanted` the column words that each request word
    may mean; a phrase of several words is one token. Requests and columns that occur in no prompt are ignored.
    `context_length` is in tokens, at most 1,024. Raises `UserError` for a prompt that the heads cannot read
    (`words.read_words`), and `KeyError` for another name.
    """
    from mechaware.controls.assembly import assemble, save
    from mechaware.controls.words import read_words
    from mechaware.models.scratch import make_word_tokenizer

    phrases = [word for word in wanted if " " in word]
    design, tokenizer = CONTROLS[name].design, make_word_tokenizer(prompts, phrases)
    words = read_words(tokenizer, prompts, wanted, context_length)
    return save(folder, name, tokenizer, assemble(design, tokenizer, words, context_length))
