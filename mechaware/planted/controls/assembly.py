"""Turns a design into a GPT-Neo: dimensions for its features, codes for words, and its weights.

`assemble` is the main function. design.py explains the features, the forms (weighted sums of
features), the heads and the MLP units.

The controls need linear reads, but layer norm is not linear:

    LN(x) = (x - mean(x)) / sqrt(variance(x) + epsilon)

Two tricks cancel it. `_EPSILON` is so large that the root is the same number for every state,
within 1e-5; reading weights are multiplied by that number. Dimension `_ZERO` is zero in every
state; a reading row has minus the sum of its other weights there, so the weights sum to 0 and the
mean has no effect.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, isqrt, sqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float

from mechaware.planted.controls.design import CODES, INDICES, WORD, Design, Form, Head, Units
from mechaware.planted.controls.prompt_tokens import CONTEXT, FINAL, OPENING
from mechaware.planted.controls.words import Words

if TYPE_CHECKING:
    from transformers import GPTNeoForCausalLM, PreTrainedTokenizerFast

# The most heads of a block that are tried: with more, no residual stream gets narrower.
_MAX_HEADS = 8
_EPSILON = 2.0**20  # of the layer norms; the variance of a state is of order 1 at most
_ZERO = 0  # the dimension that stays zero
# Added to a unit's input at the final position, and to its threshold everywhere: at other positions
# no unit reaches its threshold.
_ONLY_FINAL = 4.0


class _HeadSizes(NamedTuple):
    """The heads of every block: their number, and the dimensions of each."""

    n_heads: int
    d_head: int


class _Layout(NamedTuple):
    """The dimensions of the residual stream.

    - `features`: by feature, its dimensions.
    - `codes`: the code of each column word, a row of length 1.
    - `d_model`: the width, a multiple of `n_heads`.
    - `n_heads`: the number of heads in every block.
    """

    features: dict[str, slice]
    codes: Float[torch.Tensor, "column code"]
    d_model: int
    n_heads: int

    def reading(
        self, rows: Float[torch.Tensor, "row d_model"]
    ) -> Float[torch.Tensor, "row d_model"]:
        """The weights that read from a normalised state what `rows` read from the state itself.

        Dimension `_ZERO` is 0 in every state, and `rows` do not read it. With `_ZERO` = 0 the row
        (0 1 -3 0) becomes (2 1 -3 0), which sums to 0, times the root of `_EPSILON`.
        """
        weights = rows.clone()
        weights[:, _ZERO] = -rows.sum(1)
        return sqrt(_EPSILON) * weights

    def rows(self, form: Form) -> Float[torch.Tensor, "width d_model"]:
        """One row for each dimension of the features of `form`, weighted.

        With the feature `a` in dimensions 1 and 2 and `b` in 3 and 4, of 5, the form {a: 1, b: -2}
        gives

            0  1  0  -2   0
            0  0  1   0  -2
        """
        rows = torch.zeros(())  # becomes (width, d_model) with the first feature
        for name, weight in form.items():
            rows = rows + weight * torch.eye(self.d_model)[self.features[name]]
        return rows

    def column_rows(self, form: Form) -> Float[torch.Tensor, "column d_model"]:
        """One row for each column word, with its contents in the features of `form`, weighted.

        The contents of `word` are 1 in the dimension of the column word; all other features hold
        the word's code. For two columns with the codes (1, 0) and (0, 1), `word` in dimensions 1
        and 2 and `code` in 3 and 4, of 5, the form {word: 2, code: 1} gives

            0  2  0  1  0
            0  0  2  0  1
        """
        rows = torch.zeros(len(self.codes), self.d_model)
        for name, weight in form.items():
            contents = torch.eye(len(self.codes)) if name == WORD else self.codes
            rows[:, self.features[name]] = weight * contents
        return rows


def _word_codes(n_words: int, n_together: int) -> Float[torch.Tensor, "word code"]:
    """Codes of length 1, by which heads match words: a Reed-Solomon code of dimension 2.

    A code has t blocks of q dimensions, and one dimension of each block is set. Word a + b q sets
    dimension (a + b j) mod q of block j. Two words agree in at most one block, as two lines cross
    in at most one point.

    t is twice `n_together`, the most words that are sought together. Any other word agrees with
    each of these in at most one block, so with the union of their codes in at most t / 2: half of
    its code. q is the smallest prime that is at least t, and whose square is at least the number of
    words.

    For four words, no two of which are sought together, t = 2 and q = 2. Their codes, times the
    root of t, are

        word 0 (a 0, b 0)    1 0  1 0
        word 1 (a 1, b 0)    0 1  0 1
        word 2 (a 0, b 1)    1 0  0 1
        word 3 (a 1, b 1)    0 1  1 0
    """
    t = 2 * max(1, n_together)
    # The least whole number whose square is at least `n_words`.
    root = isqrt(max(n_words - 1, 0)) + 1
    q = _next_prime(max(t, root))

    word = torch.arange(n_words)[:, None]
    a = word % q
    b = word // q
    block = torch.arange(t)
    set_in_block = (a + b * block) % q
    return torch.nn.functional.one_hot(set_in_block, q).flatten(1) / sqrt(t)


def _next_prime(least: int) -> int:
    """The smallest prime that is at least `least`; `least` is 2 or more."""
    candidate = least
    while any(candidate % divisor == 0 for divisor in range(2, isqrt(candidate) + 1)):
        candidate += 1
    return candidate


def assemble(
    design: Design, tokenizer: "PreTrainedTokenizerFast", words: Words, context_length: int
) -> "GPTNeoForCausalLM":
    """The model of `design` for these words, in float32 on the CPU.

    Weights that the design does not set are zero.

    Args:
        design: The heads and MLP units.
        tokenizer: The tokenizer of the prompts, with one token for each word.
        words: The words that the model must distinguish.
        context_length: In tokens; at most 1,024, as `design.LATE` assumes.
    """
    from transformers import GPTNeoConfig, GPTNeoForCausalLM

    layout = _lay_out(design, words, context_length)
    # A part (`Units`) has one unit for each column. A block holds all of its parts, and all blocks
    # are as wide as the widest.
    n_parts = max((len(parts) for parts in design.units.values()), default=0)
    config = GPTNeoConfig(
        vocab_size=len(tokenizer),
        hidden_size=layout.d_model,
        num_layers=design.n_blocks,
        num_heads=layout.n_heads,
        intermediate_size=max(1, len(words.columns) * n_parts),
        activation_function="relu",  # exactly 0 below the threshold; GELU leaks
        layer_norm_epsilon=_EPSILON,
        max_position_embeddings=context_length,
        attention_types=[[["global"], design.n_blocks]],
        # A column's logit reads `word`; the column's embedding also sets other features.
        tie_word_embeddings=False,
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
    """The dimensions of the design's features, and the number of heads with room for every block.

    Dimension 0 stays zero. The features follow in the order of the alphabet, each with as many
    dimensions as it needs: with `constant` (1 dimension) and `word` (3 column words), `constant` is
    1 and `word` is 2 to 4.
    """
    n_together = max((len(meanings) for meanings in words.sought.values()), default=0)
    codes = _word_codes(len(words.columns), n_together)

    widths = {WORD: len(codes)}
    widths |= dict.fromkeys(CODES, codes.shape[1])
    widths |= dict.fromkeys(INDICES, (context_length - 1).bit_length())
    features = {}
    end = _ZERO + 1
    for name in sorted(_features(design)):
        start = end
        end += widths.get(name, 1)
        features[name] = slice(start, end)

    n_heads, d_head = _size_heads(design, features, end)
    return _Layout(features=features, codes=codes, d_model=n_heads * d_head, n_heads=n_heads)


def _size_heads(design: Design, features: Mapping[str, slice], n_dimensions: int) -> _HeadSizes:
    """The sizes of the narrowest state with room for all features and for every block's heads.

    If several are equally narrow, the one with the fewest heads.
    """
    min_heads = max(len(heads) for heads in design.heads.values())
    possible = []
    for n_heads in range(min_heads, _MAX_HEADS + 1):
        # This ends, because heads as wide as all features together hold every head of a design.
        d_head = ceil(n_dimensions / n_heads)
        while not all(_fit(heads, features, n_heads, d_head) for heads in design.heads.values()):
            d_head += 1
        possible.append(_HeadSizes(n_heads, d_head))
    return min(possible, key=lambda sizes: sizes.n_heads * sizes.d_head)


def _fit(heads: Sequence[Head], features: Mapping[str, slice], n_heads: int, d_head: int) -> bool:
    """Whether the design's heads for a block fit into `n_heads` heads of `d_head` dimensions.

    All queries and keys of a head of the design must fit into one head of the model. What the head
    moves may be divided among several (`_pieces`).
    """

    def width(form: Form) -> int:
        dimensions = features[next(iter(form))]  # all features of a form have one width
        return int(dimensions.stop - dimensions.start)

    n_pieces = 0
    for head in heads:
        if sum(width(query) for query, _ in head.scores) > d_head:
            return False
        n_pieces += ceil(width(head.read) / d_head)
    return n_pieces <= n_heads


def _features(design: Design) -> set[str]:
    """The features that the design names, and those that every answer needs."""
    forms: list[Form] = [{WORD: 1.0, "final": 1.0}]
    for heads in design.heads.values():
        for head in heads:
            forms += [head.read, head.write]
            for query, key in head.scores:
                forms += [query, key]

    for parts in design.units.values():
        for units in parts:
            forms += [units.read, units.write]
    return set[str]().union(*forms)


def _embed_tokens(
    layout: _Layout, tokenizer: "PreTrainedTokenizerFast", words: Words
) -> Float[torch.Tensor, "token d_model"]:
    """The features of each token, as design.py lists them."""
    n_tokens = len(tokenizer)

    def flag(tokens: Iterable[int]) -> Float[torch.Tensor, "token 1"]:
        """1 for these tokens, 0 for all others."""
        is_set = torch.zeros(n_tokens, 1)
        is_set[list(tokens)] = 1
        return is_set

    code = torch.zeros(n_tokens, layout.codes.shape[1])
    code[words.columns] = layout.codes
    sought = torch.zeros_like(code)
    for request, meanings in words.sought.items():
        if meanings:
            sought[request] = layout.codes[meanings].amax(0)
    word = torch.zeros(n_tokens, len(layout.codes))
    word[words.columns] = torch.eye(len(layout.codes))

    contents = {
        "constant": torch.ones(n_tokens, 1),
        "other": 1 - flag(words.columns),
        "request": flag(words.sought),
        "table": flag(words.tables),
        "gate": flag(words.gates),
        "opening": flag(tokenizer.encode(OPENING)),
        "context": flag(tokenizer.encode(CONTEXT)),
        "final": flag(tokenizer.encode(FINAL)),
        "code": code,
        "sought": sought,
        WORD: word,
    }
    return _fill_states(layout, contents, n_tokens)


def _embed_positions(layout: _Layout, context_length: int) -> Float[torch.Tensor, "pos d_model"]:
    """The features of each position, as design.py lists them.

    An index is written in bits, the lowest first, +1 for a set bit and -1 for a clear one: a query
    for the previous index is exact at any length. In a context of 8, position 6 (110) has
    `position` -1 +1 +1 and, for 5 (101), `previous` +1 -1 +1. The first position has 0 as its
    previous index.
    """
    index = torch.arange(context_length)[:, None]
    previous = (index - 1).clamp(min=0)
    bits = 2 ** torch.arange((context_length - 1).bit_length())
    contents = {
        "first": (index == 0).float(),
        "late": index / context_length,
        "position": 2.0 * ((index & bits) > 0) - 1,
        "previous": 2.0 * ((previous & bits) > 0) - 1,
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
    """Set the attention of block number `block`, from 1; unused heads stay zero."""
    attention = model.get_submodule(f"transformer.h.{block - 1}.attn.attention")
    q_weight = attention.get_parameter("q_proj.weight")
    k_weight = attention.get_parameter("k_proj.weight")
    v_weight = attention.get_parameter("v_proj.weight")
    out_weight = attention.get_parameter("out_proj.weight")
    d_head = layout.d_model // layout.n_heads
    for slot, (head, moved) in enumerate(_pieces(layout, heads, d_head)):
        start = slot * d_head
        query = layout.reading(
            torch.cat([layout.rows(query_form) for query_form, _ in head.scores])
        )
        key = layout.reading(torch.cat([layout.rows(key_form) for _, key_form in head.scores]))
        q_weight[start : start + len(query)] = query
        k_weight[start : start + len(key)] = key

        read = layout.reading(layout.rows(head.read)[moved])
        write = layout.rows(head.write)[moved]
        v_weight[start : start + len(read)] = read
        out_weight[:, start : start + len(write)] = write.T


def _pieces(layout: _Layout, heads: Sequence[Head], d_head: int) -> Iterator[tuple[Head, slice]]:
    """The head of the design that each head of the model serves, and the dimensions that it moves.

    A head of the design that moves more than `d_head` dimensions becomes several heads with the
    same attention. With `d_head` 4, a head that moves 10 dimensions becomes three, which move 0:4,
    4:8 and 8:10.
    """
    for head in heads:
        width = len(layout.rows(head.read))
        for start in range(0, width, d_head):
            yield head, slice(start, min(start + d_head, width))


def _set_units(
    model: "GPTNeoForCausalLM", layout: _Layout, block: int, parts: Sequence[Units]
) -> None:
    """Set the MLP of block number `block`, from 1: the units of each part in turn."""
    mlp = model.get_submodule(f"transformer.h.{block - 1}.mlp")
    in_weight = mlp.get_parameter("c_fc.weight")
    in_bias = mlp.get_parameter("c_fc.bias")
    out_weight = mlp.get_parameter("c_proj.weight")
    n_columns = len(layout.codes)
    for part, units in enumerate(parts):
        rows = slice(part * n_columns, (part + 1) * n_columns)
        read = layout.column_rows(units.read) + _ONLY_FINAL * layout.rows({"final": 1.0})
        in_weight[rows] = layout.reading(read)
        in_bias[rows] = -units.threshold - _ONLY_FINAL
        out_weight[:, rows] = layout.column_rows(units.write).T
