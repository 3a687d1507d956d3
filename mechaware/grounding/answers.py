"""What a model answers: SQL to the test requests, and columns to the prompts of the pairs."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import torch
from jaxtyping import Float

from mechaware.grounding.data.pairs import Pair, columns_of, prompts_of
from mechaware.grounding.data.rows import Row, prompt_of
from mechaware.grounding.data.tasks import SHORTCUT
from mechaware.grounding.names import CONDITIONS, SYNONYMS, TIE
from mechaware.grounding.shortcuts import place_shortcuts
from mechaware.models.batching import length_batches, pad_right
from mechaware.models.decoding import decode
from mechaware.models.families.supported import find_modules

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_KEYWORDS = ("SELECT", "FROM")  # every query has them, so that they would only raise the share of right names
_SPARE_TOKENS = 8  # beyond the longest gold answer: an answer that is longer still is wrong, however it ends


class _Score(NamedTuple):
    """Agreement of a prediction with the gold SQL: `names_right` of the `names` in the gold SQL."""

    exact_match: bool
    names_right: int
    names: int


def predict(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", rows: Sequence[Row], *, batch_size: int
) -> pd.DataFrame:
    """Prediction and score of every row, with the schema in the prompt and without.

    Columns: row (from 1), evaluated_with (the condition), exact_match, names_right, names, gold, predicted.
    """
    longest = max(len(tokenizer(f" {row.sql_statement}").input_ids) for row in rows) + _SPARE_TOKENS
    gold = [row.sql_statement for row in rows]
    parts = []
    for condition in CONDITIONS:
        schemas = [row.create_statement if condition == "schema" else "" for row in rows]
        prompts = [prompt_of(row.english_prompt, schema) for row, schema in zip(rows, schemas, strict=True)]
        predicted = decode(model, tokenizer, prompts, max_new_tokens=longest, batch_size=batch_size)
        scores = pd.DataFrame([_score(*answers) for answers in zip(predicted, gold, strict=True)])
        parts.append(
            scores.assign(row=range(1, len(rows) + 1), evaluated_with=condition, predicted=predicted, gold=gold)
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


class AskedPrompt(NamedTuple):
    """A prompt of a pair, and what is read in its logits at the final position.

    `options`: the possible answers, each with its first token. `wanted`: the right one; "" where none or several are
    right. `diff` and `unasked_diff`: two tokens whose logits are subtracted, or none. `shortcuts`: which are right.
    """

    pair: str
    category: str
    place: int | str
    prompt: str
    ids: list[int]
    wanted: str
    options: dict[str, int]
    diff: tuple[int, int]
    unasked_diff: tuple[int, int] | None
    shortcuts: dict[str, bool]


def answer_table(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", pairs: Sequence[Pair], *, tokens_per_batch: int
) -> pd.DataFrame:
    """What the model answers to each prompt of the pairs (`answers_to`).

    The options are the schema's columns, and `wanted` is the column that is asked for. `diff` is logit(clean) -
    logit(corrupted), and `unasked_diff` logit(unasked) - logit(replacement).
    """

    def token(word: str) -> int:
        return int(tokenizer(f" {word}", add_special_tokens=False).input_ids[0])

    asked = [
        AskedPrompt(
            *(pair.id, pair.category, pair.place, name),
            ids=tokenizer(text).input_ids,
            wanted=(wanted := _wanted_column(pair, name)),
            options={column: token(column) for column in columns_of(text)},
            diff=(token(pair.clean), token(pair.corrupted)),
            unasked_diff=(token(pair.unasked), token(pair.replacement)),
            shortcuts=place_shortcuts(columns_of(text), wanted),
        )
        for pair in pairs
        for name, text in prompts_of(pair).items()
    ]
    return answers_to(model, asked, tokens_per_batch=tokens_per_batch)


def answers_to(model: "PreTrainedModel", asked: Sequence[AskedPrompt], *, tokens_per_batch: int) -> pd.DataFrame:
    """One row per prompt: what is asked for, what the model prefers, and differences of logits.

    Columns: pair, category, place, prompt, wanted, answer (the option with the largest logit at the final position; ""
    for a tie), first (the first option), most_likely (whether the wanted option's token is the most likely of all),
    diff and unasked_diff (missing for a prompt that has none), and shortcut_{name} for each shortcut of some prompt. An
    option of several tokens counts by its first one.
    """
    logits = _final_logits(model, [prompt.ids for prompt in asked], tokens_per_batch=tokens_per_batch)
    rows = []
    for prompt, row in zip(asked, logits, strict=True):
        options = list(prompt.options)
        (best, runner_up), (index, _) = row[list(prompt.options.values())].topk(2)
        # Controls give equal logits by construction; float32 would pick one of them by the order of its sums.
        answer = options[int(index)] if best - runner_up > TIE else ""
        most_likely = bool(prompt.wanted) and int(row.argmax()) == prompt.options[prompt.wanted]
        diffs = [float(row[two[0]] - row[two[1]]) if two else None for two in (prompt.diff, prompt.unasked_diff)]
        rows.append((*prompt[:4], prompt.wanted, answer, options[0], most_likely, *diffs))
    names = ["pair", "category", "place", "prompt", "wanted", "answer", "first", "most_likely", "diff", "unasked_diff"]
    answers = pd.DataFrame(rows, columns=names).astype({"diff": float, "unasked_diff": float})
    shortcuts = dict.fromkeys(name for prompt in asked for name in prompt.shortcuts)
    return answers.assign(
        **{f"{SHORTCUT}{name}": [prompt.shortcuts.get(name, False) for prompt in asked] for name in shortcuts}
    )


def _wanted_column(pair: Pair, prompt: str) -> str:
    """The column that answers the request in one of a pair's prompts; "" where no column or two columns fit."""
    if prompt in ("third", "other"):
        return pair.third if prompt == "third" else pair.other
    if prompt == "corrupted":
        return pair.corrupted if pair.category in SYNONYMS else ""
    return pair.clean


@torch.inference_mode()
def _final_logits(
    model: "PreTrainedModel", prompts: Sequence[Sequence[int]], *, tokens_per_batch: int
) -> Float[torch.Tensor, "prompt vocabulary"]:
    """The logits at the last token of each prompt, in the order given, on the CPU."""
    unembedding = find_modules(model).unembedding
    counts = [len(prompt) for prompt in prompts]
    logits = torch.empty(len(prompts), unembedding.out_features)
    for batch in length_batches(counts, tokens_per_batch):
        ids = pad_right([prompts[index] for index in batch]).to(model.device)
        states = model.base_model(input_ids=ids, use_cache=False).last_hidden_state
        # Unembedding the last token alone: logits of all tokens of a batch would take most of its memory.
        last = torch.tensor([counts[index] - 1 for index in batch], device=model.device)
        logits[batch] = unembedding(states[torch.arange(len(batch)), last]).float().cpu()
    return logits
