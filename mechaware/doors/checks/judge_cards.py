"""Checks of the judge cards of a config, the entries under claims/judge_cards.

A card names labelled items, a rubric, and either a judge or a file of a judge's replies. The judge
is named by its entry in a list, or by an address such as ollama/llama3.2, which needs no entry.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.doors.checks.entries import Entries, ListedEntries
from mechaware.doors.checks.files import existing_file
from mechaware.doors.checks.judges import check_judge
from mechaware.instruments.claims.items.labelled import read_items
from mechaware.instruments.claims.items.replies import read_replies
from mechaware.instruments.claims.judges.addresses import FORM, read_address
from mechaware.instruments.claims.rubric.rubric import read_rubric


def read_addressed_judges(cards: Entries, judges: ListedEntries) -> Entries:
    """The judges that cards name by an address: an entry for each, by the judge's name.

    Args:
        cards: The config's claims/judge_cards.
        judges: The listed judges, and the judges of the user's own paper.

    Raises:
        UserError: An address gives a judge the name of another judge, whose entry differs.
    """
    addressed: dict[str, Mapping[str, Any]] = {}
    for card, entry in cards.items():
        judge = read_address(entry.get("judge", ""))
        if judge is None:
            continue
        other = addressed.get(judge.name, judges.entries.get(judge.name))
        if other is not None and other != judge.entry:
            raise UserError(
                f"config, claims/judge_cards/{card}/judge: '{entry['judge']}' has the name '{judge.name}' of another "
                f"judge; enter it in {judges.sources} under a name of its own"
            )
        addressed[judge.name] = judge.entry
    return addressed


def check_judge_card(
    name: str, entry: Mapping[str, Any], judges: ListedEntries, models: ListedEntries
) -> None:
    """Refuse a card that cannot be drawn.

    Args:
        name: The card's name, for messages.
        entry: The card's entry in the config.
        judges: The judges that the card may name.
        models: The models that embedded judges may name.

    Raises:
        UserError: The card names both a judge and replies, or neither; or its judge, rubric, items
            or replies cannot be used.
    """
    where = f"config, claims/judge_cards/{name}"
    if ("judge" in entry) == ("replies" in entry):
        raise UserError(f"{where}: name either a judge, or a file of replies")

    files: dict[str, Path] = {}
    for key in ("items", "rubric", "replies"):
        if key in entry:
            files[key] = existing_file(entry[key], f"{where}/{key}")
    rubric = read_rubric(files["rubric"])
    items = read_items(files["items"], rubric)
    if "replies" in files:
        # Read for the check alone.
        read_replies(files["replies"], items, rubric)
        return

    judge = entry["judge"]
    # `read_addressed_judges` checks a judge at an address.
    if read_address(judge) is not None:
        return
    if "/" in judge:
        raise UserError(f"{where}/judge: '{judge}' is no address; write {FORM}")
    check_judge(judge, judges, models, f"{where}/judge")
