"""What a model answers to the prompts of pairs: the option that it prefers, and logit differences.

`answer_table` makes the table. The functions after it make one row, choose among a prompt's options
by their first tokens or by all of their tokens, and read the logits that this needs.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import pandas as pd
import torch
from jaxtyping import Float

from mechaware.instruments.grounding.data.pairs import SHORTCUT, Pair
from mechaware.instruments.grounding.names import TIE
from mechaware.instruments.grounding.shortcuts import CHOICE, shortcut_choices, shortcuts_of
from mechaware.instruments.grounding.tokens import PairTokens, PromptTokens, n_shared
from mechaware.models.final_logits import final_logits

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_Cell = TypeVar("_Cell", bool, str)
# The logits of the next token of a prompt, by the tokens of an answer that the model has read after
# the prompt: () at the prompt's end, (5,) after an answer's first token 5.
_NextLogits = Mapping[tuple[int, ...], Float[torch.Tensor, " vocabulary"]]


def answer_table(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    tokens: Sequence[PairTokens],
    *,
    tokens_per_batch: int,
    whole_answers: bool = False,
) -> pd.DataFrame:
    """A row per prompt: the wanted and the preferred answer, and logit differences.

    Columns:

    - pair, category, place, prompt, wanted
    - answer: the option that the model prefers; "" for a tie of the two best (`TIE`)
    - first: the first option
    - most_likely: whether the first token of the wanted answer is the most likely of all tokens
    - options_probability: of all options together, 0 to 1
    - likeliest: the text of the likeliest of all tokens
    - diff: logit(wanted) - logit(against), for these two answers of the clean prompt
    - unasked_diff: logit(old option) - logit(new option), for the options that the unasked prompt
      exchanges; missing for a pair without that prompt
    - shortcut_{name} and choice_{name}, for each shortcut of some prompt: whether it answers
      rightly, and its answer ("" if it has none)

    An option counts by its first token: the largest logit is preferred, and options_probability is
    the probability of all first tokens. With `whole_answers` an option counts by all of its tokens:
    the largest sum of log-probabilities is preferred, and options_probability is the probability of
    the whole options. A logit difference is always taken at the first token in which the two
    answers differ, after the tokens that they share.
    """
    prompts = []
    for pair, tokens_of_pair in zip(pairs, tokens, strict=True):
        prompts += [_Prompt(pair, name, tokens_of_pair[name]) for name in pair.prompts]
    logits = _next_token_logits(
        model,
        [prompt.tokens for prompt in prompts],
        tokens_per_batch=tokens_per_batch,
        whole=whole_answers,
    )

    rows = []
    shortcuts = []
    choices = []
    choose = _choose_whole if whole_answers else _choose_by_first_token
    for prompt, next_logits in zip(prompts, logits, strict=True):
        options = prompt.pair.prompts[prompt.name].options
        ids_of_options = [prompt.tokens.answers[option] for option in options]
        choice = choose(ids_of_options, next_logits)
        rows.append(_answer_row(tokenizer, prompt, next_logits, choice))
        shortcuts.append(shortcuts_of(prompt.pair, prompt.name))
        choices.append(shortcut_choices(prompt.pair.prompts[prompt.name]))

    answers = pd.DataFrame(rows).astype({"diff": float, "unasked_diff": float})
    return answers.assign(
        **_columns(SHORTCUT, shortcuts, missing=False), **_columns(CHOICE, choices, missing="")
    )


class _Prompt(NamedTuple):
    """A prompt of a pair, by its name, with the tokens of its text and of its answers."""

    pair: Pair
    name: str
    tokens: PromptTokens


class _Choice(NamedTuple):
    """The preferred option by its index, None for a tie, and all options' probability, 0 to 1."""

    preferred: int | None
    options_probability: float


def _answer_row(
    tokenizer: "PreTrainedTokenizerBase",
    asked: _Prompt,
    next_logits: _NextLogits,
    choice: _Choice,
) -> dict[str, object]:
    """The row of a prompt in `answer_table`, without the columns of shortcuts."""
    pair = asked.pair
    prompt = pair.prompts[asked.name]
    ids = asked.tokens.answers
    clean = pair.prompts["clean"]
    likeliest = int(next_logits[()].argmax())

    unasked_diff = None
    if pair.exchanged:
        old, new = pair.exchanged
        unasked_diff = _logit_difference(next_logits, ids[old], ids[new])

    return {
        "pair": pair.id,
        "category": pair.category,
        "place": pair.place,
        "prompt": asked.name,
        "wanted": prompt.wanted,
        "answer": "" if choice.preferred is None else prompt.options[choice.preferred],
        "first": prompt.options[0],
        "most_likely": bool(prompt.wanted) and likeliest == ids[prompt.wanted][0],
        "options_probability": choice.options_probability,
        "likeliest": tokenizer.decode([likeliest]),
        "diff": _logit_difference(next_logits, ids[clean.wanted], ids[clean.against]),
        "unasked_diff": unasked_diff,
    }


