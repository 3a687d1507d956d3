"""What a model answers: SQL to the test requests, and one of their options to the prompts of the pairs."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import pandas as pd
import torch
from jaxtyping import Float

from mechaware.instruments.grounding.data.pairs import SHORTCUT, Pair
from mechaware.instruments.grounding.data.rows import Row, prompt_of
from mechaware.instruments.grounding.names import CONDITIONS, TIE
from mechaware.instruments.grounding.shortcuts import CHOICE, shortcut_choices, shortcuts_of
from mechaware.instruments.grounding.tokens import PairTokens, PromptTokens, n_shared
from mechaware.models.batching import length_batches, pad_right, run_in_halves
from mechaware.models.decoding import decode
from mechaware.models.families.supported import FAMILIES

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_Cell = TypeVar("_Cell", bool, str)
# The logits of the next token, by the tokens of an answer that are read after the prompt: () at the prompt's end.
_Following = Mapping[tuple[int, ...], Float[torch.Tensor, " vocabulary"]]
# Every query has them, so that they would only raise the share of right names.
_KEYWORDS = ("SELECT", "FROM")
# Tokens beyond the longest gold answer: an answer that is longer still is wrong, however it ends.
_SPARE_TOKENS = 8


class _Score(NamedTuple):
    """Agreement of a prediction with the gold SQL: `names_right` of the `names` in the gold SQL."""

    exact_match: bool
    names_right: int
    names: int


def predict(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    rows: Sequence[Row],
    *,
    batch_size: int,
) -> pd.DataFrame:
    """Prediction and score of every row, with the schema in the prompt and without.

    Columns: row (from 1), evaluated_with (the condition), exact_match, names_right, names, gold, predicted.
    """
    gold = [row.sql_statement for row in rows]
    n_longest = max(len(tokenizer(f" {sql}").input_ids) for sql in gold)
    parts = []
    for condition in CONDITIONS:
        prompts = []
        for row in rows:
            schema = row.create_statement if condition == "schema" else ""
            prompts.append(prompt_of(row.english_prompt, schema))
        predicted = decode(
            model,
            tokenizer,
            prompts,
            max_new_tokens=n_longest + _SPARE_TOKENS,
            batch_size=batch_size,
        )

        scores = [_score(answer, right) for answer, right in zip(predicted, gold, strict=True)]
        part = pd.DataFrame(scores).assign(
            row=range(1, len(rows) + 1),
            evaluated_with=condition,
            predicted=predicted,
            gold=gold,
        )
        parts.append(part)
    columns = ["row", "evaluated_with", "exact_match", "names_right", "names", "gold", "predicted"]
    return pd.concat(parts, ignore_index=True)[columns]


def _score(predicted: str, gold: str) -> _Score:
    """Exact match, and how many of the gold table and column names occur in the prediction (keywords left out).

    A name that occurs once in the gold SQL counts once. Our definition, where the paper gives a ratio only: order does
    not matter, and a superfluous name costs nothing (exact match is sensitive to both).
    """
    gold_names = Counter(_names(gold))
    predicted_names = Counter(_names(predicted))
    names_right = gold_names & predicted_names
    return _Score(predicted == gold, names_right.total(), gold_names.total())


def _names(sql: str) -> list[str]:
    """The names of tables and columns in a query."""
    return [word for word in re.findall(r"\w+", sql) if word not in _KEYWORDS]


def answer_table(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    tokens: Sequence[PairTokens],
    *,
    tokens_per_batch: int,
    whole_answers: bool = False,
) -> pd.DataFrame:
    """One row per prompt: what is asked for, what the model prefers, and differences of logits.

    Columns: pair, category, place, prompt, wanted, answer (the option with the largest logit at the final position; ""
    for a tie), first (the first option), most_likely (whether the wanted option's token is the most likely of all),
    options_probability (of the options' first tokens together), likeliest (the text of the likeliest token of all),
    diff (logit(wanted) - logit(against) of the clean prompt's answers), unasked_diff (that of the two exchanged
    options; missing without them), and for each shortcut of some prompt shortcut_{name}, whether it answers rightly,
    and choice_{name}, its answer ("" without one).

    An answer of several tokens counts by its first one, and with `whole_answers` by the sum of the log-probabilities of
    all its tokens; options_probability is then that of the whole options. A difference of logits is taken at the first
    token in which the two answers differ, after those that they share.
    """
    prompts = []
    for pair, own in zip(pairs, tokens, strict=True):
        prompts += [(pair, name, own[name]) for name in pair.prompts]
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
        clean = pair.prompts["clean"]
        ids = prompt_tokens.answers
        at_end = following[()]
        likeliest = int(at_end.argmax())
        choice = choose([ids[option] for option in prompt.options], following)

        unasked_diff = None
        if pair.exchanged:
            before, after = pair.exchanged
            unasked_diff = _logit_difference(following, ids[before], ids[after])

        row = {
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
        rows.append(row)
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
    """The logits at the end of each prompt, and after the beginnings of its answers that are read.

    Those are the ones that two answers share, or with `whole` all but the whole answers. The answers 5 6 7 and 5 6 8
    share 5 and 5 6; 5 9 4, a third answer, shares 5 with them, and 5 9 is read with `whole` alone.
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
    """logit(first) - logit(second) at the first token in which two answers differ."""
    n = n_shared(first, second)
    logits = following[tuple(first[:n])]
    return float(logits[first[n]] - logits[second[n]])


def _columns(
    prefix: str, by_prompt: Sequence[Mapping[str, _Cell]], *, missing: _Cell
) -> dict[str, list[_Cell]]:
    """A column for each key of the prompts' mappings, its name after `prefix`."""
    names: dict[str, None] = {}  # a set that keeps the order
    for of_prompt in by_prompt:
        names |= dict.fromkeys(of_prompt)

    columns = {}
    for name in names:
        columns[prefix + name] = [of_prompt.get(name, missing) for of_prompt in by_prompt]
    return columns


@torch.inference_mode()
def final_logits(
    model: "PreTrainedModel", prompts: Sequence[Sequence[int]], *, tokens_per_batch: int
) -> Float[torch.Tensor, "prompt vocabulary"]:
    """The logits at the last token of each prompt, in the order given, on the CPU."""
    family = FAMILIES.get(model.config.model_type)
    counts = [len(prompt) for prompt in prompts]
    by_prompt: dict[int, torch.Tensor] = {}

    def read_batch(batch: list[int]) -> None:
        ids = pad_right([prompts[index] for index in batch]).to(model.device)
        rows = torch.arange(len(batch))
        last = torch.tensor([counts[index] - 1 for index in batch], device=model.device)
        if family is None:
            logits = model(input_ids=ids, use_cache=False).logits[rows, last]
        else:
            states = model.base_model(input_ids=ids, use_cache=False).last_hidden_state
            # Unembedding only the last token: logits of all tokens of a batch would take most of its memory.
            logits = family.logits(model, states[rows, last], normed=True)
        by_prompt.update(zip(batch, logits.float().cpu(), strict=True))

    for batch in length_batches(counts, tokens_per_batch):
        run_in_halves(batch, read_batch)
    return torch.stack([by_prompt[index] for index in range(len(prompts))])
