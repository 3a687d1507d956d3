"""Transformers with hand-written weights: the block that reads the answer, and the position it reads, are known.

They calibrate the thresholds of the rules, which the grounding paper leaves to future work. A copy head reads the
schema word in one chosen block: patching the word's position recovers the whole gap before that block and nothing from
that block on. The schema-blind twin gives the same answers and never reads the schema.

Every feature of the residual stream is n signs followed by their n complements. So each state has mean zero, and after
a given block all states have the same norm: a layer norm only multiplies them by a factor that is known beforehand. A
head moves a whole feature, from one position alone (see `SHARPNESS`), to dimensions that held zeros.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float

from mechaware.errors import UserError
from mechaware.files import replacing
from mechaware.models.registry import Manifest, write_manifest
from mechaware.models.scratch import UNKNOWN, make_word_tokenizer

if TYPE_CHECKING:
    from transformers import GPTNeoConfig, GPTNeoForCausalLM, PreTrainedTokenizerFast

N_BLOCKS = 4
OPENING, CONTEXT, FINAL = " (", " Context", " SELECT"  # the schema word follows OPENING; the request precedes CONTEXT
CODE_BITS = 96  # of 1,500 random words, the closest two still differ in about a quarter of the bits
ANSWER_LOGIT = 10.0  # logit of the answer; those of other words lie around 0
SHARPNESS = 100.0  # the best score leads by at least twice this, and exp(-200) is 0 in float32: attention is exactly 1


class Features(NamedTuple):
    """The dimensions of each feature in the residual stream; every dimension belongs to exactly one feature.

    `word` and `answer` hold a word's code, `position` and `previous` the bits of an index. The others are flags, +1, -1
    when on and -1, +1 when off. Token embeddings hold `word`, `constant` (always on), `opening`, `context`, `final` and
    `request`; position embeddings hold `position`, `previous` and `first`; heads write `mark` and `answer`.
    """

    word: slice
    answer: slice
    position: slice
    previous: slice
    constant: slice
    opening: slice
    context: slice
    final: slice
    request: slice
    first: slice
    mark: slice

    @property
    def width(self) -> int:
        """The width of the residual stream, d_model."""
        return int(self.mark.stop)


class Head(NamedTuple):
    """An attention head that moves the feature `read` at the position with the best score to the feature `write`.

    The score of a key position for a query position is the sum over rows of (`query` . its state) (`key` . its state).
    """

    query: Float[torch.Tensor, "score d_model"]
    key: Float[torch.Tensor, "score d_model"]
    read: Float[torch.Tensor, "moved d_model"]
    write: Float[torch.Tensor, "moved d_model"]


def build_copy_head(
    folder: Path, prompts: Sequence[str], *, name: str, reading_block: int, context_length: int, seed: int
) -> Manifest:
    """Write a model into `folder` that answers with the word after ` (`, read in block `reading_block`: 2, 3 or 4.

    Block 1 marks the position after ` (`. In the reading block the final position attends to the mark and copies the
    code of the word there; every other position attends to the first. The other blocks add nothing. So patching the
    schema word's position after block l recovers the whole gap for l < `reading_block`, and nothing for larger l.

    `prompts` are all clean and corrupted ones; their words are the tokenizer's. `context_length` is in tokens; `seed`
    draws the words' codes. Raises `UserError` for a prompt that is too long or of another form, and `ValueError` for
    another reading block.
    """
    if not 2 <= reading_block <= N_BLOCKS:
        raise ValueError(f"reading_block {reading_block}: block 1 marks the schema word, 2 to {N_BLOCKS} can read it")
    tokenizer = make_word_tokenizer(prompts)
    _check_prompts(tokenizer, prompts, context_length)
    features, codes = _lay_out(context_length), _word_codes(len(tokenizer), seed)
    rows = torch.eye(features.width)
    marking = Head(rows[features.previous], rows[features.position], rows[features.opening], rows[features.mark])
    # Scores from the final position: 2 at the mark, -2 at the first, 0 elsewhere. From all others: their negatives.
    query, key = _flags(features, final=1), _flags(features, mark=1, first=-1)
    reading = Head(query, key, rows[features.word], rows[features.answer])
    tokens = _embed_tokens(tokenizer, features, codes, request_words=())
    config = _config(tokenizer, features, context_length)
    model = _assemble(config, features, tokens, codes, {1: marking, reading_block: reading})
    return _save(folder, name, tokenizer, model)


def build_schema_blind(
    folder: Path, prompts: Sequence[str], answers: Mapping[str, str], *, name: str, context_length: int, seed: int
) -> Manifest:
    """Write a model into `folder` that answers `answers[request word]`, whatever the schema says: its gap is zero.

    Block 1 marks every position from ` Context` on. In block 2 the final position attends to the request word that has
    no mark and copies its code; here a request word's code is that of its answer. Every other position attends to the
    first. So prompts that differ only between ` Context` and the final position get the same logits.

    The tokenizer knows the words of `prompts` and `answers`. Raises `UserError` for a prompt that is too long, of
    another form or without exactly one request word between its first token and ` Context`, and for a word of `answers`
    that is not one token.
    """
    tokenizer = make_word_tokenizer([*prompts, *(f" {word}" for pair in answers.items() for word in pair)])
    meaning = {_token(tokenizer, f" {word}"): _token(tokenizer, f" {answer}") for word, answer in answers.items()}
    _check_prompts(tokenizer, prompts, context_length, request_words=meaning)
    features, codes = _lay_out(context_length), _word_codes(len(tokenizer), seed)
    rows = torch.eye(features.width)
    # Scores: 1 at ` Context`, -1 at the first position, -3 elsewhere. The head moves 'not the first position': a state
    # ablated to zeros attends evenly, so it gets the mark as well and is never taken for the request.
    query, key = _flags(features, constant=1), _flags(features, context=2, first=1)
    marking = Head(query, key, -rows[features.first], rows[features.mark])
    # Scores from the final position: 5 at the request, at most 3 elsewhere. From others: 3 at the first, at most -1.
    query, key = _flags(features, final=1), _flags(features, request=1, mark=-1, first=-3)
    reading = Head(query, key, rows[features.word], rows[features.answer])
    meanings = codes[[meaning.get(token, token) for token in range(len(tokenizer))]]
    tokens = _embed_tokens(tokenizer, features, meanings, request_words=meaning)
    config = _config(tokenizer, features, context_length)
    model = _assemble(config, features, tokens, codes, {1: marking, 2: reading})
    return _save(folder, name, tokenizer, model)


def _check_prompts(
    tokenizer: "PreTrainedTokenizerFast",
    prompts: Sequence[str],
    context_length: int,
    request_words: Collection[int] | None = None,
) -> None:
    landmarks = [_token(tokenizer, text) for text in (CONTEXT, OPENING, FINAL)]
    for prompt in prompts:
        ids = tokenizer.encode(prompt)
        if len(ids) > context_length:
            raise UserError(
                f"prompt '{prompt}': {len(ids)} tokens, the context holds {context_length}; raise context_length to "
                f"{len(ids)} or shorten the prompt"
            )
        if [token for token in ids if token in landmarks] != landmarks or ids[-1] != landmarks[-1]:
            raise UserError(
                f"prompt '{prompt}': not of the form 'request{CONTEXT}: ...{OPENING} ...{FINAL}' with each of "
                f"'{CONTEXT}', '{OPENING}' and '{FINAL}' once; write it so"
            )
        # Heads without a match attend to the first token: it cannot be the request.
        requested = set(ids[1 : ids.index(landmarks[0])]) & set(request_words or ())
        if request_words is not None and len(requested) != 1:
            raise UserError(
                f"prompt '{prompt}': {len(requested)} request words between the first token and '{CONTEXT}'; name "
                "exactly one word of `answers` there"
            )


def _token(tokenizer: "PreTrainedTokenizerFast", text: str) -> int:
    ids = tokenizer.encode(text)
    if len(ids) != 1 or ids[0] == tokenizer.convert_tokens_to_ids(UNKNOWN):
        raise UserError(f"'{text}': not one token of the prompts and answers; use a single word that occurs in them")
    return int(ids[0])


def _lay_out(context_length: int) -> Features:
    index_bits = (context_length - 1).bit_length()
    widths = [2 * CODE_BITS] * 2 + [2 * index_bits] * 2 + [2] * 7
    return Features(*(slice(end - width, end) for width, end in zip(widths, accumulate(widths), strict=True)))


def _signs(bits: Bool[torch.Tensor, "row bit"]) -> Float[torch.Tensor, "row feature"]:
    """+1 for a set bit and -1 for a clear one, then the complements: every row has mean zero and the same norm."""
    signs = 2.0 * bits - 1.0
    return torch.cat([signs, -signs], dim=1)


def _word_codes(n_words: int, seed: int) -> Float[torch.Tensor, "word code"]:
    generator = torch.Generator().manual_seed(seed)
    return _signs(torch.rand(n_words, CODE_BITS, generator=generator) < 0.5)


def _flags(features: Features, **weights: int) -> Float[torch.Tensor, "1 d_model"]:
    """The row that reads a weighted sum of flags from a state, each as +1 or -1 times the layer norm's factor."""
    row = torch.zeros(1, features.width)
    for flag, weight in weights.items():
        row[0, getattr(features, flag).start] = weight
    return row


