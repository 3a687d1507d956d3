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
# Every query has them, so that they would only raise the share of right names.
_KEYWORDS = (
    "SELECT",
    "FROM",
)
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
    longest = max(len(tokenizer(f" {row.sql_statement}").input_ids) for row in rows) + _SPARE_TOKENS
    gold = [row.sql_statement for row in rows]
    parts = []
    for condition in CONDITIONS:
        schemas = [row.create_statement if condition == "schema" else "" for row in rows]
        prompts = [
            prompt_of(row.english_prompt, schema) for row, schema in zip(rows, schemas, strict=True)
        ]
        predicted = decode(model, tokenizer, prompts, max_new_tokens=longest, batch_size=batch_size)
        scores = pd.DataFrame([_score(*answers) for answers in zip(predicted, gold, strict=True)])
        parts.append(
            scores.assign(
                row=range(1, len(rows) + 1),
                evaluated_with=condition,
                predicted=predicted,
                gold=gold,
            )
        )
    columns = ["row", "evaluated_with", "exact_match", "names_right", "names", "gold", "predicted"]
    return pd.concat(parts, ignore_index=True)[columns]


def _score(predicted: str, gold: str) -> _Score:
    """Exact match, and how many of the gold table and column names occur in the prediction (keywords left out).

    A name that occurs once in the gold SQL counts once. Our definition, where the paper gives a ratio only: order does
    not matter, and a superfluous name costs nothing (exact match is sensitive to both).
    """
    gold_names, predicted_names = (Counter(_names(sql)) for sql in (gold, predicted))
    return _Score(predicted == gold, (gold_names & predicted_names).total(), gold_names.total())


def _names(sql: str) -> list[str]:
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
    token in which the two answers differ, behind those that they share.
    """
    asked = [
        (pair, name, own[name])
        for pair, own in zip(pairs, tokens, strict=True)
        for name in pair.prompts
    ]
    logits = _next_token_logits(
        model,
        [read for _, _, read in asked],
        tokens_per_batch=tokens_per_batch,
        whole=whole_answers,
    )
    rows, shortcuts, choices = [], [], []
    for (pair, name, read), after in zip(asked, logits, strict=True):
        prompt, clean = pair.prompts[name], pair.prompts["clean"]
        answers_ids, row = read.answers, after[()]
        if whole_answers:
            scores = [_log_probability(after, answers_ids[option]) for option in prompt.options]
            (best, runner_up), (index, _) = torch.tensor(scores, dtype=torch.float64).topk(2)
            of_options = sum(map(math.exp, scores))
        else:
            first = [answers_ids[option][0] for option in prompt.options]
            (best, runner_up), (index, _) = row[first].topk(2)
            # Options that begin with the same token share its probability.
            of_options = float(row.softmax(-1)[sorted(set(first))].sum())
        # Controls give equal logits by construction; float32 would pick one of them by the order of its sums.
        answer = prompt.options[int(index)] if best - runner_up > TIE else ""
        likeliest = int(row.argmax())
        most_likely = bool(prompt.wanted) and likeliest == answers_ids[prompt.wanted][0]
        diffs = [
            _logit_difference(after, *(answers_ids[each] for each in two)) if two else None
            for two in ((clean.wanted, clean.against), pair.exchanged)
        ]
        common = pair.id, pair.category, pair.place, name
        answered = prompt.wanted, answer, prompt.options[0], most_likely
        probable = of_options, tokenizer.decode([likeliest])
        rows.append((*common, *answered, *probable, *diffs))
        shortcuts.append(shortcuts_of(pair, name))
        choices.append(shortcut_choices(prompt))
    names = [
        "pair",
        "category",
        "place",
        "prompt",
        "wanted",
        "answer",
        "first",
        "most_likely",
        "options_probability",
        "likeliest",
        "diff",
        "unasked_diff",
    ]
    answers = pd.DataFrame(rows, columns=names).astype({"diff": float, "unasked_diff": float})
    return answers.assign(
        **_columns(SHORTCUT, shortcuts, missing=False), **_columns(CHOICE, choices, missing="")
    )


# By the tokens of an answer that stand behind a prompt, the logits of the next token.
_Following = Mapping[tuple[int, ...], Float[torch.Tensor, " vocabulary"]]


def _next_token_logits(
    model: "PreTrainedModel", read: Sequence[PromptTokens], *, tokens_per_batch: int, whole: bool
) -> list[_Following]:
    """The logits at the end of each prompt, and behind all beginnings that its answers share, or of `whole` answers."""
    contexts = []
    for number, (_, answers) in enumerate(read):
        read_by = [ids[:-1] for ids in answers.values()]
        if not whole:
            read_by = [
                first[: n_shared(first, second)] for first, second in combinations(read_by, 2)
            ]
        begun = {tuple(ids[:length]) for ids in read_by for length in range(len(ids) + 1)}
        contexts += [(number, behind) for behind in sorted(begun | {()})]
    ids = [[*read[number].ids, *behind] for number, behind in contexts]
    rows = final_logits(model, ids, tokens_per_batch=tokens_per_batch)

    following: list[dict[tuple[int, ...], torch.Tensor]] = [{} for _ in read]
    for (number, behind), row in zip(contexts, rows, strict=True):
        following[number][behind] = row
    return list(following)


def _log_probability(after: _Following, answer: Sequence[int]) -> float:
    """The sum of the log-probabilities of an answer's tokens."""
    total = 0.0
    for n_before, token in enumerate(answer):
        logits = after[tuple(answer[:n_before])]
        total += float(logits.log_softmax(-1)[token])
    return total


def _logit_difference(after: _Following, first: Sequence[int], second: Sequence[int]) -> float:
    """logit(first) - logit(second) at the first token in which two answers differ."""
    n = n_shared(first, second)
    row = after[tuple(first[:n])]
    return float(row[first[n]] - row[second[n]])


def _columns(
    prefix: str, by_prompt: Sequence[Mapping[str, _Cell]], *, missing: _Cell
) -> dict[str, list[_Cell]]:
    """A column for each key of the prompts' mappings, its name behind `prefix`."""
    names = dict.fromkeys(name for of_prompt in by_prompt for name in of_prompt)
    return {
        f"{prefix}{name}": [of_prompt.get(name, missing) for of_prompt in by_prompt]
        for name in names
    }


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
            # Unembedding the last token alone: logits of all tokens of a batch would take most of its memory.
            logits = family.logits(model, states[rows, last], normed=True)
        by_prompt.update(zip(batch, logits.float().cpu(), strict=True))

    for batch in length_batches(counts, tokens_per_batch):
        run_in_halves(batch, read_batch)
    return torch.stack([by_prompt[index] for index in range(len(prompts))])
