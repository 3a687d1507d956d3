"""Shortcuts: ways to answer without reading the request, and right answers beyond a shortcut's.

Which shortcuts there are for a prompt, what they choose, how often each is right, and how a share
of right answers is corrected for a shortcut that reaches part of it.
"""

import re
from typing import TypeVar

import pandas as pd

from mechaware.instruments.grounding.data.pairs import PLACE_SHORTCUTS, SHORTCUT, Pair, Prompt

# Begins the name of a column in the table of answers (`answers.answer_table`) that holds the option
# which a shortcut chooses; a column that begins with `SHORTCUT` holds whether it is right.
CHOICE = "choice_"
_Share = TypeVar("_Share", float, pd.Series)


def shortcuts_of(pair: Pair, name: str) -> dict[str, bool]:
    """Whether each shortcut answers the pair's prompt `name` rightly, by the shortcut's name.

    The shortcuts are those of `shortcut_choices`, and `place {k}`: copying the option at place k,
    which is right in a prompt whose wanted answer has the place k in the table of pairs. A prompt
    without a place has the clean prompt's. `place {k}` is missing if neither has one, or if the
    prompt's own shortcuts include all of `PLACE_SHORTCUTS`.
    """
    prompt = pair.prompts[name]
    choices = shortcut_choices(prompt)
    is_right = {shortcut: choice == prompt.wanted for shortcut, choice in choices.items()}
    place = prompt.place or pair.prompts["clean"].place
    if place and not prompt.shortcuts.keys() >= PLACE_SHORTCUTS.keys():
        # A shortcut of the table may have the same name, and goes first.
        is_right.setdefault(f"place {place}", True)
    return is_right


def shortcut_choices(prompt: Prompt) -> dict[str, str]:
    """The option that each shortcut chooses, by the shortcut's name.

    The shortcuts are the prompt's own (`Prompt.shortcuts`), with spaces for underscores in their
    names, and those of `PLACE_SHORTCUTS` that it lacks. The latter are applied to the options that
    occur in the prompt's text as whole words, in the order in which they first occur, and only if
    two or more do. A prompt whose own shortcuts include all of `PLACE_SHORTCUTS` has no others.
    """
    own = {shortcut.replace("_", " "): answer for shortcut, answer in prompt.shortcuts.items()}
    if own.keys() >= PLACE_SHORTCUTS.keys():
        return own

    offsets = {}  # of each option's first occurrence, in characters
    for option in prompt.options:
        occurrence = re.search(rf"(?<!\w){re.escape(option.strip())}(?!\w)", prompt.text)
        if occurrence:
            offsets[option] = occurrence.start()
    in_order = sorted(offsets, key=lambda option: offsets[option])

    by_place = {}
    if len(in_order) > 1:
        by_place = {shortcut: choose(in_order) for shortcut, choose in PLACE_SHORTCUTS.items()}
    return by_place | own


def shortcut_shares(answers: pd.DataFrame) -> pd.Series:
    """The share of clean prompts that each shortcut answers rightly, by its name, from 0 to 1.

    `answers` is a table of answers (`answers.answer_table`). A shortcut that a prompt lacks counts
    as wrong there.
    """
    clean = answers[answers["prompt"] == "clean"]
    is_right = clean.filter(like=SHORTCUT)
    return is_right.rename(columns=lambda column: column.removeprefix(SHORTCUT)).mean()


def best_shortcut(answers: pd.DataFrame) -> float:
    """The largest of `shortcut_shares`; 0 for a table of answers without shortcuts."""
    return float(max(shortcut_shares(answers), default=0.0))


def corrected(share: _Share, shortcut_share: _Share) -> _Share:
    """(share - shortcut_share) / (1 - shortcut_share), the share of what the shortcut leaves.

    0 for a share that the shortcut reaches, 1 for a share of 1, and below 0 for a smaller share
    than the shortcut's. Undefined for a shortcut_share of 1.
    """
    return (share - shortcut_share) / (1 - shortcut_share)


def uncorrected(corrected_share: float, shortcut_share: float) -> float:
    """The inverse of `corrected`: shortcut_share + corrected_share * (1 - shortcut_share)."""
    return shortcut_share + corrected_share * (1 - shortcut_share)


def shortcut_table(answers: pd.DataFrame) -> pd.DataFrame:
    """`shortcut_shares` by run and by category of pairs, and over all categories (`overall`).

    Columns: run, category, n (clean prompts), and the share of each shortcut.
    """
    rows = []
    for run, answers_of_run in answers.groupby("run", sort=False):
        parts = [*answers_of_run.groupby("category", sort=False), ("overall", answers_of_run)]
        for category, part in parts:
            n = int((part["prompt"] == "clean").sum())
            rows.append({"run": run, "category": category, "n": n, **shortcut_shares(part)})
    return pd.DataFrame(rows)
