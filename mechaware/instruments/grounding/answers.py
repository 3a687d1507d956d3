"""What a model answers: SQL to the test requests, and one of their options to the prompts of the pairs."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import torch
from jaxtyping import Float

from mechaware.instruments.grounding.data.pairs import SHORTCUT, Pair
from mechaware.instruments.grounding.data.rows import Row, prompt_of
from mechaware.instruments.grounding.names import CONDITIONS, TIE
from mechaware.instruments.grounding.shortcuts import shortcuts_of
from mechaware.instruments.grounding.tokens import PairTokens
from mechaware.models.batching import length_batches, pad_right, run_in_halves
from mechaware.models.decoding import decode
from mechaware.models.families.supported import FAMILIES

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Every query has them, so that they would only raise the share of right names.
_KEYWORDS = (
    "SELECT",
    "FROM",
)
_SPARE_TOKENS = (
    8  # beyond the longest gold answer: an answer that is longer still is wrong, however it ends
)


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
    pairs: Sequence[Pair],
    tokens: Sequence[PairTokens],
    *,
    tokens_per_batch: int,
) -> pd.DataFrame:
    """One row per prompt: what is asked for, what the model prefers, and differences of logits.

    Columns: pair, category, place, prompt, wanted, answer (the option with the largest logit at the final position; ""
    for a tie), first (the first option), most_likely (whether the wanted option's token is the most likely of all),
    diff (logit(wanted) - logit(against) of the clean prompt's answers), unasked_diff (that of the two exchanged
    options; missing without them), and shortcut_{name}, whether a shortcut answers rightly, for each shortcut of some
    prompt. An answer of several tokens counts by its first one.
    """
    asked = [
        (pair, name, own[name])
        for pair, own in zip(pairs, tokens, strict=True)
        for name in pair.prompts
    ]
    logits = final_logits(
        model, [read.ids for _, _, read in asked], tokens_per_batch=tokens_per_batch
    )
    rows, shortcuts = [], []
    for (pair, name, read), row in zip(asked, logits, strict=True):
        prompt, clean = pair.prompts[name], pair.prompts["clean"]
        first = {answer: ids[0] for answer, ids in read.answers.items()}
        (best, runner_up), (index, _) = row[[first[option] for option in prompt.options]].topk(2)
        # Controls give equal logits by construction; float32 would pick one of them by the order of its sums.
        answer = prompt.options[int(index)] if best - runner_up > TIE else ""
        most_likely = bool(prompt.wanted) and int(row.argmax()) == first[prompt.wanted]
        diffs = [
            float(row[first[two[0]]] - row[first[two[1]]]) if two else None
            for two in ((clean.wanted, clean.against), pair.exchanged)
        ]
        common = pair.id, pair.category, pair.place, name
        rows.append((*common, prompt.wanted, answer, prompt.options[0], most_likely, *diffs))
        shortcuts.append(shortcuts_of(pair, name))
    names = [
        "pair",
        "category",
        "place",
        "prompt",
        "wanted",
        "answer",
        "first",
        "most_likely",
        "diff",
        "unasked_diff",
    ]
    answers = pd.DataFrame(rows, columns=names).astype({"diff": float, "unasked_diff": float})
    named = dict.fromkeys(shortcut for of_prompt in shortcuts for shortcut in of_prompt)
    return answers.assign(
        **{
            f"{SHORTCUT}{name}": [of_prompt.get(name, False) for of_prompt in shortcuts]
            for name in named
        }
    )


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
