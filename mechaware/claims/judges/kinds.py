"""The kinds of judges: how each is opened, and what the workflow must know of it before that."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

from mechaware.claims.judges.settings import JudgeSettings
from mechaware.own_package import load_object

if TYPE_CHECKING:
    from mechaware.claims.judges.judge import Judge, JudgeFiles


class Kind(NamedTuple):
    """One kind of judge.

    `over_network`: asks a provider, which may cost money. It runs where the network is, on a cluster the login node,
    and its trust is measured only if the config names it. `local_model`: computes for minutes a paper, from the GGUF
    weights of a model of config/models.yaml. It reads fewer planted papers. `by_rules`: gives the same reply in each
    run, so that one run measures its trust. Of a kind in a user's package only `open` is read: it is run as a provider.
    """

    open: Callable[[JudgeSettings, "JudgeFiles"], AbstractContextManager["Judge"]]
    over_network: bool = False
    local_model: bool = False
    by_rules: bool = False


# The judges are imported when one is opened: every dry run reads the kinds.
def _language_model(settings: JudgeSettings, files: "JudgeFiles") -> AbstractContextManager["Judge"]:
    from mechaware.claims.judges.language_model.judge import open_language_model_judge

    return open_language_model_judge(settings, files)


def _lexical(settings: JudgeSettings, files: "JudgeFiles") -> AbstractContextManager["Judge"]:
    from mechaware.claims.judges.lexical.judge import open_lexical_judge

    return open_lexical_judge(settings, files)


def _of_own_package(settings: JudgeSettings, files: "JudgeFiles") -> AbstractContextManager["Judge"]:
    return load_object(settings.kind, Kind).open(settings, files)


KINDS: Mapping[str, Kind] = {
    "provider": Kind(_language_model, over_network=True),
    "embedded": Kind(_language_model, local_model=True),
    "lexical": Kind(_lexical, by_rules=True),
}
# Before its jobs run nothing is known of a kind of the user's own package, so it may ask a provider that costs money.
OWN = Kind(_of_own_package, over_network=True)


def kind_named(name: str) -> Kind:
    """The kind of this name, or of this dotted name in the user's own package. Raises KeyError."""
    return OWN if "." in name else KINDS[name]
