"""Checks of names and labels that must differ.

An entry's name is the name of a folder of its results; its label is what tables and figures call
it.
"""

from collections.abc import Iterable, Mapping

from mechaware.core.errors import UserError
from mechaware.core.files import name_key
from mechaware.doors.checks.entries import ListedEntries


def check_distinct_folders(names: Iterable[str], where: str) -> None:
    """Refuse two names that would be one folder of results on a file system that ignores case.

    A name that is given twice is not refused. `where` begins the message: the key of the config or
    the file that has the names. Raises `UserError`.
    """
    first_with_key: dict[str, str] = {}
    for name in names:
        other = first_with_key.setdefault(name_key(name), name)
        if other != name:
            raise UserError(
                f"{where}: '{other}' and '{name}' are one folder of results on macOS and Windows, where case does not "
                "count; rename one"
            )


def check_not_reserved(names: Iterable[str], reserved: Mapping[str, str], where: str) -> None:
    """Refuse the name of a folder in which the results have something else.

    `reserved` maps each such name, as `name_key` gives it, to its purpose, such as "names the
    results of suspected benchmarks". `where` is as in `check_distinct_folders`. Raises `UserError`.
    """
    for name in names:
        purpose = reserved.get(name_key(name))
        if purpose is not None:
            raise UserError(f"{where}: '{name}' {purpose}; rename it")


def check_distinct_labels(names: Iterable[str], listed: ListedEntries) -> None:
    """Refuse two entries with the same label, which readers of tables and figures could not
    distinguish.

    `names` are entries of `listed`. Raises `UserError`.
    """
    first_with_label: dict[str, str] = {}
    for name in names:
        label = listed.entries[name]["label"]
        other = first_with_label.setdefault(label, name)
        if other != name:
            raise UserError(
                f"{listed.source(name)}/label: '{label}' is also the label of '{other}'; change one of the two"
            )