def _embed_tokens(
    tokenizer: "PreTrainedTokenizerFast",
    features: Features,
    codes: Float[torch.Tensor, "word code"],
    *,
    request_words: Collection[int],
) -> Float[torch.Tensor, "word d_model"]:
    embedding, tokens = torch.zeros(len(codes), features.width), torch.arange(len(codes))
    embedding[:, features.word] = codes
    embedding[:, features.constant] = _signs(tokens[:, None] >= 0)
    for flag, text in ((features.opening, OPENING), (features.context, CONTEXT), (features.final, FINAL)):
        embedding[:, flag] = _signs(tokens[:, None] == _token(tokenizer, text))
    embedding[:, features.request] = _signs(torch.tensor([[token in request_words] for token in tokens.tolist()]))
    return embedding


def _embed_positions(features: Features, context_length: int) -> Float[torch.Tensor, "pos d_model"]:
    """Each position holds its own index and the previous one as bits: a query for the latter is exact at any length."""
    embedding, index = torch.zeros(context_length, features.width), torch.arange(context_length)[:, None]
    powers = 2 ** torch.arange((context_length - 1).bit_length())
    embedding[:, features.position] = _signs(index & powers > 0)
    embedding[:, features.previous] = _signs((index - 1).clamp(min=0) & powers > 0)
    embedding[:, features.first] = _signs(index == 0)
    return embedding


