"""Transformers with weights written by hand, whose mechanism is therefore known: the controls of the grounding study.

A grounded control answers with the column that the request asks for; where no column fits, all columns have the same
logit. Grounded controls differ in the blocks that read the schema. The others, the shortcuts, ignore the request or the
schema, or lower the word that they should answer.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.controls.design import (
    BRING_REQUEST,
    MARK_EARLY,
    SHARP,
    TO_FIRST,
    WORD,
    Design,
    Head,
    Units,
    gather,
    match,
    take_from_previous,
)
from mechaware.models.registry import Manifest, save_model

SPLIT_SHARE = 0.4  # of the answer of the control `split`, given by block 1


def _find_among_gathered(share: float = 1.0) -> tuple[Units, Units]:
    """Units that keep `share` of the gathered words that are sought, and remove the others.

    A word that is gathered (1) and sought (1) sums to 2, every other word to at most 1.5: a word that is not sought has
    at most half of its code in common with those that are. The threshold 1.75 leaves 0.25, hence the factor 4.
    """
    keep = Units(read={WORD: 1.0, "sought": 1.0}, threshold=1.75, write={WORD: 4 * share})
    return keep, Units(read={WORD: 1.0}, threshold=0.0, write={WORD: -1.0})


def _grounded(reading_block: int) -> Design:
    """Block 1 brings the request to the final position; there, the reading block (2 or later) copies the match."""
    return Design({1: (BRING_REQUEST,), reading_block: (match(),)}, {})


_GROUNDED_1 = Design({1: (BRING_REQUEST, gather("other"))}, {1: _find_among_gathered()})
"""Block 1 brings the request and, at the same time, all columns; its MLP finds the column that both name."""

_RELAY = Design(
    {
        1: (BRING_REQUEST, take_from_previous("code", "code"), take_from_previous(WORD, WORD)),
        3: (match(key={"constant": -SHARP, "other": SHARP}),),
    },
    {},
)
"""In block 1 each position takes over the word before it. In block 3 the match is sought among those that are no column
themselves, so it is read from the position after the column."""


def _split(share: float) -> Design:
    """Block 1 gives `share` of the answer as `_GROUNDED_1` does, and block 3 the rest as `_grounded(3)` does."""
    heads = {1: (BRING_REQUEST, gather("other")), 3: (match(share=1 - share),)}
    return Design(heads, {1: _find_among_gathered(share)})


_REDUNDANT = Design(
    {1: (BRING_REQUEST, gather("other")), 3: (match(),)},
    {1: _find_among_gathered(), 4: (Units(read={WORD: 1.0}, threshold=1.0, write={WORD: -1.0}),)},
)
"""Blocks 1 and 3 each give the whole answer, and the MLP of block 4 makes 1 of 2: one of the two readings is enough."""

_BY_PLACE = Design(
    {
        1: (BRING_REQUEST, take_from_previous("opening", "mark")),
        2: (
            match(key={"mark": SHARP, "first": 1.75 * SHARP}),
            match(share=-0.5, key={"mark": -SHARP}),
        ),
        3: (match(share=1.5, key={"mark": -SHARP}),),
    },
    {},
)
"""Block 1 marks the first column. Block 2 copies the match if it is marked, and takes off half of it if it is not;
block 3 then adds one and a half. After block 2 a patch recovers nothing of the first kind and too much of the second:
the best layers of the pairs differ."""

_ASKED_ABOVE_OTHERS = Design(
    {1: (BRING_REQUEST, MARK_EARLY), 2: (gather("other", "early"),), 3: (match(share=1.5),)}, {}, answer_logit=4.0
)
"""Block 2 gives every column of the schema a logit of 4, and block 3 another 6 to the one that is asked for."""


def _first_column(reading_block: int) -> Design:
    """Answers with the schema's first column: block 1 marks the position after ` (`, a later block copies its word."""
    scores = (TO_FIRST, ({"final": 1.0}, {"mark": SHARP, "first": SHARP / 2}))
    copy = Head(scores, read={WORD: 1.0}, write={WORD: 1.0})
    return Design({1: (take_from_previous("opening", "mark"),), reading_block: (copy,)}, {})


