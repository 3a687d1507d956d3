"""The controls of the grounding study: handwritten transformers, whose mechanism is known.

A grounded control answers with the column that the request asks for; where no column fits, all
columns have the same logit. The other controls, the shortcuts, ignore the request or the schema, or
lower the word that they should answer. Some controls are chosen here (`CONTROLS`). Others are drawn
(`generator.drawn_controls`) or matched so that they all give equal answers (`matched.MATCHED`).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.planted.controls.design import BRING_REQUEST, MARK_FIRST, SHARP, Design, match
from mechaware.planted.controls.draw import Draw
from mechaware.planted.controls.generator import drawn_control
from mechaware.planted.controls.matched import MATCHED

if TYPE_CHECKING:
    from transformers import GPTNeoForCausalLM, PreTrainedTokenizerFast

SPLIT_SHARE = 0.4  # the part of the answer that block 1 of the control `split` gives

_BY_PLACE = Design(
    heads={
        1: (BRING_REQUEST, MARK_FIRST),
        2: (
            # The first position scores 1.75, between a match that is marked (2) and all other
            # positions (at most 1.5: marked, with half of its code in common).
            match(key={"mark": SHARP, "first": 1.75 * SHARP}),
            match(share=-0.5, key={"mark": -SHARP}),
        ),
        3: (match(share=1.5, key={"mark": -SHARP}),),
    },
    units={},
)
"""Block 1 marks the first column. If the requested column is the marked one, block 2 copies it. If
not, block 2 subtracts half of it and block 3 adds one and a half. So a patch after block 2 recovers
nothing in pairs in which the requested column is the first, and more than the whole gap in other
pairs: the best layers of the pairs differ."""


class SchemaReader(NamedTuple):
    """A chosen control: its label, what it does as a `Draw`, and its design."""

    label: str
    draw: Draw
    design: Design

    @property
    def grounded(self) -> bool:
        """Whether it answers with the requested column, whatever that column's place in the schema.

        No other word then has as high a logit. Where no column fits the request, no word has a
        higher logit than a column. (A grounded control would also answer with a fitting word
        outside the schema; `read_words` refuses such prompts.)
        """
        return self.draw.grounded

    @property
    def read_blocks(self) -> tuple[int, ...]:
        """The blocks, from 1, in which the keys and values of the schema word affect the answer.

        The schema word is the requested column; in a first-column control it is the first column.
        """
        return self.draw.read_blocks


def _as_drawn(label: str, draw: Draw) -> SchemaReader:
    """The control whose design follows from its draw."""
    return SchemaReader(label, draw, draw.design())


_SPLIT = {1: SPLIT_SHARE, 3: 1 - SPLIT_SHARE}
CONTROLS = {
    "grounded_1": _as_drawn("grounded, read in block 1", Draw("requested", {1: 1.0})),
    "grounded_2": _as_drawn("grounded, read in block 2", Draw("requested", {2: 1.0})),
    "grounded_3": _as_drawn("grounded, read in block 3", Draw("requested", {3: 1.0})),
    "relay": _as_drawn("grounded, moved on in block 1", Draw("requested", {3: 1.0}, relay=True)),
    "split": _as_drawn("grounded, read in part in blocks 1 and 3", Draw("requested", _SPLIT)),
    "redundant": _as_drawn(
        "grounded, read twice, in blocks 1 and 3",
        Draw("requested", {1: 1.0, 3: 1.0}, redundant=True),
    ),
    "by_place": SchemaReader(
        "grounded, by place in block 2 or in 2 and 3",
        Draw("requested", {2: -0.5, 3: 1.5}),
        _BY_PLACE,
    ),
    "asked_above_others": _as_drawn(
        "every column, the requested one more", Draw("requested", {3: 0.6}, raised=4.0)
    ),
    "first_column": _as_drawn("first column, read in block 2", Draw("first", {2: 1.0})),
    "late_first_column": _as_drawn("first column, read in block 4", Draw("first", {4: 1.0})),
    "any_column": _as_drawn("every column alike", Draw("none", {}, raised=10.0)),
    "suppressor": _as_drawn(
        "lowers the requested column", Draw("requested", {2: 1.0}, lowers=True)
    ),
    "schema_blind": _as_drawn("blind to the schema", Draw("none", {}, habit=10.0)),
    "habit": _as_drawn("habit, and every column alike", Draw("none", {}, habit=10.0, raised=5.0)),
}


class BuiltControl(NamedTuple):
    """A control in memory.

    `reads` is the truth about each prompt: whether the requested column is read and raised.
    """

    model: "GPTNeoForCausalLM"
    tokenizer: "PreTrainedTokenizerFast"
    reads: list[bool]


def build_control(
    prompts: Sequence[str], wanted: Mapping[str, Collection[str]], *, name: str, context_length: int
) -> BuiltControl:
    """A control as a GPT-Neo, with a tokenizer of the prompts' words.

    Args:
        prompts: All prompts that the model must be able to read.
        wanted: By request word, the columns that it may mean; a phrase of several words is one
            token. Request words and columns that occur in no prompt are ignored.
        name: The name of a control of `CONTROLS` or `MATCHED`, or of a drawn control.
        context_length: In tokens, at most 1,024.

    Raises:
        UserError: The heads cannot read a prompt (`words.read_words`).
        KeyError: There is no such control.
    """
    # Imported here: `planted.sql.runs` and the exhibits read CONTROLS without torch.
    from mechaware.models.tokenizers import make_word_tokenizer
    from mechaware.planted.controls.assembly import assemble
    from mechaware.planted.controls.words import read_words

    tokenizer = make_word_tokenizer(prompts, [word for word in wanted if " " in word])
    tokenizer.model_max_length = context_length
    if name in CONTROLS:
        draw = CONTROLS[name].draw
        design = CONTROLS[name].design
    elif name in MATCHED:
        draw = MATCHED[name]
        design = draw.design()
    else:
        draw = drawn_control(name)
        design = draw.design()

    words = read_words(
        tokenizer, prompts, wanted, context_length, gate=draw.gate, gate_share=draw.gate_share
    )
    model = assemble(design, tokenizer, words, context_length)
    model.eval()  # type: ignore[no-untyped-call]
    reads = [draw.reads_requested(gate_open=gate_open) for gate_open in words.gate_open]
    return BuiltControl(model, tokenizer, reads)
