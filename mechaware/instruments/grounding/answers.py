"""What a model answers to the prompts of the pairs: the option that it prefers, and differences of logits."""

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
# The logits of the next token, by the tokens of an answer that are read after the prompt: () at the prompt's end.
_Following = Mapping[tuple[int, ...], Float[torch.Tensor, " vocabulary"]]


def answer_table(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    tokens: Sequence[PairTokens],
    *,
    tokens_per_batch: int,
    whole_answers: bool = False,
) -> pd.DataFrame:
    """One row per prompt: what is asked for, what the model prefers, and differences of logits. Columns:

    - pair, category, place, prompt, wanted
    - answer: the option with the largest logit at the final position; "" for a tie
    - first: the first option
    - most_likely: whether the wanted option's token is the most likely of all
    - options_probability: of the options' first tokens together
    - likeliest: the text of the likeliest token of all
    - diff: logit(wanted) - logit(against), for the answers of the clean prompt
    - unasked_diff: logit(old option) - logit(new option), for the options that the unasked prompt exchanges; missing
      for a pair without that prompt
    - shortcut_{name}, choice_{name}: for each shortcut of some prompt, whether it answers rightly, and its answer (""
      without an answer)

    An answer of several tokens counts by its first one, and with `whole_answers` by the sum of the log-probabilities of
    all its tokens; options_probability is then the probability of the whole options. A difference of logits is taken at
    the first token in which the two answers differ, after the tokens that they share.
    """
    prompts = []
    for pair, tokens_of_pair in zip(pairs, tokens, strict=True):
        prompts += [(pair, name, tokens_of_pair[name]) for name in pair.prompts]
    logits = _next_token_logits(
        model,
        [prompt_tokens for _, _, prompt_tokens in prompts],
        tokens_per_batch=tokens_per_batch,
        whole=whole_answers,
    )

    rows = []
    shortcuts = []
    choices = []
    choose = _choose_whole if whole_answers else _choose_by_first_token
    for (pair, name, prompt_tokens), following in zip(prompts, logits, strict=True):
        prompt = pair.prompts[name]
        choice = choose([prompt_tokens.answers[option] for option in prompt.options], following)
        rows.append(_answer_row(tokenizer, pair, name, prompt_tokens.answers, following, choice))
        shortcuts.append(shortcuts_of(pair, name))
        choices.append(shortcut_choices(prompt))

    answers = pd.DataFrame(rows).astype({"diff": float, "unasked_diff": float})
    return answers.assign(
        **_columns(SHORTCUT, shortcuts, missing=False), **_columns(CHOICE, choices, missing="")
    )


class _Choice(NamedTuple):
    """The index of the preferred option, None for a tie; and the probability, 0 to 1, of all options together."""

    preferred: int | None
    options_probability: float


def _answer_row(
    tokenizer: "PreTrainedTokenizerBase",
    pair: Pair,
    name: str,
    ids: Mapping[str, Sequence[int]],
    following: _Following,
    choice: _Choice,
) -> dict[str, object]:
    """The row of a pair's prompt `name` in `answer_table`, without shortcuts; `ids` are the tokens of each answer."""
    prompt = pair.prompts[name]
    clean = pair.prompts["clean"]
    likeliest = int(following[()].argmax())

    unasked_diff = None
    if pair.exchanged:
        before, after = pair.exchanged
        unasked_diff = _logit_difference(following, ids[before], ids[after])

    return {
        "pair": pair.id,
        "category": pair.category,
        "place": pair.place,
        "prompt": name,
        "wanted": prompt.wanted,
        "answer": "" if choice.preferred is None else prompt.options[choice.preferred],
        "first": prompt.options[0],
        "most_likely": bool(prompt.wanted) and likeliest == ids[prompt.wanted][0],
        "options_probability": choice.options_probability,
        "likeliest": tokenizer.decode([likeliest]),
        "diff": _logit_difference(following, ids[clean.wanted], ids[clean.against]),
        "unasked_diff": unasked_diff,
    }


def _choose_by_first_token(options: Sequence[Sequence[int]], following: _Following) -> _Choice:
    """The option whose first token has the largest logit."""
    logits = following[()]
    first_tokens = [ids[0] for ids in options]
    # Options that begin with the same token share its probability.
    probabilities = logits.softmax(-1)[sorted(set(first_tokens))]
    return _Choice(_largest(logits[first_tokens]), float(probabilities.sum()))


def _choose_whole(options: Sequence[Sequence[int]], following: _Following) -> _Choice:
    """The option with the largest sum of the log-probabilities of all its tokens."""
    scores = [_log_probability(following, ids) for ids in options]
    probability = sum(math.exp(score) for score in scores)
    return _Choice(_largest(torch.tensor(scores, dtype=torch.float64)), probability)


def _largest(scores: Float[torch.Tensor, " option"]) -> int | None:
    """The index of the largest score; None if the next one is within `TIE` of it."""
    (best, runner_up), (index, _) = scores.topk(2)
    # Controls give equal logits by construction; float32 would pick one of them by the order of its sums.
    return int(index) if best - runner_up > TIE else None


def _next_token_logits(
    model: "PreTrainedModel",
    prompts: Sequence[PromptTokens],
    *,
    tokens_per_batch: int,
    whole: bool,
) -> list[_Following]:
    """The logits at the end of each prompt, and after each beginning that two of its answers share.

    With `whole` the beginnings are all, but not the answers themselves. The answers 5 6 7, 5 6 8 and 5 9 4 share the
    beginnings 5 and 5 6; with `whole` also 5 9 is read.
    """
    contexts = []
    for number, prompt in enumerate(prompts):
        beginnings = [ids[:-1] for ids in prompt.answers.values()]
        if not whole:
            pairs = combinations(beginnings, 2)
            beginnings = [first[: n_shared(first, second)] for first, second in pairs]

        needed: set[tuple[int, ...]] = {()}
        for tokens in beginnings:
            for length in range(len(tokens) + 1):
                needed.add(tuple(tokens[:length]))
        contexts += [(number, beginning) for beginning in sorted(needed)]

    ids = [[*prompts[number].ids, *beginning] for number, beginning in contexts]
    rows = final_logits(model, ids, tokens_per_batch=tokens_per_batch)

    following: list[dict[tuple[int, ...], torch.Tensor]] = [{} for _ in prompts]
    for (number, beginning), row in zip(contexts, rows, strict=True):
        following[number][beginning] = row
    return list(following)


def _log_probability(following: _Following, answer: Sequence[int]) -> float:
    """The sum of the log-probabilities of an answer's tokens."""
    total = 0.0
    for n_before, token in enumerate(answer):
        logits = following[tuple(answer[:n_before])]
        total += float(logits.log_softmax(-1)[token])
    return total


def _logit_difference(following: _Following, first: Sequence[int], second: Sequence[int]) -> float:
    """logit(first) - logit(second) at the first token in which the two answers differ."""
    n = n_shared(first, second)
    logits = following[tuple(first[:n])]
    return float(logits[first[n]] - logits[second[n]])


def _columns(
    prefix: str, by_prompt: Sequence[Mapping[str, _Cell]], *, missing: _Cell
) -> dict[str, list[_Cell]]:
    """A column, `prefix` and the key, for each key of the prompts' mappings; `missing` where a prompt lacks the key."""
    names: dict[str, None] = {}  # a set that keeps the order
    for of_prompt in by_prompt:
        names |= dict.fromkeys(of_prompt)

    columns = {}
    for name in names:
        columns[prefix + name] = [of_prompt.get(name, missing) for of_prompt in by_prompt]
    return columns
