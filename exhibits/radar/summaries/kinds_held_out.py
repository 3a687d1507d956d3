"""RADAR against two readers that see no mechanism, on matched pairs whose two prompts have the same
words.

One reader knows the order of a prompt's words. The other knows the form of the prompt's right
answer, which a model's internals also hold if they predict an answer of that form.

The kinds of question repeat: folds that keep only pairs together let a classifier learn what a kind
looks like. So RADAR and the readers are also fitted with whole kinds held out. The unit is a kind:
its pairs are not independent.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

from mechaware.core.seeds import derive_seed
from mechaware.core.stats.intervals import bootstrap_mean
from mechaware.core.stats.p_values import paired_permutation, sign_flip_above_zero
from mechaware.instruments.radar.controls import CROSS_VALIDATED
from mechaware.instruments.radar.ensemble import Ensemble, assign_folds, is_recall, predict_held_out
from mechaware.instruments.radar.identity import pairs
from mechaware.instruments.radar.prompts import Prompt
from mechaware.instruments.radar.systems import FEATURE_SETS

KINDS_HELD_OUT = "kinds_held_out"
WORD_ORDER = "word_order"
ANSWER_FORM = "answer_form"
# RADAR, its surface features alone, and the two readers that see no mechanism.
_SYSTEMS = ("radar", "surface_only", WORD_ORDER, ANSWER_FORM)
# The slices of the prompts.
OVERALL = "overall"
ANSWERED = "answered_pairs"
ONE_FORM = "one_form_of_answer"
_WORD = r"\w+|[^\w\s]"  # a word, a number or a punctuation mark


class Draws(NamedTuple):
    """How often systems are fitted, and how intervals and p-values are drawn."""

    folds: int
    seeds: int
    resamples: int
    confidence_level: float
    seed: int


def answer_form(answers: Sequence[str]) -> str:
    """The form of a prompt's accepted answers: `number` if one is a number, else `letter` if one is
    a single character.

    Else it is `words`, which it also is without any answer.
    """
    if any(re.fullmatch(r"[\d.,]+", answer) for answer in answers):
        return "number"
    if any(len(answer) == 1 for answer in answers):
        return "letter"
    return "words"


def in_one_form(prompts: Sequence[Prompt]) -> list[bool]:
    """Whether all answers of a prompt's kind (`source`) have one form,
    so that the form cannot give the label away.
    """
    forms: dict[str, set[str]] = {}
    for prompt in prompts:
        forms.setdefault(prompt.source, set()).add(answer_form(prompt.answers))
    return [len(forms[prompt.source]) == 1 for prompt in prompts]


def held_out_rows(
    table: pd.DataFrame,
    prompts: Sequence[Prompt],
    answered: Bool[np.ndarray, " prompt"],
    draws: Draws,
) -> pd.DataFrame:
    """A row per slice, protocol and system: accuracy, and RADAR's lead over the system.

    `table` has RADAR's features, id, label and prompt; `answered`: whether the model answers both
    prompts of a row's pair.

    For the slice `one_form_of_answer` the systems are fitted and tested on its own prompts only, so
    that none learns labels from the forms of answers: the reader of forms gives both prompts of a
    pair one label, and is right about one. For the other slices the systems are fitted on all
    prompts, and only the slice's prompts are counted.

    Accuracies are means over `draws.seeds` fits with their range; `p_above_guessing` is the p-value
    of a test that flips the signs of kinds. RADAR's lead is paired by prompt; its interval draws
    kinds whole, and `p_against_radar` (two-sided) flips the signs of kinds as well.
    """
    kind_of = {prompt.id: prompt.source for prompt in prompts}
    form_of = {prompt.id: answer_form(prompt.answers) for prompt in prompts}
    kinds = table["id"].map(kind_of)
    table = table.assign(**{ANSWER_FORM: table["id"].map(form_of)})
    ids = [prompt.id for prompt in prompts]
    has_one_form = dict(zip(ids, in_one_form(prompts), strict=True))
    has_one = table["id"].map(has_one_form).to_numpy(bool)
    table_of_one_form = table[has_one].reset_index(drop=True)
    kinds_of_one_form = kinds[has_one].reset_index(drop=True)
    everything = np.ones(len(table), bool)
    all_of_one_form = np.ones(len(table_of_one_form), bool)

    rows = []
    for protocol in (KINDS_HELD_OUT, CROSS_VALIDATED):
        right = _right_by_system(table, kinds, protocol, draws)
        right_of_one_form = _right_by_system(table_of_one_form, kinds_of_one_form, protocol, draws)

        slices = {
            OVERALL: _compare_all(right, kinds, everything, draws),
            ANSWERED: _compare_all(right, kinds, answered, draws),
            ONE_FORM: _compare_all(right_of_one_form, kinds_of_one_form, all_of_one_form, draws),
        }
        for name, measured in slices.items():
            for system, numbers in measured.items():
                rows.append({"slice": name, "protocol": protocol, "system": system} | numbers)
    return pd.DataFrame(rows)


def _right_by_system(
    table: pd.DataFrame, kinds: pd.Series, protocol: str, draws: Draws
) -> dict[str, Float[np.ndarray, "seed prompt"]]:
    """Whether each of `_SYSTEMS` is right (1 or 0), in each of the fits."""
    groups = kinds if protocol == KINDS_HELD_OUT else pairs(table)
    right = {}
    for system in _SYSTEMS:
        by_seed = []
        for number in range(draws.seeds):
            seed = derive_seed(draws.seed, number)
            fold = assign_folds(table, groups, folds=draws.folds, seed=seed)
            predicted = predict_held_out(table, fold, partial(_fit_predict, system, seed))
            by_seed.append((predicted["predicted"] == table["label"]).to_numpy(float))
        right[system] = np.array(by_seed)
    return right


def _fit_predict(
    system: str, seed: int, training: pd.DataFrame, table: pd.DataFrame
) -> pd.DataFrame:
    """Labels by RADAR's ensemble or a part of it, or by a reader that sees no mechanism."""
    if system in FEATURE_SETS:
        return Ensemble.fit(training, FEATURE_SETS[system], seed).predict(table)[["predicted"]]

    column, reader = _blind_reader(system)
    reader.fit(training[column], is_recall(training))
    labels = np.where(reader.predict(table[column]) == 1, "recall", "reasoning")
    return pd.DataFrame({"predicted": labels}, index=table.index)