@torch.no_grad()
def _assemble(
    config: "GPTNeoConfig",
    features: Features,
    tokens: Float[torch.Tensor, "word d_model"],
    codes: Float[torch.Tensor, "word code"],
    heads: Mapping[int, Head],
) -> "GPTNeoForCausalLM":
    """The model with these token embeddings, answer codes and heads by block; its other weights are zero."""
    from transformers import GPTNeoForCausalLM

    with torch.random.fork_rng(devices=[]):  # all weights drawn here are replaced
        model = GPTNeoForCausalLM(config)
    for name, parameter in model.named_parameters():
        if ".ln_" not in name:
            parameter.zero_()
    positions = _embed_positions(features, config.max_position_embeddings)
    model.transformer.wte.weight.copy_(tokens)
    model.transformer.wpe.weight.copy_(positions)
    model.lm_head.weight[:, features.answer] = codes * (ANSWER_LOGIT / codes.shape[1])
    n_signs = int((tokens[0] + positions[0]).count_nonzero())
    for block, head in sorted(heads.items()):
        attention, n_moved = f"transformer.h.{block - 1}.attn.attention", len(head.read)
        model.get_parameter(f"{attention}.q_proj.weight")[: len(head.query)] = head.query
        model.get_parameter(f"{attention}.k_proj.weight")[: len(head.key)] = SHARPNESS * head.key
        model.get_parameter(f"{attention}.v_proj.weight")[:n_moved] = head.read
        # Undo the layer norm's division by the standard deviation of signs and zeros: the head writes signs again.
        deviation = sqrt(n_signs / features.width)
        model.get_parameter(f"{attention}.out_proj.weight")[:, :n_moved] = deviation * head.write.T
        n_signs += n_moved
    return model


def _config(tokenizer: "PreTrainedTokenizerFast", features: Features, context_length: int) -> "GPTNeoConfig":
    from transformers import GPTNeoConfig

    return GPTNeoConfig(
        vocab_size=len(tokenizer),
        hidden_size=features.width,
        num_layers=N_BLOCKS,
        num_heads=1,
        intermediate_size=1,  # nothing passes through the MLPs
        max_position_embeddings=context_length,
        attention_types=[[["global"], N_BLOCKS]],
        tie_word_embeddings=False,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )


def _save(folder: Path, name: str, tokenizer: "PreTrainedTokenizerFast", model: "GPTNeoForCausalLM") -> Manifest:
    tokenizer.model_max_length = model.config.max_position_embeddings
    with replacing(folder) as partial:
        model.save_pretrained(partial)
        tokenizer.save_pretrained(partial)
        source = "weights written by hand"
        return write_manifest(partial, name=name, kind="control", source=source, revision="none")
