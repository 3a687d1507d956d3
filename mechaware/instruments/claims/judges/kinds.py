"""The kinds of judges: how each is opened, and what the workflow must know of it before that."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.own_package import load_object
from mechaware.instruments.claims.judges.settings import JudgeFiles, JudgeSettings

if TYPE_CHECKING:
    from mechaware.instruments.claims.judges.judge import Judge


class Kind(NamedTuple):
    """One kind of judge. Of a kind in a user's own package only `open` is used; it counts as `over_network`.

    - `over_network`: whether it asks a provider, which may cost money. Such a judge runs where the network is, on a
      cluster on the login node, and its trust is measured only if the config names it.
    - `local_model`: whether it computes for minutes per paper, with the GGUF weights of a model of config/models.yaml.
      Such a judge reads fewer planted papers.
    - `by_rules`: whether it gives the same reply in each run.
    """

    open: Callable[[JudgeSettings, JudgeFiles], AbstractContextManager["Judge"]]
    over_network: bool = False
    local_model: bool = False
    by_rules: bool = False


# The judges are imported when one is opened: every dry run reads the kinds.
def _language_model(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    from mechaware.instruments.claims.judges.language_model.judge import open_language_model_judge

    return open_language_model_judge(settings, files)


def _lexical(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    from mechaware.instruments.claims.judges.lexical import open_lexical_judge

    return open_lexical_judge(settings, files)


def _of_own_package(settings: JudgeSettings, files: JudgeFiles) -> AbstractContextManager["Judge"]:
    """A judge of the kind that the settings name in the user's own package."""
    return load_object(settings.kind, Kind).open(settings, files)


KINDS: Mapping[str, Kind] = {
    "provider": Kind(_language_model, over_network=True),
    "embedded": Kind(_language_model, local_model=True),
    "lexical": Kind(_lexical, by_rules=True),
}
# Before its jobs run nothing is known of a kind of the user's own package, so it may ask a provider that costs money.
_OWN = Kind(_of_own_package, over_network=True)


def kind_named(name: str) -> Kind:
    """The kind of this name, or of this dotted name in the user's own package. Raises KeyError."""
    return _OWN if "." in name else KINDS[name]


def open_judge(
    settings: JudgeSettings,
    *,
    prompts: Sequence[Path],
    responses: Path,
    weights: Sequence[Path],
    item_prompts: Sequence[Path] = (),
) -> AbstractContextManager["Judge"]:
    """The judge of these settings, to be used in a `with` statement.

    `prompts` are the files of one version; `responses` holds a folder of stored replies for each judge; `weights` is
    the GGUF file of an embedded judge, or empty; `item_prompts` are the templates of `judge_passages`. The server of an
    embedded judge runs from the first call that the stored replies do not answer until the context ends.
    Raises `UserError` for a kind that does not exist, or that cannot be imported from the user's own package.
    """
    if "." not in settings.kind and settings.kind not in KINDS:
        raise UserError(
            f"judge {settings.name}: no kind '{settings.kind}'; write {' or '.join(KINDS)}"
        )
    folder = responses / settings.name
    files = JudgeFiles(prompts, folder, next(iter(weights), None), item_prompts)
    return kind_named(settings.kind).open(settings, files)
