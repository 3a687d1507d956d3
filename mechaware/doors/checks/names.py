"""Names and labels that must differ: by a name results are filed,
by a label tables and figures show an entry.
"""

from collections.abc import Iterable, Mapping

from mechaware.core.errors import UserError
from mechaware.core.files import name_key
from mechaware.doors.checks.entries import ListedEntries


def check_distinct_folders(names: Iterable[str], where: str) -> None:
    """Refuse two names that would be one folder of results on a file system that ignores case."""
    first_with_key: dict[str, str] = {}
    for name in names:
        other = first_with_key.setdefault(name_key(name), name)
        if other != name:
            raise UserError(
                f"{where}: '{other}' and '{name}' are one folder of results on macOS and Windows, where case does not "
                "count; rename one"
            )


def check_not_reserved(names: Iterable[str], reserved: Mapping[str, str], where: str) -> None:
    """Refuse a name that the results have for something else; `reserved` says for what, by name."""
    for name in names:
        purpose = reserved.get(name_key(name))
        if purpose is not None:
            raise UserError(f"{where}: '{name}' {purpose}; rename it")


def check_distinct_labels(names: Iterable[str], listed: ListedEntries) -> None:
    """Refuse two entries with the same label: readers of tables and figures could
    not distinguish them.
    """
    first_with_label: dict[str, str] = {}
    for name in names:
        label = listed.entries[name]["label"]
        other = first_with_label.setdefault(label, name)
        if other != name:
            raise UserError(
                f"{listed.source(name)}/label: '{label}' is also the label of '{other}'; change one of the two"
            )