_ANY_COLUMN = Design({1: (MARK_EARLY,), 2: (gather("other", "early"),)}, {})
"""Gives every column the same logit: block 1 marks what precedes ` Context`, block 2 gathers the columns after it."""

_SUPPRESSOR = Design({1: (BRING_REQUEST,), 2: (match(),)}, {}, answer_logit=-10.0)
"""Finds the column that the request asks for, as `_grounded(2)` does, and lowers its logit."""


def _suggest(weight: float) -> Units:
    """Units that give `weight` to every word that the request may mean: 1 less the threshold of 0.75 leaves 1/4."""
    return Units(read={"sought": 1.0}, threshold=0.75, write={WORD: 4 * weight})


_SCHEMA_BLIND = Design({1: (BRING_REQUEST,)}, {1: (_suggest(1.0),)})
"""Gives every word that the request may mean the same logit, whatever the schema holds."""

_HABIT = Design(
    {1: (BRING_REQUEST, MARK_EARLY), 2: (gather("other", "early"),)},
    {1: (_suggest(2.0),)},
    answer_logit=5.0,
)
"""Gives every word that the request may mean a logit of 10, whatever the schema holds, and every column 5 more,
whatever is asked: it answers rightly where a column fits, and with a word that the schema lacks where none does."""


class _SchemaReader(NamedTuple):
    """A control: its design, and the truth about its mechanism.

    `grounded`: its answer, among all words, is the column that the request asks for, at any place of the schema; where
    no column fits, no word has a higher logit than a column. (It would also answer a fitting word that is outside the
    schema.) `read_blocks`: the blocks, from 1, in which the keys and values of the schema word's position p affect the
    answer; of a first-column control, if p is the first column's position.
    """

    name: str
    label: str
    grounded: bool
    read_blocks: tuple[int, ...]
    design: Design


CONTROLS = {
    reader.name: reader
    for reader in (
        _SchemaReader("grounded_1", "grounded, read in block 1", True, (1,), _GROUNDED_1),
        _SchemaReader("grounded_2", "grounded, read in block 2", True, (2,), _grounded(2)),
        _SchemaReader("grounded_3", "grounded, read in block 3", True, (3,), _grounded(3)),
        _SchemaReader("relay", "grounded, moved on in block 1", True, (1,), _RELAY),
        _SchemaReader("split", "grounded, read in part in blocks 1 and 3", True, (1, 3), _split(SPLIT_SHARE)),
        _SchemaReader("redundant", "grounded, read twice, in blocks 1 and 3", True, (1, 3), _REDUNDANT),
        _SchemaReader("by_place", "grounded, by place in block 2 or in 2 and 3", True, (2, 3), _BY_PLACE),
        _SchemaReader("asked_above_others", "every column, the requested one more", True, (2, 3), _ASKED_ABOVE_OTHERS),
        _SchemaReader("first_column", "first column, read in block 2", False, (2,), _first_column(2)),
        _SchemaReader("late_first_column", "first column, read in block 4", False, (4,), _first_column(4)),
        _SchemaReader("any_column", "every column alike", False, (2,), _ANY_COLUMN),
        _SchemaReader("suppressor", "lowers the requested column", False, (2,), _SUPPRESSOR),
        _SchemaReader("schema_blind", "blind to the schema", False, (), _SCHEMA_BLIND),
        _SchemaReader("habit", "habit, and every column alike", False, (2,), _HABIT),
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
    # Imported here: names and figures read CONTROLS without torch.
    from mechaware.controls.assembly import assemble
    from mechaware.controls.tokenizer import make_word_tokenizer
    from mechaware.controls.words import read_words

    phrases = [word for word in wanted if " " in word]
    design, tokenizer = CONTROLS[name].design, make_word_tokenizer(prompts, phrases)
    words = read_words(tokenizer, prompts, wanted, context_length)
    tokenizer.model_max_length = context_length
    model = assemble(design, tokenizer, words, context_length)
    source = "weights written by hand"
    return save_model(folder, model, tokenizer, name=name, kind="control", source=source, revision="none")
