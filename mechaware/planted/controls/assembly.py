"""Turns a design into a GPT-Neo: dimensions for its features, codes for its words, and weights for its parts.

The controls need linear reads, but layer norm is not linear: LN(x) = (x - mean(x)) / sqrt(variance(x) + epsilon). Two
tricks cancel it. `_EPSILON` is so large that the root is the same number for every state, within 1e-5; reading weights
are multiplied by that number. Dimension `_ZERO` is zero in every state; a reading row has minus the sum of its other
weights there, so the weights sum to 0 and the mean has no effect.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from math import ceil, isqrt, prod, sqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float

from mechaware.planted.controls.design import CODES, INDICES, WORD, Design, Form, Head, Units
from mechaware.planted.controls.words import CONTEXT, FINAL, OPENING, Words

if TYPE_CHECKING:
    from transformers import GPTNeoForCausalLM, PreTrainedTokenizerFast

_MAX_HEADS = 8  # in a block; more of them make a state no narrower
_EPSILON = 2.0**20  # of the layer norms; the variance of a state is of order 1 at most
_ZERO = 0  # the dimension that stays zero
# Added to a unit's input at the final position and to its threshold everywhere: at other positions no unit reaches it.
_ONLY_FINAL = 4.0


class _Layout(NamedTuple):
    """The dimensions of each feature in the residual stream, and what a column word is in the features of words.

    `codes` has one row of length 1 for each column. `d_model` is a multiple of `n_heads`.
    """

    features: dict[str, slice]
    codes: Float[torch.Tensor, "column code"]
    d_model: int
    n_heads: int

    def reading(
        self, rows: Float[torch.Tensor, "row d_model"]
    ) -> Float[torch.Tensor, "row d_model"]:
        """The weights that read from a normalised state what `rows` read from the state itself."""
        rows = rows.clone()
        rows[:, _ZERO] = -rows.sum(1)
        return sqrt(_EPSILON) * rows

    def rows(self, form: Form) -> Float[torch.Tensor, "width d_model"]:
        """One row for each dimension of the features of `form`, weighted."""
        return sum(
            (w * torch.eye(self.d_model)[self.features[name]] for name, w in form.items()),
            torch.zeros(()),
        )

    def column_rows(self, form: Form) -> Float[torch.Tensor, "column d_model"]:
        """One row for each column word: its dimension of `word` and its code, weighted, in the features of `form`."""
        rows = torch.zeros(len(self.codes), self.d_model)
        for name, weight in form.items():
            rows[:, self.features[name]] = weight * (
                torch.eye(len(self.codes)) if name == WORD else self.codes
            )
        return rows


def _word_codes(n_words: int, n_together: int) -> Float[torch.Tensor, "word code"]:
    """Codes of length 1: t blocks with one dimension of q set in each, a Reed-Solomon code of dimension 2.

    Word a + b q sets dimension (a + b j) mod q of block j, so two words agree in at most one block, as two lines cross
    in at most one point. t is at least twice `n_together`: the union of the codes of `n_together` words has at most
    half of the code of any other. q is prime, at least t, and q^2 is at least the number of words.
    """
    t = 2 * max(1, n_together)
    q = next(
        q
        for q in count(max(t, isqrt(max(n_words - 1, 0)) + 1))
        if all(q % d for d in range(2, isqrt(q) + 1))
    )
    word, block = torch.arange(n_words)[:, None], torch.arange(t)
    values = (word % q + word // q * block) % q
    return torch.nn.functional.one_hot(values, q).flatten(1) / sqrt(t)


def assemble(
    design: Design, tokenizer: "PreTrainedTokenizerFast", words: Words, context_length: int
) -> "GPTNeoForCausalLM":
    """The model of `design` for these words; weights that no part of the design sets are zero."""
    from transformers import GPTNeoConfig, GPTNeoForCausalLM

    layout = _lay_out(design, words, context_length)
    config = GPTNeoConfig(
        vocab_size=len(tokenizer),
        hidden_size=layout.d_model,
        num_layers=design.n_blocks,
        num_heads=layout.n_heads,
        intermediate_size=max(
            1, len(words.columns) * max(map(len, design.units.values()), default=0)
        ),
        activation_function="relu",  # exactly 0 below the threshold; GELU leaks
        layer_norm_epsilon=_EPSILON,
        max_position_embeddings=context_length,
        attention_types=[[["global"], design.n_blocks]],
        tie_word_embeddings=False,  # a column's logit reads `word`, its embedding sets other features, too
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):  # all weights drawn here are replaced
        model = GPTNeoForCausalLM(config)
    with torch.no_grad():
        # Layer norms keep weight 1 and bias 0; all else is zero unless the design sets it.
        for name, parameter in model.named_parameters():
            if ".ln_" not in name:
                parameter.zero_()
        model.transformer.wte.weight.copy_(_embed_tokens(layout, tokenizer, words))
        model.transformer.wpe.weight.copy_(_embed_positions(layout, context_length))
        for block, heads in design.heads.items():
            _set_heads(model, layout, block, heads)
        for block, units in design.units.items():
            _set_units(model, layout, block, units)
        answers = layout.reading(layout.column_rows({WORD: design.answer_logit}))
        model.lm_head.weight[words.columns] = answers
    return model


def _lay_out(design: Design, words: Words, context_length: int) -> _Layout:
    """Dimensions for the features that the design names, and the heads that hold what every block moves."""
    codes = _word_codes(len(words.columns), max(map(len, words.sought.values()), default=0))
    widths = dict.fromkeys(CODES, codes.shape[1]) | {WORD: len(codes)}
    widths |= dict.fromkeys(INDICES, (context_length - 1).bit_length())
    features, end = {}, _ZERO + 1
    for name in sorted(_features(design)):
        features[name] = slice(end, end := end + widths.get(name, 1))
    width = {name: dimensions.stop - dimensions.start for name, dimensions in features.items()}

    def fits(n_heads: int, d_head: int) -> bool:
        return all(
            sum(ceil(width[next(iter(head.read))] / d_head) for head in heads) <= n_heads
            and all(
                sum(width[next(iter(query))] for query, _ in head.scores) <= d_head
                for head in heads
            )
            for heads in design.heads.values()
        )

    # Wide enough for the features, and no wider than the heads need: a few heads as wide as the features always fit.
    n_heads, d_head = min(
        (
            next(
                (n_heads, d_head)
                for d_head in range(ceil(end / n_heads), end + 1)
                if fits(n_heads, d_head)
            )
            for n_heads in range(max(map(len, design.heads.values())), _MAX_HEADS + 1)
        ),
        key=prod,
    )
    return _Layout(features, codes, n_heads * d_head, n_heads)


def _features(design: Design) -> set[str]:
    """The features that the design names, with those of the answer."""
    forms: list[Form] = [{WORD: 1.0, "final": 1.0}]
    for head in (head for heads in design.heads.values() for head in heads):
        forms += [head.read, head.write, *(form for pair in head.scores for form in pair)]
    for units in (units for parts in design.units.values() for units in parts):
        forms += [units.read, units.write]
    return {name for form in forms for name in form}


def _embed_tokens(
    layout: _Layout, tokenizer: "PreTrainedTokenizerFast", words: Words
) -> Float[torch.Tensor, "token d_model"]:
    n_tokens = len(tokenizer)
    contents = {
        "constant": torch.ones(n_tokens, 1),
        "other": torch.ones(n_tokens, 1).index_fill_(0, torch.tensor(words.columns), 0),
        "request": torch.zeros(n_tokens, 1).index_fill_(0, torch.tensor(list(words.sought)), 1),
        "table": torch.zeros(n_tokens, 1).index_fill_(
            0, torch.tensor(sorted(words.tables), dtype=torch.long), 1
        ),
        "gate": torch.zeros(n_tokens, 1).index_fill_(
            0, torch.tensor(sorted(words.gates), dtype=torch.long), 1
        ),
        "code": torch.zeros(n_tokens, layout.codes.shape[1]),
        "sought": torch.zeros(n_tokens, layout.codes.shape[1]),
        WORD: torch.zeros(n_tokens, len(layout.codes)),
    }
    for flag, text in (("opening", OPENING), ("context", CONTEXT), ("final", FINAL)):
        contents[flag] = torch.zeros(n_tokens, 1).index_fill_(
            0, torch.tensor(tokenizer.encode(text)), 1
        )
    contents["code"][words.columns] = layout.codes
    contents[WORD][words.columns] = torch.eye(len(layout.codes))
    for request, indices in words.sought.items():
        if indices:
            contents["sought"][request] = layout.codes[indices].amax(0)
    return _fill_states(layout, contents, n_tokens)


def _embed_positions(layout: _Layout, context_length: int) -> Float[torch.Tensor, "pos d_model"]:
    """Each position holds its own index and the previous one as bits: a query for the latter is exact at any length."""
    index = torch.arange(context_length)[:, None]
    powers = 2 ** torch.arange((context_length - 1).bit_length())
    contents = {
        "first": (index == 0).float(),
        "late": index / context_length,
        "position": 2.0 * (index & powers > 0) - 1,
        "previous": 2.0 * ((index - 1).clamp(min=0) & powers > 0) - 1,
    }
    return _fill_states(layout, contents, context_length)


def _fill_states(
    layout: _Layout, contents: dict[str, torch.Tensor], n_rows: int
) -> Float[torch.Tensor, "row d_model"]:
    """States with the contents of those features that the layout has."""
    states = torch.zeros(n_rows, layout.d_model)
    for name in contents.keys() & layout.features.keys():
        states[:, layout.features[name]] = contents[name]
    return states


def _set_heads(
    model: "GPTNeoForCausalLM", layout: _Layout, block: int, heads: Sequence[Head]
) -> None:
    d_head, attention = (
        layout.d_model // layout.n_heads,
        f"transformer.h.{block - 1}.attn.attention",
    )
    weights = {name: model.get_parameter(f"{attention}.{name}.weight") for name in _PROJECTIONS}
    for slot, (head, moved) in enumerate(_pieces(layout, heads, d_head)):
        query, key = (
            layout.reading(torch.cat([layout.rows(pair[side]) for pair in head.scores]))
            for side in (0, 1)
        )
        start, n_moved = slot * d_head, len(range(*moved.indices(layout.d_model)))
        weights["q_proj"][start : start + len(query)] = query
        weights["k_proj"][start : start + len(key)] = key
        weights["v_proj"][start : start + n_moved] = layout.reading(layout.rows(head.read)[moved])
        weights["out_proj"][:, start : start + n_moved] = layout.rows(head.write)[moved].T


_PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


def _pieces(layout: _Layout, heads: Sequence[Head], d_head: int) -> Iterator[tuple[Head, slice]]:
    """Heads of the model: one that moves more than `d_head` dimensions becomes several with the same attention."""
    for head in heads:
        width = len(layout.rows(head.read))
        for start in range(0, width, d_head):
            yield head, slice(start, min(start + d_head, width))


def _set_units(
    model: "GPTNeoForCausalLM", layout: _Layout, block: int, parts: Sequence[Units]
) -> None:
    mlp, n_columns = f"transformer.h.{block - 1}.mlp", len(layout.codes)
    for part, units in enumerate(parts):
        rows = slice(part * n_columns, (part + 1) * n_columns)
        reading = layout.column_rows(units.read) + _ONLY_FINAL * layout.rows({"final": 1.0})
        model.get_parameter(f"{mlp}.c_fc.weight")[rows] = layout.reading(reading)
        model.get_parameter(f"{mlp}.c_fc.bias")[rows] = -units.threshold - _ONLY_FINAL
        model.get_parameter(f"{mlp}.c_proj.weight")[:, rows] = layout.column_rows(units.write).T