def _choose_by_first_token(options: Sequence[Sequence[int]], next_logits: _NextLogits) -> _Choice:
    """The option whose first token has the largest logit; `options` are token ids."""
    logits = next_logits[()]
    first_tokens = [ids[0] for ids in options]
    # Options that begin with the same token share its probability.
    probabilities = logits.softmax(-1)[sorted(set(first_tokens))]
    return _Choice(_largest(logits[first_tokens]), float(probabilities.sum()))


def _choose_whole(options: Sequence[Sequence[int]], next_logits: _NextLogits) -> _Choice:
    """The option with the largest sum of the log-probabilities of its tokens (`options`, ids)."""
    scores = [_log_probability(next_logits, ids) for ids in options]
    probability = sum(math.exp(score) for score in scores)
    return _Choice(_largest(torch.tensor(scores, dtype=torch.float64)), probability)


def _largest(scores: Float[torch.Tensor, " option"]) -> int | None:
    """The index of the largest of two or more scores; None if another is within `TIE` of it."""
    two_best = scores.topk(2)
    lead = two_best.values[0] - two_best.values[1]
    # Controls give equal logits by construction; float32 would pick one of them by the order of its
    # sums.
    return int(two_best.indices[0]) if lead > TIE else None


def _next_token_logits(
    model: "PreTrainedModel",
    prompts: Sequence[PromptTokens],
    *,
    tokens_per_batch: int,
    whole: bool,
) -> list[_NextLogits]:
    """For each prompt, the logits at its end and after the needed beginnings of its answers.

    A beginning that two answers share is needed: after the longest of them the two are compared.
    With `whole` every answer is scored token by token, and all of its beginnings are needed, up to
    its last token but one. For the answers 5 6 7, 5 6 8 and 5 9 4 these are

        whole=False    (), (5), (5 6)
        whole=True     (), (5), (5 6), (5 9)
    """
    contexts = []
    for number, prompt in enumerate(prompts):
        beginnings = [ids[:-1] for ids in prompt.answers.values()]
        if not whole:
            pairs_of_answers = combinations(beginnings, 2)
            beginnings = [first[: n_shared(first, second)] for first, second in pairs_of_answers]

        needed: set[tuple[int, ...]] = {()}
        for tokens in beginnings:
            for length in range(len(tokens) + 1):
                needed.add(tuple(tokens[:length]))
        contexts += [(number, beginning) for beginning in sorted(needed)]

    ids_of_contexts = [[*prompts[number].ids, *beginning] for number, beginning in contexts]
    rows = final_logits(model, ids_of_contexts, tokens_per_batch=tokens_per_batch)

    by_prompt: list[dict[tuple[int, ...], torch.Tensor]] = [{} for _ in prompts]
    for (number, beginning), row in zip(contexts, rows, strict=True):
        by_prompt[number][beginning] = row
    return list(by_prompt)


def _log_probability(next_logits: _NextLogits, answer: Sequence[int]) -> float:
    """The sum of the log-probabilities of an answer's tokens, each after those before it."""
    total = 0.0
    for n_before, token in enumerate(answer):
        logits = next_logits[tuple(answer[:n_before])]
        total += float(logits.log_softmax(-1)[token])
    return total


def _logit_difference(
    next_logits: _NextLogits, first: Sequence[int], second: Sequence[int]
) -> float:
    """logit(first) - logit(second) at the first token in which the two answers differ."""
    n = n_shared(first, second)
    logits = next_logits[tuple(first[:n])]
    return float(logits[first[n]] - logits[second[n]])


def _columns(
    prefix: str, by_prompt: Sequence[Mapping[str, _Cell]], *, missing: _Cell
) -> dict[str, list[_Cell]]:
    """A column for each key of the prompts' mappings, with a cell per prompt.

    A column's name is `prefix` and the key; `missing` is its cell for a prompt without the key.
    Of {"first": "dog"} and {"last": "cat"} come `first` with dog and `missing`, and `last` with
    `missing` and cat, both after `prefix`.
    """
    keys: dict[str, None] = {}  # a set that keeps the order
    for cells_of_prompt in by_prompt:
        keys |= dict.fromkeys(cells_of_prompt)

    columns = {}
    for key in keys:
        columns[prefix + key] = [cells_of_prompt.get(key, missing) for cells_of_prompt in by_prompt]
    return columns