def _blind_reader(system: str) -> tuple[str | list[str], Pipeline]:
    """What a reader sees of the table, and its classifier:
    one to three neighbouring words, or the answer's form.
    """
    if system == WORD_ORDER:
        words = CountVectorizer(token_pattern=_WORD, ngram_range=(1, 3))
        return "prompt", make_pipeline(words, LogisticRegression(max_iter=5000))

    # A form that is absent in training is ignored.
    forms = OneHotEncoder(handle_unknown="ignore")
    return [ANSWER_FORM], make_pipeline(forms, LogisticRegression())


def _compare_all(
    right: dict[str, Float[np.ndarray, "seed prompt"]],
    kinds: pd.Series,
    part: Bool[np.ndarray, " prompt"],
    draws: Draws,
) -> dict[str, dict[str, float | int]]:
    """What `_compare` gives for each system."""
    return {system: _compare(right, system, kinds, part, draws) for system in right}


def _compare(
    right: dict[str, Float[np.ndarray, "seed prompt"]],
    system: str,
    kinds: pd.Series,
    part: Bool[np.ndarray, " prompt"],
    draws: Draws,
) -> dict[str, float | int]:
    """The numbers of one system on a part of the prompts, and RADAR's lead over it."""
    right_of_system = right[system][:, part]
    by_prompt = right_of_system.mean(axis=0)
    by_seed = right_of_system.mean(axis=1)
    groups = kinds[part]
    options = {"resamples": draws.resamples, "seed": draws.seed}

    def by_kind(values: Float[np.ndarray, " prompt"]) -> Float[np.ndarray, " kind"]:
        # Rounded: means over seeds give 1e-17 instead of 0, which would count as a difference.
        return pd.Series(values).groupby(groups.to_numpy()).sum().round(9).to_numpy(float)

    interval = bootstrap_mean(by_prompt, groups, **options, confidence_level=draws.confidence_level)
    measured = {
        "accuracy": by_prompt.mean(),
        "low": interval.low,
        "high": interval.high,
        "n": len(groups),
        "seeds": len(by_seed),
        "seed_mean": by_seed.mean(),
        "seed_min": by_seed.min(),
        "seed_max": by_seed.max(),
        "p_above_guessing": sign_flip_above_zero(by_kind(by_prompt - 0.5), **options),
    }
    if system == "radar":
        return measured

    lead = right["radar"][:, part].mean(axis=0) - by_prompt
    interval = bootstrap_mean(lead, groups, **options, confidence_level=draws.confidence_level)
    return measured | {
        "radar_lead": lead.mean(),
        "radar_lead_low": interval.low,
        "radar_lead_high": interval.high,
        "p_against_radar": paired_permutation(by_kind(lead), **options),
    }
