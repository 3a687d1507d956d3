"""The judge cards of a config: the judge, the rubric,
the labelled items and the replies of each.
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
    """The entries of the judges that cards name by an address, by name.

    Args:
        cards: The config's claims/judge_cards.
        judges: All other judges.

    Raises:
        UserError: An address has the name of a judge with another entry.
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
    """Refuse a card without a judge or with two, or if its judge, rubric,
    items or replies cannot be used.
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
        read_replies(files["replies"], items, rubric)
        return

    judge = entry["judge"]
    if read_address(judge) is not None:
        return
    if "/" in judge:
        raise UserError(f"{where}/judge: '{judge}' is no address; write {FORM}")
    check_judge(judge, judges, models, f"{where}/judge")
