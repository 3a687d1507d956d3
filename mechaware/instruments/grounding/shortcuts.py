"""Shortcuts: ways to answer without reading the request, and what is left of a share beyond the best of them."""

import re
from typing import TypeVar

import pandas as pd

from mechaware.instruments.grounding.data.pairs import PLACE_SHORTCUTS, SHORTCUT, Pair, Prompt

CHOICE = "choice_"  # begins the name of a column of the table of answers: the option that a shortcut chooses
_Share = TypeVar("_Share", float, pd.Series)


def shortcuts_of(pair: Pair, name: str) -> dict[str, bool]:
    """Whether each shortcut answers the prompt `name` of a pair rightly.

    Beside `shortcut_choices` there is `place {k}` for a prompt whose wanted answer has the place k in its table (the
    clean prompt's place if it names none): a copier of that place is right. It is left out for a table that has all of
    `PLACE_SHORTCUTS` as its own.
    """
    prompt = pair.prompts[name]
    choices = shortcut_choices(prompt)
    right = {shortcut: choice == prompt.wanted for shortcut, choice in choices.items()}
    place = prompt.place or pair.prompts["clean"].place
    if place and not prompt.shortcuts.keys() >= PLACE_SHORTCUTS.keys():
        right.setdefault(f"place {place}", True)
    return right


def shortcut_choices(prompt: Prompt) -> dict[str, str]:
    """The option that each shortcut chooses.

    They are the table's own (`Prompt.shortcuts`), and `PLACE_SHORTCUTS`, applied to the options in the order in which
    they occur in the text, if two or more do. A table that has all of `PLACE_SHORTCUTS` as its own has no others.
    """
    own = {shortcut.replace("_", " "): answer for shortcut, answer in prompt.shortcuts.items()}
    if own.keys() >= PLACE_SHORTCUTS.keys():
        return own

    place_of_option = {}
    for option in prompt.options:
        occurrence = re.search(rf"(?<!\w){re.escape(option.strip())}(?!\w)", prompt.text)
        if occurrence:
            place_of_option[option] = occurrence.start()
    in_order = sorted(place_of_option, key=lambda option: place_of_option[option])

    by_place = {}
    if len(in_order) > 1:
        by_place = {shortcut: choose(in_order) for shortcut, choose in PLACE_SHORTCUTS.items()}
    return by_place | own


def shortcut_shares(answers: pd.DataFrame) -> pd.Series:
    """By shortcut, the share of clean prompts in which it chooses the wanted column, from a table of answers."""
    clean = answers[answers["prompt"] == "clean"].filter(like=SHORTCUT)
    return clean.rename(columns=lambda name: name.removeprefix(SHORTCUT)).mean()


def best_shortcut(answers: pd.DataFrame) -> float:
    """The largest of `shortcut_shares`; 0 where the table names no shortcut."""
    return float(max(shortcut_shares(answers), default=0.0))


def corrected(share: _Share, shortcut: _Share) -> _Share:
    """(share - shortcut) / (1 - shortcut): 0 for the share that a shortcut reaches, 1 for a share of 1; may be < 0."""
    return (share - shortcut) / (1 - shortcut)


def uncorrected(corrected_share: float, shortcut: float) -> float:
    """The inverse of `corrected`: the share that the shortcut reaches, and `corrected_share` of the rest."""
    return shortcut + corrected_share * (1 - shortcut)


def shortcut_table(answers: pd.DataFrame) -> pd.DataFrame:
    """`shortcut_shares` by run and category of pairs: run, category (and `overall`), n, and each shortcut."""
    rows = []
    for run, of_run in answers.groupby("run", sort=False):
        for category, part in (*of_run.groupby("category", sort=False), ("overall", of_run)):
            n = int((part["prompt"] == "clean").sum())
            rows.append({"run": run, "category": category, "n": n, **shortcut_shares(part)})
    return pd.DataFrame(rows)
