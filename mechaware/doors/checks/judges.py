"""Reads the judges of the user's own paper from a config, and checks that a judge can be used."""

from collections.abc import Mapping, Sequence
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.own_package import check_object
from mechaware.core.schema import check_choice
from mechaware.doors.checks.entries import Entries, ListedEntries
from mechaware.instruments.claims.judges.addresses import EXAMPLES, read_address
from mechaware.instruments.claims.judges.kinds import KINDS, kind_named


def read_own_judges(words: Sequence[str], judges: ListedEntries) -> Entries:
    """The entries of the judges that judge the config's claims/own_paper, by name.

    Args:
        words: The config's claims/own_judges: names of listed judges, or addresses of models
            (`read_address`).
        judges: The listed judges.

    Raises:
        UserError: A word is neither a listed name nor an address. A word names keyword rules, which
            are only a baseline that judges are compared with. Or the name that `read_address` makes
            from an address is also the name of a listed judge, or of another address in `words`.
    """
    where = "config, claims/own_judges"
    listed = judges.entries
    own: dict[str, Mapping[str, Any]] = {}
    for word in words:
        addressed = read_address(word)
        if addressed is None:
            # The end of the sentence "'{word}' is not in ...".
            sources = f"{judges.sources}, and is no address of a model such as {EXAMPLES}"
            check_choice(word, listed, where, sources)
            if kind_named(listed[word]["kind"]).by_rules:
                raise UserError(
                    f"{where}: '{word}' is keyword rules, which judge no paper; leave it out to "
                    f"get passages to read, or name a judge, such as {EXAMPLES}"
                )
            own[word] = listed[word]
            continue

        name = addressed.name
        if name in listed:
            raise UserError(
                f"{where}: '{word}' would be named '{name}', which is a judge in {judges.sources}; "
                "write that name, or rename the judge there"
            )
        if name in own:
            raise UserError(
                f"{where}: '{word}' and another address have the name '{name}'; "
                f"enter one of them in {judges.sources}"
            )
        own[name] = addressed.entry
    return own


def check_judge(name: str, judges: ListedEntries, models: ListedEntries, named_in: str) -> None:
    """Refuse a judge that cannot be used; `named_in` is the key of the config that names it.

    Raises `UserError` if

    - the judge is not listed;
    - the judge's kind is not one of `KINDS`, and names no object of the user's own package
      (`check_object`);
    - the judge runs on weights (`Kind.local_model`), and its model is not listed, or has no GGUF
      file: only models of the kind `wheel` have one.
    """
    judges.check_listed(name, named_in)
    judge = judges.entries[name]
    where = judges.source(name)
    if judge["kind"] not in KINDS:
        check_object(judge["kind"], where)
        return

    if not KINDS[judge["kind"]].local_model:
        return
    models.check_listed(judge["model"], where)
    if models.entries[judge["model"]]["kind"] != "wheel":
        raise UserError(f"{where}: '{judge['model']}' has no GGUF file; name a model of kind wheel")
